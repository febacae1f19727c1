"""Quantities of Kubernetes and its kin -> bytes and counts, each with its place.

    16Gi -> 17179869184     20G -> 20000000000     "4" -> 4     4000m -> 4

None where the text is no such number: a template, a variable, a word.

**Source:** kubernetes/apimachinery `pkg/api/resource/quantity.go` at 357557a670d8, read 2026-11-30 (suffixes). That
`20g` and `20gb` count too is compose's way of writing sizes, and stands in no one file that was read.
"""

from __future__ import annotations

import re

from advisor.launches.files.marks import Node
from advisor.launches.files.typed import File
from advisor.model.deployment import Quantity

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?:e(\d+))?\s*([A-Za-z]*)\Z")
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}


def amount(text: str) -> int | None:
    """Bytes or a plain count."""
    found = _AMOUNT.match(text.strip())
    if not found:
        return None
    number, ten, unit = float(found.group(1)), int(found.group(2) or 0), found.group(3)
    if ten > 30:
        return None
    number *= 10**ten
    if unit in ("", "b", "B"):
        return int(number)
    if unit == "m":  # thousandths
        return int(number / 1000)
    power = _POWERS.get(unit[0].lower())
    rest = unit[1:].lower()
    if power is None or rest not in ("", "i", "b", "ib"):
        return None
    base = 1024 if rest.startswith("i") else 1000
    return int(number * base**power)


def quantity(node: Node | None, file: File) -> Quantity | None:
    """The number that a scalar gives."""
    value = amount(node.text) if node is not None and node.kind == "text" else None
    if node is None or value is None:
        return None
    return Quantity(value, node.text, file.place(node.start, node.end, "mapping value"))
