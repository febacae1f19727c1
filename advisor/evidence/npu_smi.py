"""`npu-smi info` of Ascend -> accelerators and how busy each chip is.

    | npu-smi 24.1.rc3             Version: 24.1.rc3                                                 |
    | NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
    | Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
    | 0     910B3               | OK            | 98.4        50                0    / 0             |
    | 0                         | 0000:C1:00.0  | 0           0    / 0          57784/ 65536         |
    | 0       0                 | 632268        | python3.1          | 197                           |

Facts: `hardware.accelerator`, `.vendor`, `.count` (chips, when there are several), and those of `devices` but
`device.spin`: no power limit is printed. A chip is numbered by its Phy-ID where there is one, else by NPU, else by
NPU and chip. `-` is not known. An idle chip has some 3 GiB taken by its firmware, so one without a process counts as
at work from 6,000 MB on. A health other than OK is said in a note. Empty: no chip row was found.

**Source:** `npu-smi` 24.1 to 26.0 in https://github.com/vllm-project/vllm-ascend/issues/1903, /issues/2526 and
/issues/12980 (read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.evidence import accelerator, devices
from advisor.evidence.devices import Capture, Device, Reading
from advisor.evidence.lines import lines
from advisor.evidence.sighting import once, sighting, span_of
from advisor.model.fact import Artifact, Fact, Note
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_MARK = Shape(r"^\| npu-smi \S+ +Version: |^\| NPU +Name +\| Health ", 8)  # re.M
_START = Shape(r"\| npu-smi |\| NPU +Name +\| Health ")
_NAME_ROW = Shape(r"\| (\d{1,4}) +((?:Ascend ?)?\d{3}\w*) +\| (\w+) +\| +(\S+) +\S+ +\d+ */ *\d+ *\|")
_CHIP_ROW = Shape(r"\| (\d{1,4})(?: +(\d{1,4}))? +\| +\S+ +\| +(\S+) +\d+ */ *\d+ +(\d{1,9}) */ *\d+ *\|")
_PROCESS = Shape(r"\| (\d{1,4}) +(\d{1,4}) +\| +\d+ +\| +(\S+) +\| +\d+ ")
_NUMBER = Shape(r"\d{1,6}(?:\.\d{1,4})?$")
_FIRMWARE_MB = 5_000


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip: its NPU's number, model and health, the place of its first row, and the device it is."""

    npu: str
    name: str
    health: str
    at: int
    power_w: float | None
    device: Device | None = None
    number: str = ""


def mine(text: str) -> bool:
    """Whether this holds an `npu-smi info`."""
    return _MARK.search(text) is not None


def read(artifact: Artifact) -> Reading:
    """Everything that the reading says."""
    chips = list(_chips(artifact.text))
    seen = devices.captures(chip.device for chip in chips if chip.device)
    facts = once([*hardware(artifact, chips), *devices.judge(artifact, seen)])
    return Reading(facts, devices.loads(artifact, seen), (), (*devices.notes(artifact, seen), *_notes(artifact, chips)))


def captured(text: str) -> list[Capture]:
    """The chips of each capture, oldest first."""
    return devices.captures(chip.device for chip in _chips(text) if chip.device)


def hardware(artifact: Artifact, chips: list[Chip] | None = None) -> Iterator[Fact]:
    """The models and their number."""
    chips = list(_chips(artifact.text)) if chips is None else chips
    for chip in chips:
        yield from accelerator.read(artifact, chip.name, chip.at)
    places = {(chip.npu, chip.number): chip.at for chip in reversed(chips)}
    if len(places) > 1:
        yield sighting(artifact, "hardware.count", len(places), min(places.values()), max(places.values()) + 1)


def _chips(text: str) -> Iterator[Chip]:
    found: list[Chip] = []
    for line in lines(text):
        if not line.text.startswith("|"):
            continue
        if _START.match(line.text):
            yield from found
            found = []
        name = _NAME_ROW.match(line.text)
        row = _CHIP_ROW.match(line.text) if found and name is None and found[-1].device is None else None
        if name:
            found.append(Chip(name[1], name[2], name[3], line.start, _number(name[4])))
        elif row:
            chip = found[-1]
            index = row[2] or (chip.npu if row[1] == "0" else f"{chip.npu}.{row[1]}")
            device = Device(
                index, line.start, _number(row[3]), chip.power_w, memory_mib=float(row[4]), rest_mib=_FIRMWARE_MB
            )
            found[-1] = replace(chip, device=device, number=row[1])
        else:
            found = _with_process(line.text, found)
    yield from found


def _with_process(row: str, found: list[Chip]) -> list[Chip]:
    process = _PROCESS.match(row)
    if process is None:
        return found
    return [
        replace(chip, device=replace(chip.device, processes=(*(chip.device.processes or ()), process[3])))
        if chip.device and (chip.npu, chip.number) == (process[1], process[2])
        else chip
        for chip in found
    ]


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.match(text) else None


def _notes(artifact: Artifact, chips: list[Chip]) -> Iterator[Note]:
    if not any(chip.device for chip in chips):
        yield Note("unreadable", "an npu-smi table in a layout not known here, or cut short", span_of(artifact, 0))
    for chip in chips[:64]:
        if chip.health not in ("OK", "Ok"):
            yield Note("hint", f"npu-smi calls the health of NPU {chip.npu} {chip.health}", span_of(artifact, chip.at))
