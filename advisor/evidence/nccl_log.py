"""NCCL's and ProcessGroupNCCL's lines -> which collective did not complete, and which NCCL ran.

    [rank0]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog caught collective operation timeout:
        WorkNCCL(SeqNum=126, OpType=BROADCAST, NumelIn=60, NumelOut=60, Timeout(ms)=50000) ran for 50092 milliseconds
    [PG ID 1 PG GUID 2(pp_broadcast) Rank 0]  failure detected by watchdog at work sequence id: 126
        PG status: last enqueued work: 138, last completed work: 125
    node-a:643:643 [0] NCCL INFO NCCL version 2.28.9+cuda13.0
    node-a:643:900 [0] NCCL INFO comm 0x5591 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0

Facts: `collective.*`, `symptom.watchdog`, `symptom.hang`, `symptom.timeout`, `component.nccl`, `hardware.vendor`, and
`hardware.nodes` of a communicator that spans several (one within a host says nothing). A group named in other lines (a
rank that was told to dump) is not the group that failed. No facts: no watchdog spoke and NCCL did not introduce itself.

**Source:** PyTorch 2.11 `torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp` and `NCCLUtils.cpp`; NCCL 2.28 `src/init.cc`
(`VERSION_STRING`).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence.lines import line_around, occurrences
from advisor.evidence.sighting import once, sighting
from advisor.evidence.watchdog import CAUGHT, GROUP, STATUS, WORK
from advisor.model.fact import Artifact, Fact, FactKind
from advisor.model.shape import Shape

_FAILED = "failure detected by watchdog at work sequence id"
_STUCK = ("Heartbeat monitor timed out", "watchdog got stuck for")
_NAMED = ("NCCL version ", "using nccl==")
MARKS = (CAUGHT, _FAILED, *_STUCK, *_NAMED, " nNodes ")
_VERSION = Shape(r"(?:NCCL version |using nccl==)(\d+\.\d+(?:\.\d+)?)")
_NODES = Shape(r"nRanks \d{1,9} nNodes (\d{1,6}) localRanks ")
_AFTER = Shape(r": (\d{1,18})")
_MAX = 1_000

FACTS = (
    FactKind(
        "collective.group",
        "str",
        "the process group whose collective did not complete",
        "Which process group does the NCCL watchdog name?",
        "grep -h 'failure detected by watchdog' LOG of every rank",
    ),
    FactKind(
        "collective.op",
        "str",
        "the kind of collective that did not complete",
        "Which OpType does the NCCL watchdog report?",
        "grep -ho 'OpType=[A-Z_]*' LOG of every rank",
    ),
    FactKind(
        "collective.numel",
        "int",
        "the number of elements this rank put into it",
        "Which NumelIn does the NCCL watchdog report?",
        "grep -ho 'NumelIn=[0-9]*' LOG of every rank",
    ),
    FactKind(
        "collective.timeout_ms",
        "int",
        "after how many milliseconds the watchdog gave up",
        "Which Timeout(ms) does the NCCL watchdog report?",
        "grep -ho 'Timeout(ms)=[0-9]*' LOG of every rank",
    ),
    FactKind(
        "collective.rank",
        "str",
        "the rank, within its group, whose watchdog spoke",
        "Which rank's NCCL watchdog fired?",
        "grep -l 'Watchdog caught collective' LOG of every rank",
    ),
    FactKind(
        "collective.seq",
        "int",
        "the sequence number of the collective within its group",
        "Which SeqNum does the NCCL watchdog report?",
        "grep -ho 'SeqNum=[0-9]*' LOG of every rank",
    ),
    FactKind(
        "collective.last_enqueued",
        "int",
        "the last collective this rank had enqueued in that group",
        "What is the last enqueued work of each rank?",
        "grep -h 'last enqueued work' LOG of every rank",
    ),
    FactKind(
        "collective.last_completed",
        "int",
        "the last collective this rank had completed in that group",
        "What is the last completed work of each rank?",
        "grep -h 'last completed work' LOG of every rank",
    ),
    FactKind(
        "component.nccl",
        "str",
        "the NCCL version that ran",
        "Which NCCL does the process load?",
        "grep -h 'NCCL version' LOG, or grep -h libnccl /proc/PID/maps",
    ),
)


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """The facts in NCCL's and the process group's own lines."""
    return once(
        [*_timeouts(artifact), *_failures(artifact), *_stuck(artifact), *_versions(artifact), *_nodes(artifact)]
    )


def _timeouts(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text
    for count, at in enumerate(occurrences(text, CAUGHT)):
        if count > _MAX:
            return
        row = line_around(text, at)
        for name in ("symptom.watchdog", "symptom.hang", "symptom.timeout"):
            yield sighting(artifact, name, True, at, row.end, notable=True)
        work = WORK.search(text, at, at + 400)
        if work:
            values = {"seq": int(work[1]), "op": work[2], "numel": int(work[3]), "timeout_ms": int(work[4])}
            for short, value in values.items():
                yield sighting(artifact, f"collective.{short}", value, at, row.end)
        yield from _group(artifact, row.start, at)


def _failures(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text
    for count, at in enumerate(occurrences(text, _FAILED)):
        if count > _MAX:
            return
        yield from _group(artifact, line_around(text, at).start, at)
        number = _AFTER.match(text, at + len(_FAILED))
        if number:
            yield sighting(artifact, "collective.seq", int(number[1]), at)
        status = STATUS.search(text, at, at + 300)
        if status:
            yield sighting(artifact, "collective.last_enqueued", int(status[1]), status.start())
            yield sighting(artifact, "collective.last_completed", int(status[3]), status.start())


def _group(artifact: Artifact, start: int, at: int) -> Iterator[Fact]:
    """The group named nearest before `at` on its line."""
    named = list(GROUP.finditer(artifact.text, max(start, at - 600), at))
    if named:
        if named[-1][3]:
            yield sighting(artifact, "collective.group", named[-1][3], named[-1].start())
        yield sighting(artifact, "collective.rank", named[-1][4], named[-1].start())


def _stuck(artifact: Artifact) -> Iterator[Fact]:
    for mark in _STUCK:
        for at in occurrences(artifact.text, mark):
            for name in ("symptom.watchdog", "symptom.hang"):
                yield sighting(artifact, name, True, at, notable=True)
            break


def _versions(artifact: Artifact) -> Iterator[Fact]:
    for mark in _NAMED:
        for count, at in enumerate(occurrences(artifact.text, mark)):
            if count > _MAX:
                break
            found = _VERSION.match(artifact.text, at)
            if found and "compiled with NCCL version" not in artifact.text[max(0, at - 14) : at + 13]:
                yield sighting(artifact, "component.nccl", found[1], at)
                if artifact.text.startswith("+cuda", found.end()):
                    yield sighting(artifact, "hardware.vendor", "nvidia", at, why="a CUDA build of NCCL")


def _nodes(artifact: Artifact) -> Iterator[Fact]:
    """Over how many machines the widest communicator spans."""
    widest = 1, 0
    for count, at in enumerate(occurrences(artifact.text, " nNodes ")):
        found = _NODES.search(artifact.text, max(0, at - 20), at + 40)
        if count > _MAX:
            break
        if found and int(found[1]) > widest[0]:
            widest = int(found[1]), at
    if widest[0] > 1:
        yield sighting(artifact, "hardware.nodes", widest[0], widest[1])
