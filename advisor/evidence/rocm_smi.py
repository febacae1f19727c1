"""`rocm-smi` -> accelerators and how busy each GPU is.

    Device  Node  IDs             Temp        Power     Partitions          SCLK     MCLK  Fan  Perf  PwrCap  VRAM% GPU%
                  (DID,    GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
    0       1     0x74b5,  21947  39.0°C      191.0W    NPS1, SPX, 0        2105Mhz  900M  0%   auto  750.0W  95%   0%
    GPU[0]          : Card Series:          AMD Instinct MI300X OAM                  rocm-smi --showproductname

Facts: `hardware.accelerator`, `.vendor`, `.count` (when there are several), and those of `devices`. The table shows
memory as a share, not in MiB: a GPU with 2 % or more of it taken counts as at work. Empty: no GPU row was found.

**Source:** `rocm-smi` 3.0.0 of ROCm 6 and 7 in https://github.com/ROCm/legacy-rocm-build/issues/5231, the table of
ROCm 3 in https://github.com/ROCm/ROC-smi/issues/86 (read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence import accelerator, devices
from advisor.evidence.devices import Capture, Device, Reading
from advisor.evidence.lines import lines
from advisor.evidence.sighting import once, sighting, span_of
from advisor.model.fact import Artifact, Fact, Note
from advisor.model.shape import Shape

_MARK = "ROCm System Management Interface"
_TITLES = Shape(r"(?:Device|GPU) .*\bPwrCap +VRAM% +GPU% *$")
_ROW = Shape(r"(\d{1,4}) +(?>\S(?: *+[^ \n])*? +(\d{1,5}(?:\.\d+)?)W ).* (\S+) +(\d{1,3}%|N/A) +(\d{1,3}%|N/A) *$")
_CAP = Shape(r"(\d{1,5}(?:\.\d+)?)W$")
_NAMED = Shape(r"GPU\[(\d{1,4})\]\s*: (?:Card [Ss]eries|Device Name|Card model):\s*(\S(?:.*[^ \n])?) *$")
_IN_USE_PERCENT = 2


def mine(text: str) -> bool:
    """Whether this is a reading of rocm-smi."""
    return _MARK in text


def read(artifact: Artifact) -> Reading:
    """Everything that the reading says."""
    seen = captured(artifact.text)
    facts = once([*_hardware(artifact, seen), *devices.judge(artifact, seen)])
    notes = devices.notes(artifact, seen)
    if not seen and not facts:
        notes = (*notes, Note("unreadable", "a reading of rocm-smi in a layout not known here", span_of(artifact, 0)))
    return Reading(facts, devices.loads(artifact, seen), (), notes)


def captured(text: str) -> list[Capture]:
    """The GPUs of each capture, oldest first."""
    return devices.captures(_rows(text))


def _rows(text: str) -> Iterator[Device]:
    inside = False
    for line in lines(text):
        if _TITLES.match(line.text):
            inside = True
        elif line.text.startswith("====") and "End of" in line.text:
            inside = False
        row = _ROW.match(line.text) if inside else None
        if row:
            cap, taken, busy = _CAP.match(row[3]), _share(row[4]), _share(row[5])
            limit = float(cap[1]) if cap else None
            at_work = taken is not None and taken >= _IN_USE_PERCENT
            yield Device(row[1], line.start, busy, float(row[2]), limit, at_work=at_work)


def _share(text: str) -> float | None:
    return float(text[:-1]) if text.endswith("%") else None


def _hardware(artifact: Artifact, seen: list[Capture]) -> Iterator[Fact]:
    numbers = {one.index: one.at for capture in seen for one in capture}
    for line in lines(artifact.text):
        named = _NAMED.match(line.text)
        if named:
            numbers.setdefault(named[1], line.start)
            yield from accelerator.read(artifact, named[2], line.start)
    if numbers:
        places = sorted(numbers.values())
        yield sighting(artifact, "hardware.vendor", "amd", places[0])
        if len(numbers) > 1:
            yield sighting(artifact, "hardware.count", len(numbers), places[0], places[-1] + 1)
