"""Devices as a tool showed them at one moment -> loads, which of them spin and which idle.

Every reader of such a tool (`nvidia_smi`, `rocm_smi`, `npu_smi`) hands its captures over in this one shape.

Facts: `device.spin` of a busy device whose power and power limit are both shown; `symptom.rank_busy` and
`symptom.rank_idle` together, when of the devices that work for somebody one stands at 100 % and one at 0 %, and,
where there are several captures, in the last two of them. No facts: nothing stands out, or what would show it is not
printed.

A busy device spins when it draws below 25 % of its limit, or below 35 % where its memory is shown to be idle (1 % or
less); it computes from 50 % on, or where its memory is shown to be busy (5 % or more). Between these nothing is said:
a small model decodes at a third of the limit. Seen on H200 of 700 W, all of them at 99 to 100 %: waiting in a
collective 121 to 127 W, memory 0 %; chains of matrix products as in decoding, with a hidden size of 1024 153 W, 7 %;
of 2048 233 W, 28 %; of 4096 313 W, 49 %; large products 690 W, 24 %. Kernels smaller than any served model (512)
cannot be told from a wait.

**Source:** that a collective waits in a kernel that polls memory: NCCL 2.28.9 `src/device/prims_simple.h`
(`waitPeer`); the figures: driver 580.159.04, measured 2026-11-29; a hang at 118 W of 400 W with idle memory:
https://github.com/NVIDIA/nccl/issues/2428 (read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.evidence.lines import rank_in
from advisor.evidence.sighting import sighting, span_of
from advisor.model.collective import GroupStatus, Utilisation
from advisor.model.fact import Artifact, Fact, FactKind, Note
from advisor.model.late import dataclass

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
        "device.spin",
        "bool",
        "a GPU counts as fully busy and draws so little power that it waits rather than computes",
        "Does a GPU at 100 % draw less than about a quarter of its power limit?",
        "nvidia-smi --query-gpu=index,utilization.gpu,power.draw,power.limit,memory.used --format=csv",
    ),
)

IN_USE_MIB = 1_000
BUSY, IDLE = 95, 1
SPIN_BELOW, SPIN_BELOW_WITH_IDLE_MEMORY, COMPUTES_FROM = 0.25, 0.35, 0.50
MEMORY_IDLE, MEMORY_BUSY = 1, 5
MAX_CAPTURES = 200


@dataclass(frozen=True, slots=True)
class Device:
    """One device at one moment. `at` is where it stands in the text; None is what was not shown.

    `processes` are the names of those that compute on it, () when the tool says that there are none it can see.
    `memory_percent` is how busy the memory is, not how full; `rest_mib` is the memory that is taken while nobody
    works, `at_work` what the tool shows of that in another way.
    """

    index: str
    at: int
    percent: float | None = None
    power_w: float | None = None
    limit_w: float | None = None
    memory_mib: float | None = None
    memory_percent: float | None = None
    processes: tuple[str, ...] | None = None
    rest_mib: float = 0
    at_work: bool | None = None

    @property
    def rank(self) -> str:
        """The rank that a process on it names, else the index; whether that is a rank, one reading cannot say."""
        return self.served or self.index

    @property
    def served(self) -> str | None:
        """The rank that a process on it names (`VLLM::Worker_TP1`): one device serves one rank."""
        names = {rank_in(name) for name in self.processes or ()} - {None}
        return names.pop() if len(names) == 1 else None

    @property
    def in_use(self) -> bool:
        """Whether it works for somebody: by its memory where that is shown, for a container does not see processes."""
        if self.at_work is not None:
            return self.at_work
        if self.memory_mib is not None:
            return self.memory_mib >= self.rest_mib + IN_USE_MIB
        return bool(self.processes)

    @property
    def is_busy(self) -> bool:
        return self.percent is not None and self.percent >= BUSY

    @property
    def is_idle(self) -> bool:
        return self.percent is not None and self.percent <= IDLE


Capture = tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one artifact of a machine says."""

    facts: tuple[Fact, ...] = ()
    loads: tuple[Utilisation, ...] = ()
    statuses: tuple[GroupStatus, ...] = ()
    notes: tuple[Note, ...] = ()


