"""Numbers of deployment files -> bytes, seconds, counts, each with its place.

    16Gi -> 17179869184     20g -> 21474836480 (compose)     "4" -> 4     2m30s -> 150

None where the text is no such number: a template, a variable, a word.

**Source:** Kubernetes, pkg/api/resource/quantity.go (suffixes); Docker, https://docs.docker.com/reference/compose-file/extension/#specifying-byte-values
"""

from __future__ import annotations

import re

from advisor.launches.files.marks import Node
from advisor.launches.files.typed import File
from advisor.model.deployment import Quantity

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?:e(\d+))?\s*([A-Za-z]*)\Z")
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?\Z")


def amount(text: str, *, binary: bool = False) -> int | None:
    """Bytes or a plain count. `binary` takes `g` for 2^30, as compose and docker do; otherwise only `Gi` is."""
    found = _AMOUNT.match(text.strip())
    if not found:
        return None
    number, ten, unit = float(found.group(1)), int(found.group(2) or 0), found.group(3)
    if ten > 30:
        return None
    number *= 10**ten
    if unit in ("", "b", "B"):
        return int(number)
    if unit == "m" and not binary:  # thousandths
        return int(number / 1000)
    power = _POWERS.get(unit[0].lower())
    rest = unit[1:].lower()
    if power is None or rest not in ("", "i", "b", "ib"):
        return None
    base = 1024 if binary or rest.startswith("i") else 1000
    return int(number * base**power)


def seconds(text: str) -> int | None:
    """A duration of compose or systemd, or plain seconds."""
    text = text.strip()
    if text.isdigit():
        return int(text)
    found = _DURATION.match(text)
    if not found or not any(found.groups()):
        return None
    hours, minutes, rest = (float(one or 0) for one in found.groups())
    return int(hours * 3600 + minutes * 60 + rest)


def quantity(node: Node | None, file: File, *, binary: bool = False) -> Quantity | None:
    """The number that a scalar gives."""
    value = amount(node.text, binary=binary) if node is not None and node.kind == "text" else None
    if node is None or value is None:
        return None
    return Quantity(value, node.text, file.place(node.start, node.end, "mapping value"))
