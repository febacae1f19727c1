"""Readings of the machine -> accelerators, driver, which NCCL is mapped, which GPUs spin and which idle.

    |   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |        0 |   nvidia-smi
    | N/A   40C    P0            127W /  700W |    1659MiB / 143771MiB |    100%      Default |
    7f8b5d000000-7f8b5d200000 r-xp ... /opt/venv/.../nvidia/nccl/lib/libnccl.so.2                 /proc/PID/maps
      Communicator ranks have different AllGather operation counts                                 ncclras

Facts: `hardware.*`, `component.driver`, `component.nccl` (only from a path or a RAS answer that says it), `maps.nccl`,
`ras.mismatch`; `symptom.rank_busy` and `symptom.rank_idle` together, when among GPUs whose memory is in use one stands
at 100 % and one at 0 %. `dmon` does not say whose memory is in use, so it yields no symptom.

**Source:** driver 580 `nvidia-smi`, `nvidia-smi -q`, `nvidia-smi -L`; NCCL 2.28 `src/ras/client.cc` and
`src/ras/client_support.cc`; `man 5 proc`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence import accelerator
from advisor.evidence.shapes import Shape
from advisor.evidence.sighting import once, sighting
from advisor.model.fact import Artifact, Fact, FactKind

FACTS = (
    FactKind(
        "symptom.rank_busy",
        "bool",
        "a rank or GPU spins at 100 % while another idles",
        "Is one GPU at 100 % while another is at 0 %?",
        "nvidia-smi",
    ),
    FactKind(
        "symptom.rank_idle",
        "bool",
        "a rank or GPU idles while another spins",
        "Is one GPU at 0 % while another is at 100 %?",
        "nvidia-smi",
    ),
    FactKind(
        "maps.nccl",
        "str",
        "the NCCL library file that a process really maps",
        "Which libnccl does each rank map?",
        "grep -o '/[^ ]*libnccl[^ ]*' /proc/PID/maps | sort -u",
    ),
    FactKind(
        "ras.mismatch",
        "str",
        "the operation of which ranks have launched different numbers, says NCCL RAS",
        "Does NCCL RAS report ranks with different operation counts?",
        "ncclras -v (or nc localhost 28028)",
    ),
)

_IN_USE_MIB = 1_000
_BUSY, _IDLE = 95, 1

_NAME_ROW = Shape(r"^\| +(\d+) +(\S.*?)(?: +(?:On|Off|N/A))? *\|.*\|.*\|$", re.M)
_USE_ROW = Shape(r"^\|.*?\| +(\d{1,18})MiB / +\d+MiB \| +(\d{1,18})% ", re.M)
_LISTED = Shape(r"^GPU (\d+): (\S.*?) \(UUID", re.M)  # nvidia-smi -L
_NPU_ROW = Shape(r"^\| +(\d+) +((?:Ascend ?)?[39]\d0\w*) +\|", re.M)
_DRIVER = Shape(r"Driver Version *: (\d[\d.]+)")
_PRODUCT = Shape(r"^ +Product Name +: (\S.*)$", re.M)
_ATTACHED = Shape(r"^Attached GPUs +: (\d{1,18})", re.M)
_BLOCK = Shape(r"^GPU [0-9A-Fa-f:.]+$", re.M)
_Q_USED = Shape(r"FB Memory Usage\s+Total[^\n]*\s+Reserved[^\n]*\s+Used +: (\d{1,18}) MiB")
_Q_UTIL = Shape(r"\n    Utilization\s+G(?:PU|pu) +: (\d{1,18}) %")
_LIBNCCL = Shape(r"(/\S*/libnccl\.so[\d.]*)")
_LIBCUDA = Shape(r"/libcuda\.so\.(\d+\.\d+[\d.]*)")
_RAS_VERSION = Shape(r"^NCCL version (\d+\.\d+\.\d+) compiled", re.M)
_RAS_MISMATCH = Shape(r"ranks have different (\w+) operation counts")


@dataclass(frozen=True, slots=True)
class Use:
    """One GPU's memory in use and utilisation, and where that stands in the text."""

    used_mib: int
    percent: int
    at: int


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """Everything that the reading says."""
    return once([*_accelerators(artifact), *_driver(artifact), *_split(artifact), *_maps(artifact), *_ras(artifact)])


def _accelerators(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text
    table = text.partition("Processes:")[0] if "NVIDIA-SMI" in text else ""
    rows = (
        list(_NAME_ROW.finditer(table))
        or list(_LISTED.finditer(text))
        or (list(_NPU_ROW.finditer(text)) if "npu-smi" in text else [])
    )
    for row in rows:
        yield from accelerator.read(artifact, row[2], row.start())
    for product in _PRODUCT.finditer(text):
        yield from accelerator.read(artifact, product[1], product.start())
    attached = _ATTACHED.search(text)
    if len({row[1] for row in rows}) > 1:  # a single one may be one host of several
        yield sighting(artifact, "hardware.count", len({row[1] for row in rows}), rows[0].start(), rows[-1].end())
    elif attached and int(attached[1]) > 1:
        yield sighting(artifact, "hardware.count", int(attached[1]), attached.start())


def _driver(artifact: Artifact) -> Iterator[Fact]:
    found = _DRIVER.search(artifact.text) or _LIBCUDA.search(artifact.text)
    if found:
        yield sighting(artifact, "component.driver", found[1], found.start())


def _split(artifact: Artifact) -> Iterator[Fact]:
    """One GPU spinning and one idle, both with memory in use: ranks of one deployment, as far as a reading can tell."""
    used = [use for use in _uses(artifact.text) if use.used_mib >= _IN_USE_MIB]
    busy, idle = [use for use in used if use.percent >= _BUSY], [use for use in used if use.percent <= _IDLE]
    if busy and idle:
        yield sighting(artifact, "symptom.rank_busy", True, busy[0].at, notable=True)
        yield sighting(artifact, "symptom.rank_idle", True, idle[0].at, notable=True)


def _uses(text: str) -> Iterator[Use]:
    for row in _USE_ROW.finditer(text):
        yield Use(int(row[1]), int(row[2]), row.start())
    heads = list(_BLOCK.finditer(text)) if "NVSMI LOG" in text else []
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        end = following.start() if following else len(text)
        used, percent = _Q_USED.search(text, head.end(), end), _Q_UTIL.search(text, head.end(), end)
        if used and percent:
            yield Use(int(used[1]), int(percent[1]), percent.start(1))


def _maps(artifact: Artifact) -> Iterator[Fact]:
    for found in _LIBNCCL.finditer(artifact.text):
        yield sighting(artifact, "maps.nccl", found[1], found.start())
        version = re.search(r"\.so\.(\d+\.\d+\.\d+)$", found[1])
        if version:
            yield sighting(artifact, "component.nccl", version[1], found.start())


def _ras(artifact: Artifact) -> Iterator[Fact]:
    for found in _RAS_VERSION.finditer(artifact.text):
        yield sighting(artifact, "component.nccl", found[1], found.start())
    for found in _RAS_MISMATCH.finditer(artifact.text):
        yield sighting(artifact, "ras.mismatch", found[1], found.start())