def captures(devices: Iterable[Device]) -> list[Capture]:
    """Devices in the order printed, parted where an index comes again."""
    found: list[Capture] = []
    current: dict[str, Device] = {}
    for device in devices:
        if device.index in current:
            found.append(tuple(current.values()))
            current = {}
        current[device.index] = device
    return [*found, tuple(current.values())] if current else found


def loads(artifact: Artifact, seen: Sequence[Capture]) -> tuple[Utilisation, ...]:
    """Each device of the last MAX_CAPTURES captures, oldest first."""
    return tuple(
        Utilisation(one.rank, one.percent, one.power_w, one.limit_w, one.memory_mib, span_of(artifact, one.at))
        for capture in seen[-MAX_CAPTURES:]
        for one in capture
        if (one.percent, one.power_w, one.memory_mib) != (None, None, None)
    )


def judge(artifact: Artifact, seen: Sequence[Capture]) -> Iterator[Fact]:
    """What the captures show together."""
    if seen:
        yield from _split(artifact, seen[-2:])
        yield from _spins(artifact, seen[-1])


def notes(artifact: Artifact, seen: Sequence[Capture]) -> tuple[Note, ...]:
    """What was left out."""
    if len(seen) <= MAX_CAPTURES:
        return ()
    return (
        Note(
            "limit", f"of {len(seen)} captures only the last {MAX_CAPTURES} were kept", span_of(artifact, seen[0][0].at)
        ),
    )


def _split(artifact: Artifact, last: Sequence[Capture]) -> Iterator[Fact]:
    """One device spinning and one idle, both at work: ranks of one deployment, as far as a reading can tell."""
    busy = [one for one in last[-1] if one.in_use and one.is_busy]
    idle = [one for one in last[-1] if one.in_use and one.is_idle]
    for before in last[:-1]:
        steady = {(one.index, one.is_busy, one.is_idle) for one in before}
        busy = [one for one in busy if (one.index, True, False) in steady]
        idle = [one for one in idle if (one.index, False, True) in steady]
    if busy and idle:
        yield sighting(artifact, "symptom.rank_busy", True, busy[0].at, notable=True).but(rank=busy[0].served)
        yield sighting(artifact, "symptom.rank_idle", True, idle[0].at, notable=True).but(rank=idle[0].served)


def _spins(artifact: Artifact, capture: Capture) -> Iterator[Fact]:
    for one in capture:
        waits = spins(one)
        if waits is not None:
            memory = f", its memory {one.memory_percent:g} %" if one.memory_percent is not None else ""
            means = "a kernel that waits, as NCCL's do" if waits else "it computes"
            share = f"{(one.power_w or 0) / (one.limit_w or 1):.0%} of its limit"
            power = f"{one.power_w:g} W of {one.limit_w:g} W ({share})"
            told = f"GPU {one.index} is {one.percent:g} % busy{memory}, at {power}: {means}"
            found = sighting(artifact, "device.spin", waits, one.at, why=told)
            yield found.but(rank=one.served, origin="derived")


def spins(one: Device) -> bool | None:
    """Whether a busy device waits rather than computes; None when it is not busy, or when this cannot be told."""
    if not one.is_busy or one.power_w is None or not one.limit_w:
        return None
    share, memory = one.power_w / one.limit_w, one.memory_percent
    if share >= COMPUTES_FROM or (memory is not None and memory >= MEMORY_BUSY):
        return False
    idle_memory = memory is not None and memory <= MEMORY_IDLE
    below = SPIN_BELOW_WITH_IDLE_MEMORY if idle_memory else SPIN_BELOW
    return True if share < below and (memory is None or idle_memory) else None
