"""Amounts as docker, systemd and Slurm write them -> numbers.

    16g, 16GiB, 64000M            -> bytes: powers of 1024, whatever the spelling
    15min 30s, 900, 1h, 90000ms   -> seconds; None for `infinity`
    4, device=0,1, gpu:a100:8     -> GPUs; None where the text does not say how many (`all`)

**Source:** docker run reference (`--shm-size`, `--memory`, `--gpus`), systemd.time(7), sbatch(1) `--mem`, `--gres`.
"""

from __future__ import annotations

import re

_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*([bkmgtp]?)(?:i?b)?\Z", re.I)  # 16g, 1.5GiB
_POWER = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
_SECONDS = {
    "": 1, "s": 1, "sec": 1, "second": 1, "seconds": 1, "ms": 0.001, "msec": 0.001, "us": 1e-6,
    "m": 60, "min": 60, "minute": 60, "minutes": 60,
    "h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400, "days": 86400,
}  # fmt: skip


def size(text: str, unit: str = "") -> int | None:
    """Bytes; `unit` is that of a bare number. None when it is no amount."""
    found = _BYTES.match(text.strip())
    if not found:
        return None
    return int(float(found.group(1)) * 1024 ** _POWER[(found.group(2) or unit).lower()])


def stretch(text: str) -> float | None:
    """Seconds and their parts, or None when it is no stretch of time, or one without an end."""
    said = text.strip().lower()
    parts = _SPAN.findall(said)
    if not parts or _SPAN.sub("", said).strip() or any(unit not in _SECONDS for _, unit in parts):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def seconds(text: str) -> int | None:
    """Whole seconds, as `stretch` reads them."""
    found = stretch(text)
    return None if found is None else int(found)


def devices(text: str) -> int | None:
    """How many GPUs it stands for; None when that is not said."""
    said = text.strip().strip("\"'")
    if said.isdigit():
        return int(said)
    if found := re.fullmatch(r"count=(\d+)", said):
        return int(found.group(1))
    if found := re.fullmatch(r"device=(.+)", said):
        return len([one for one in found.group(1).strip("\"'").split(",") if one])
    if found := re.fullmatch(r"(?:gres[/:])?gpu(?::[A-Za-z][\w.-]*)?(?::(\d+))?(?:\(.*\))?", said):
        return int(found.group(1) or 1)
    return None
