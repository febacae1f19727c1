"""ProcessGroupNCCL's watchdog lines -> the collective that did not complete, and how far a rank is in a group.

    [rank0]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog caught collective operation timeout:
        WorkNCCL(SeqNum=126, OpType=BROADCAST, NumelIn=60, NumelOut=60, Timeout(ms)=50000) ran for 50092 milliseconds
    [PG ID 1 PG GUID 2(pp_broadcast) Rank 0]  failure detected by watchdog at work sequence id: 126
        PG status: last enqueued work: 138, last completed work: 125
    [PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 0 ... Last
        enqueued NCCL work: 200, last completed NCCL work: 200.
    [PG ID 1 PG GUID 2(pp_broadcast) Rank 0] Timeout at NCCL work: 126, last enqueued NCCL work: 138, ...

The first of these lines names no group: it is taken from the line of the same rank and sequence number that does. The
number in `[rank0]:` is the rank in the world, the one in `Rank 0]` the rank in the group. A line without `[rank0]:`,
such as the `what():` of an abort, is of the rank that bears its mark elsewhere; where several do, of none. Nothing is
yielded where no watchdog spoke; that says nothing about whether a collective is stuck.

**Source:** PyTorch 2.4 to 2.11 `torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.evidence.lines import INNER, head_length, line_around, occurrences, rank_in
from advisor.evidence.sighting import span_of
from advisor.model.collective import Collective, GroupStatus
from advisor.model.fact import Artifact
from advisor.model.shape import Shape

CAUGHT = "Watchdog caught collective operation timeout"
# [PG ID 8 PG GUID 85(pp_broadcast) Rank 3], [PG 2 Rank 3], [PG ID 0 PG GUID 0(default_pg) Rank 1]
GROUP = Shape(r"\[PG (?:ID )?(\w+)(?: PG GUID (\w+))? ?(?:\(([^)\n]{0,400})\))? ?Rank (\w+)\]")
WORK = Shape(
    r"Work[NHX]CCL\(SeqNum=(\d{1,18}), OpType=(\w+), NumelIn=(\d{1,18})(?:, NumelOut=\d+)?, Timeout\(ms\)=(\d{1,18})\)"
)
_WORLD = Shape(r"\[rank(\d{1,6})\]")
_PLACE = Shape(r"\[Rank (\d+)\]")
STATUS = Shape(
    r"ast enqueued (?:NCCL )?work: (-?\d{1,18})(?:, last started (?:NCCL )?work: (-?\d{1,18}))?"
    r", last completed (?:NCCL )?work: (-?\d{1,18})"
)
MARKS = (CAUGHT, "[PG ", "ast enqueued ")
_AT = Shape(r"(?:at work sequence id|at NCCL work|by watchdog at work): (\d{1,18})")
_LONGEST = 4_000
_HEAD = 400  # characters of a line before its mark
_MAX = 1_000


def read(artifact: Artifact) -> tuple[tuple[Collective, ...], tuple[GroupStatus, ...]]:
    """The collectives that timed out and the last status of each group, of each rank that spoke."""
    bearers = _bearers(artifact.text)
    statuses: dict[tuple[str, str, str], GroupStatus] = {}
    failed: dict[tuple[str, int], GroupStatus] = {}
    for status, seq in _statuses(artifact, bearers):
        statuses[status.rank, status.group, status.guid] = status
        if seq is not None:
            failed.setdefault((status.rank, seq), status)
    caught: dict[tuple[str, str, str, int], Collective] = {}
    for one in _caught(artifact, bearers, failed):
        caught.setdefault((one.rank, one.group, one.guid, one.seq), one)
    return tuple(caught.values()), tuple(statuses.values())


def _bearers(text: str) -> dict[tuple[str, str], set[str]]:
    """(group's number, rank in it) -> the ranks in the world that bear it, as the lines that say both tell."""
    found: dict[tuple[str, str], set[str]] = {}
    for count, at in enumerate(occurrences(text, "[PG ")):
        if count > 10 * _MAX:
            break
        head = text[max(0, at - _HEAD) : at].rpartition("\n")[2].rpartition(INNER)[2]
        mark, world = GROUP.match(text, at), _WORLD.search(head)
        if mark and world:
            found.setdefault(_mark(mark), set()).add(world[1])
    return found


def _mark(mark: re.Match[str]) -> tuple[str, str]:
    return mark[2] or mark[1], mark[4]


def _caught(
    artifact: Artifact, bearers: Mapping[tuple[str, str], set[str]], failed: dict[tuple[str, int], GroupStatus]
) -> Iterator[Collective]:
    text = artifact.text
    for count, at in enumerate(occurrences(text, CAUGHT)):
        work = WORK.search(text, at, at + 400)
        if count > _MAX:
            return
        if work is None:
            continue
        group, guid, rank = _whose(artifact, bearers, at)
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


def _statuses(
    artifact: Artifact, bearers: Mapping[tuple[str, str], set[str]]
) -> Iterator[tuple[GroupStatus, int | None]]:
    """The status and, where the line names one, the collective that failed."""
    text = artifact.text
    for count, at in enumerate(occurrences(text, "ast enqueued ")):
        found = STATUS.match(text, at)
        if count > _MAX:
            return
        if found is None:
            continue
        group, guid, rank = _whose(artifact, bearers, at)
        if not group:
            continue
        enqueued, started, completed = (int(one) if one and int(one) >= 0 else None for one in found.groups())
        seq = _AT.search(text, max(line_around(text, at).start, at - 200), at)
        status = GroupStatus(rank, group, enqueued, started, completed, span=span_of(artifact, at), guid=guid)
        yield status, int(seq[1]) if seq else None


def _whose(artifact: Artifact, bearers: Mapping[tuple[str, str], set[str]], at: int) -> tuple[str, str, str]:
    """The group, its number on all ranks and the rank that the line around `at` names before it."""
    row = line_around(artifact.text, at)
    start = max(row.start, at - _LONGEST)
    named = list(GROUP.finditer(artifact.text, start, at))
    place = list(_PLACE.finditer(artifact.text, start, at))
    head = row.text[:_LONGEST]
    rank = rank_in(head[: head_length(head)]) or artifact.rank
    if named:
        name, desc = named[-1][2] or named[-1][1], named[-1][3] or ""
        group = desc if desc and desc != "undefined" else name
        if not rank:
            known = bearers.get(_mark(named[-1]), set())
            is_world = not bearers or group == "default_pg"
            rank = next(iter(known)) if len(known) == 1 else named[-1][4] if is_world else ""
        return group, named[-1][2] or "", rank
    return "", "", rank or (place[-1][1] if place else "")
