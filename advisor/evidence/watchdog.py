"""ProcessGroupNCCL's watchdog lines -> the collective that did not complete, and how far a rank is in a group.

    [rank0]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog caught collective operation timeout:
        WorkNCCL(SeqNum=126, OpType=BROADCAST, NumelIn=60, NumelOut=60, Timeout(ms)=50000) ran for 50092 milliseconds
    [PG ID 1 PG GUID 2(pp_broadcast) Rank 0]  failure detected by watchdog at work sequence id: 126
        PG status: last enqueued work: 138, last completed work: 125
    [PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 0 ... Last
        enqueued NCCL work: 200, last completed NCCL work: 200.
    [PG ID 1 PG GUID 2(pp_broadcast) Rank 0] Timeout at NCCL work: 126, last enqueued NCCL work: 138, ...

The first of these lines names no group: it is taken from the line of the same rank and sequence number that does. The
number in `[rank0]:` is the rank in the world, the one in `Rank 0]` the rank in the group. Nothing is yielded where no
watchdog spoke; that says nothing about whether a collective is stuck.

**Source:** PyTorch 2.4 to 2.11 `torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp`.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence.lines import line_around, occurrences, rank_of
from advisor.evidence.shapes import Shape
from advisor.evidence.sighting import span_of
from advisor.model.collective import Collective, GroupStatus
from advisor.model.fact import Artifact

CAUGHT = "Watchdog caught collective operation timeout"
# [PG ID 8 PG GUID 85(pp_broadcast) Rank 3], [PG 2 Rank 3], [PG ID 0 PG GUID 0(default_pg) Rank 1]
_GROUP = Shape(r"\[PG (?:ID )?(\w+)(?: PG GUID (\w+))? ?(?:\(([^)\n]*)\))? ?Rank (\w+)\]")
_WORK = Shape(
    r"Work[NHX]CCL\(SeqNum=(\d{1,18}), OpType=(\w+), NumelIn=(\d{1,18})(?:, NumelOut=\d+)?, Timeout\(ms\)=(\d{1,18})\)"
)
_PLACE = Shape(r"\[Rank (\d+)\]")
_STATUS = Shape(
    r"ast enqueued (?:NCCL )?work: (-?\d{1,18})(?:, last started (?:NCCL )?work: (-?\d{1,18}))?"
    r", last completed (?:NCCL )?work: (-?\d{1,18})"
)
_AT = Shape(r"(?:at work sequence id|at NCCL work|by watchdog at work): (\d{1,18})")
_LONGEST = 4_000
_MAX = 1_000


def read(artifact: Artifact) -> tuple[tuple[Collective, ...], tuple[GroupStatus, ...]]:
    """The collectives that timed out and the last status of each group, of each rank that spoke."""
    statuses: dict[tuple[str, str, str], GroupStatus] = {}
    failed: dict[tuple[str, int], GroupStatus] = {}
    for status, seq in _statuses(artifact):
        statuses[status.rank, status.group, status.guid] = status
        if seq is not None:
            failed.setdefault((status.rank, seq), status)
    caught: dict[tuple[str, str, str, int], Collective] = {}
    for one in _caught(artifact, failed):
        caught.setdefault((one.rank, one.group, one.guid, one.seq), one)
    return tuple(caught.values()), tuple(statuses.values())


def _caught(artifact: Artifact, failed: dict[tuple[str, int], GroupStatus]) -> Iterator[Collective]:
    text = artifact.text
    for count, at in enumerate(occurrences(text, CAUGHT)):
        work = _WORK.search(text, at, at + 400)
        if count > _MAX:
            return
        if work is None:
            continue
        group, guid, rank = _whose(artifact, at)
        seq = int(work[1])
        if not group and (rank, seq) in failed:
            group, guid = failed[rank, seq].group, failed[rank, seq].guid
        yield Collective(
            rank,
            group,
            seq,
            work[2].lower(),
            (int(work[3]),),
            state="timed_out",
            span=span_of(artifact, at, work.end()),
            guid=guid,
        )


def _statuses(artifact: Artifact) -> Iterator[tuple[GroupStatus, int | None]]:
    """The status and, where the line names one, the collective that failed."""
    text = artifact.text
    for count, at in enumerate(occurrences(text, "ast enqueued ")):
        found = _STATUS.match(text, at)
        if count > _MAX:
            return
        if found is None:
            continue
        group, guid, rank = _whose(artifact, at)
        if not group:
            continue
        enqueued, started, completed = (int(one) if one and int(one) >= 0 else None for one in found.groups())
        seq = _AT.search(text, max(line_around(text, at).start, at - 200), at)
        status = GroupStatus(rank, group, enqueued, started, completed, span=span_of(artifact, at), guid=guid)
        yield status, int(seq[1]) if seq else None


def _whose(artifact: Artifact, at: int) -> tuple[str, str, str]:
    """The group, its number on all ranks and the rank that the line around `at` names before it."""
    row = line_around(artifact.text, at)
    start = max(row.start, at - _LONGEST)
    named = list(_GROUP.finditer(artifact.text, start, at))
    place = list(_PLACE.finditer(artifact.text, start, at))
    rank = rank_of(row.text[:_LONGEST]) or artifact.rank
    if named:
        name, desc = named[-1][2] or named[-1][1], named[-1][3] or ""
        group = desc if desc and desc != "undefined" else name
        return group, named[-1][2] or "", rank or named[-1][4]
    return "", "", rank or (place[-1][1] if place else "")
