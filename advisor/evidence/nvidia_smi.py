"""`nvidia-smi` in any of its forms -> accelerators, driver, how busy each GPU is and who works on it.

    |   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |        0 |   the table, once or over and over
    | N/A   40C    P0            127W /  700W |    1659MiB / 143771MiB |    100%      Default |
    |    0   N/A  N/A             946      C   VLLM::Worker_TP0                    1942MiB |
    GPU 00000000:00:06.0                                                              nvidia-smi -q
            Current Power Limit                            : 700.00 W
    GPU 0: NVIDIA H200 (UUID: GPU-0a1b)                                               nvidia-smi -L
    # gpu    pwr  gtemp  mtemp     sm    mem                                          nvidia-smi dmon
        0    121     41     41    100      0
    index, utilization.gpu [%], power.draw [W], power.limit [W]                       --query-gpu=… --format=csv
    0, 100 %, 121.98 W, 700.00 W

Facts: `hardware.accelerator`, `.vendor`, `.arch`, `.count` (when there are several), `component.driver`, and those of
`devices`. `dmon` shows no power limit and, but for `-s m`, not whose memory is in use, so it yields loads and no
symptom. A CSV without its header does not say which column is which: it is said to be unknown. `N/A`, `ERR!` and
`[Not Supported]` are not zero: they are not known. `topo -m` is known and says nothing of these. Empty: no GPU row was
found.

**Source:** `nvidia-smi`, `-q`, `-L`, `dmon` and `--query-gpu` of driver 580.159.04 on two H200; tables of drivers 470
to 570 in reports; `nvidia-smi --help-query-gpu`, https://docs.nvidia.com/deploy/nvidia-smi/index.html (read
2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence import accelerator, devices
from advisor.evidence.devices import Capture, Reading
from advisor.evidence.lines import lines
from advisor.evidence.nvidia_forms import CSV_NAMES, DMON, LOG, NAME_ROW, TABLE, TOPOLOGY, captured
from advisor.evidence.sighting import once, sighting, span_of
from advisor.model.fact import Artifact, Fact, Note
from advisor.model.shape import Shape

_DRIVER = Shape(r"Driver Version *: (\d{1,4}\.\d[\d.]*)")
_LISTED = Shape(r"GPU (\d{1,4}): (\S.*?) \(UUID: ?GPU-")
_LISTED_ANY = Shape(r"^GPU \d{1,4}: \S.* \(UUID: ?GPU-", 8)  # re.M
_PRODUCT = Shape(r" +Product Name +: (\S(?:.*[^ \n])?) *$")
_ATTACHED = Shape(r"Attached GPUs +: (\d{1,5})")
_CSV_BARE = Shape(r"^\d{1,3}, (?:[^,\n]{1,80}, )*\d{1,3} %(?:, |$)", 8)
_FAILED = Shape(
    r"NVIDIA-SMI has failed because|Failed to initialize NVML|Unable to determine the device handle|"
    r"No devices were found"
)


def mine(text: str) -> bool:
    """Whether this is a reading of nvidia-smi, by its first and last 64 KiB."""
    head = text if len(text) <= 131072 else text[:65536] + "\n" + text[-65536:]
    return (
        LOG in head[:400]
        or TOPOLOGY in head
        or "\n| NVIDIA-SMI " in "\n" + head
        or any(shape.search(head) for shape in (DMON, _LISTED_ANY, CSV_NAMES, _CSV_BARE, _FAILED))
    )


def read(artifact: Artifact) -> Reading:
    """Everything that the reading says."""
    seen = captured(artifact.text)
    facts = once([*_hardware(artifact, seen), *_driver(artifact), *devices.judge(artifact, seen)])
    return Reading(facts, devices.loads(artifact, seen), (), (*devices.notes(artifact, seen), *_notes(artifact, seen)))


def _hardware(artifact: Artifact, seen: list[Capture]) -> Iterator[Fact]:
    numbers: dict[str, int] = {}
    for number, name, at in _names(artifact.text):
        yield from accelerator.read(artifact, name, at)
        if number:
            numbers.setdefault(number, at)
    attached = _ATTACHED.search(artifact.text)
    if attached and int(attached[1]) > 1:
        yield sighting(artifact, "hardware.count", int(attached[1]), attached.start())
    elif len(numbers) > 1:  # a single one may be one host of several
        places = list(numbers.values())
        yield sighting(artifact, "hardware.count", len(numbers), places[0], places[-1] + 1)


def _names(text: str) -> Iterator[tuple[str, str, int]]:
    """Number, name and place of each GPU that the text names; the number is empty where `-q` gives none."""
    part, names = "", list[str]()
    for line in lines(text):
        row = line.text
        if row.startswith("|"):
            part = "gpus" if TABLE in row[:40] else "" if row.startswith(("| MIG dev", "| Processes:")) else part
            found = NAME_ROW.match(row) if part else None
        else:
            found = _LISTED.match(row)
        product = _PRODUCT.match(row) if found is None else None
        if found:
            yield found[1], found[2], line.start
        elif product:
            yield "", product[1], line.start
        elif CSV_NAMES.match(row):
            names = [cell.strip().partition(" ")[0] for cell in row.split(",")]
        elif "name" in names and row.count(",") == len(names) - 1:
            cells = dict(zip(names, (cell.strip() for cell in row.split(",")), strict=True))
            yield cells.get("index", ""), cells["name"], line.start


def _driver(artifact: Artifact) -> Iterator[Fact]:
    found = _DRIVER.search(artifact.text)
    if found:
        yield sighting(artifact, "component.driver", found[1], found.start())


def _notes(artifact: Artifact, seen: list[Capture]) -> Iterator[Note]:
    text = artifact.text
    failed = _FAILED.search(text)
    if failed:
        yield Note(
            "hint", f"nvidia-smi itself failed: {artifact.line_at(failed.start())}", span_of(artifact, failed.start())
        )
    lost = next((one for capture in seen for one in capture if "ERR!" in artifact.line_at(one.at)), None)
    if lost:
        yield Note("hint", f"nvidia-smi shows ERR! for GPU {lost.index}: it cannot be read", span_of(artifact, lost.at))
    bare = _CSV_BARE.search(text) if not CSV_NAMES.search(text) else None
    if bare and not seen:
        yield Note(
            "unreadable",
            "columns of nvidia-smi without their header: which is which is not known (leave out noheader)",
            span_of(artifact, bare.start()),
        )
    elif not (seen or failed or TOPOLOGY in text or _LISTED_ANY.search(text)):
        yield Note(
            "unreadable", "a reading of nvidia-smi in a layout not known here, or cut short", span_of(artifact, 0)
        )
