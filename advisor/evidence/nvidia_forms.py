"""The forms in which `nvidia-smi` prints GPUs -> devices, capture after capture.

Samples, what is left out and sources stand in `nvidia_smi`. Each form is found by its own head: the table by
`NVIDIA-SMI`, `-q` by `NVSMI LOG`, `dmon` by `# gpu`, a CSV by the names of its columns. Empty: none of these heads is
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.evidence import devices
from advisor.evidence.devices import Capture, Device
from advisor.evidence.lines import Line, lines
from advisor.model.shape import Shape

TABLE = "NVIDIA-SMI "
TOPOLOGY = "= Connection traversing PCIe as well as the SMP interconnect"  # the legend of `nvidia-smi topo -m`
LOG = "NVSMI LOG"
NAME_ROW = Shape(r"\| +(\d{1,4}) +(\S(?: *+[^ \n])*?)(?: +(?:On|Off|N/A))? *\|[^|]*\|[^|]*\| *$")
_USE_CELLS = Shape(r"\|[^|]*\|[^|]*\|[^|]*\| *$")
_POWER = Shape(r"(\d{1,6})W? +/ +(\d{1,6})W|(\d{1,6})W +/")
_MEMORY = Shape(r"(\d{1,9})MiB +/")
_PERCENT = Shape(r"\| +(\d{1,3})% ")
_PROCESS = Shape(
    r"\| +(\d{1,4}) +(?:(?:N/A|\d+) +(?:N/A|\d+) +)?\d+ +(?:C|M)(?:\+\w)? +(\S(?: *+[^ \n])*?) +(?:\d+MiB|N/A) *\|"
)
_BLOCK = Shape(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]+) *$")
_QUERIED = Shape(r" {8,}([A-Z](?:[\w ]*\w)?) *: (\S(?:.*[^ \n])?) *$")
_SECTION = Shape(r" {4}([A-Z]\S(?: *+[^ \n])*?) *+(?:: .*)?$")
_NUMBER = Shape(r"\[?(\d{1,9}(?:\.\d{1,6})?) ?(?:%|W|MiB)?\]?$")
CSV_NAMES = Shape(
    r"^(?=[^\n]*(?:utilization\.gpu|power\.draw|memory\.used)\b)"
    r"[a-z_.]+(?: \[[\w%]+\])?(?:, ?[a-z_.]+(?: \[[\w%]+\])?)*$",
    8,
)
DMON = Shape(r"^# ?(?:Date +Time +)?gpu +(?! |pid)", 8)  # not pmon, which is by process

_CSV_FIELDS = {
    "utilization.gpu": "percent",
    "utilization.memory": "memory_percent",
    "power.draw": "power_w",
    "power.draw.instant": "power_w",
    "power.limit": "limit_w",
    "enforced.power.limit": "limit_w",
    "memory.used": "memory_mib",
}
_QUERY_FIELDS = {
    ("FB Memory Usage", "Used"): "memory_mib",
    ("Utilization", "Gpu"): "percent",
    ("Utilization", "GPU"): "percent",
    ("Utilization", "Memory"): "memory_percent",
    ("Power Readings", "Power Draw"): "power_w",
    ("Power Readings", "Average Power Draw"): "power_w",
    ("Power Readings", "Instantaneous Power Draw"): "power_w",
    ("Power Readings", "Power Limit"): "limit_w",
    ("Power Readings", "Current Power Limit"): "limit_w",
}


def captured(text: str) -> list[Capture]:
    """The GPUs of each capture, oldest first, whichever form they were printed in."""
    return devices.captures([*_table(text), *_query(text), *_dmon(text), *_csv(text)])


def _table(text: str) -> Iterator[Device]:
    part, found = "", list[Device]()
    for line in lines(text) if TABLE in text else ():
        if not line.text.startswith("|"):
            continue
        if TABLE in line.text[:40]:
            yield from found
            part, found = "gpus", []
        elif line.text.startswith(("| MIG devices:", "| Processes:")):
            part = line.text[2:5]
        elif part == "gpus":
            _gpu_row(line, found)
        elif part == "Pro":
            found = _process_row(line, found)
    yield from found


def _gpu_row(line: Line, found: list[Device]) -> None:
    """Take the first row of a GPU as a new one, and the second as what it does."""
    named = NAME_ROW.match(line.text)
    if named:
        found.append(Device(named[1], line.start))
    elif found and _USE_CELLS.match(line.text) and "/" in line.text:
        power, memory, percent = _POWER.search(line.text), _MEMORY.search(line.text), _PERCENT.search(line.text)
        found[-1] = replace(
            found[-1],
            at=line.start,
            power_w=float(power[1] or power[3]) if power else None,
            limit_w=float(power[2]) if power and power[2] else None,
            memory_mib=float(memory[1]) if memory else None,
            percent=float(percent[1]) if percent else None,
        )


def _process_row(line: Line, found: list[Device]) -> list[Device]:
    if "No running processes found" in line.text:
        return [replace(one, processes=()) for one in found]
    row = _PROCESS.match(line.text)
    if row is None:
        return found
    return [replace(one, processes=(*(one.processes or ()), row[2])) if one.index == row[1] else one for one in found]


def _query(text: str) -> Iterator[Device]:
    section, number, found = "", 0, None
    for line in lines(text) if LOG in text else ():
        if LOG in line.text:
            number = 0
        elif _BLOCK.match(line.text):
            if found:
                yield found
            section, found = "", Device(str(number), line.start)
            number += 1
        elif found and line.text.startswith("    ") and not line.text.startswith("     "):
            head = _SECTION.match(line.text)
            section = head[1].removeprefix("GPU ") if head else section
        elif found:
            found = _queried(line, section, found)
    if found:
        yield found


def _queried(line: Line, section: str, found: Device) -> Device:
    pair = _QUERIED.match(line.text)
    if pair is None:
        return found
    if section == "Processes" and pair[1] == "Name":
        return replace(found, processes=(*(found.processes or ()), pair[2]))
    field, value = _QUERY_FIELDS.get((section, pair[1])), _number(pair[2])
    if field is None or value is None:
        return found
    return _with(found, field, value, line.start if field == "percent" else found.at)


def _dmon(text: str) -> Iterator[Device]:
    columns: list[str] = []
    for line in lines(text) if DMON.search(text) else ():
        words = line.text.split()
        if line.text.startswith("#"):
            names = line.text[1:].split()
            columns = ([] if "pid" in names else names) if "gpu" in names else columns
        elif columns and len(words) == len(columns):
            row = dict(zip(columns, words, strict=True))
            if row["gpu"].isdigit():
                yield Device(
                    row["gpu"],
                    line.start,
                    _number(row.get("sm", "")),
                    _number(row.get("pwr", "")),
                    None,
                    _number(row.get("fb", "")),
                    _number(row.get("mem", "")),
                )


def _csv(text: str) -> Iterator[Device]:
    names: list[str] = []
    numbers: dict[str, str] = {}
    moment, number = "", 0
    for line in lines(text) if CSV_NAMES.search(text) else ():
        cells = [cell.strip() for cell in line.text.split(",")]
        if CSV_NAMES.match(line.text.strip()):
            names, moment, number = [cell.partition(" ")[0] for cell in cells], "", 0
        elif len(cells) == len(names) > 1:
            row = dict(zip(names, cells, strict=True))
            stamp = row.get("timestamp", "")[:19]
            number, moment = (0 if stamp != moment else number), stamp
            name = row.get("uuid") or row.get("pci.bus_id") or f"row {number}"
            device = Device(row.get("index") or numbers.setdefault(name, str(len(numbers))), line.start)
            number += 1
            for name, field in _CSV_FIELDS.items():
                value = _number(row.get(name, ""))
                if value is not None:
                    device = _with(device, field, value, device.at)
            yield device


def _with(device: Device, field: str, value: float, at: int) -> Device:
    return replace(device, at=at, **{field: value})  # type: ignore[arg-type]


def _number(text: str) -> float | None:
    found = _NUMBER.match(text)
    return float(found[1]) if found else None
