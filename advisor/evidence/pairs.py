"""Sends and receives of pipelines -> a transfer that one side posted and the other never did.

    rank 1: recv 1<-0 scheduled        rank 0: no send 0->1 that is not complete        -> rank 0 never sent it

Point-to-point operations are counted per rank, not per pair, so they are paired by what is not complete: a send may
complete alone, but a receive that waits while its sender waits with nothing has no partner. Sources and destinations
are ranks within the group. Nothing is said of a peer whose dump is not here, nor of one whose watchdog saw a transfer
time out: it does not say with whom. Files of several jobs (`origins`) are paired job by job.

**Source:** PyTorch 2.11 `torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp` (`pointToPoint`), 2.13
`torch/distributed/flight_recorder/components/types.py` (`Op`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from advisor.evidence.origins import origins
from advisor.evidence.ranks import Ranks
from advisor.model.collective import Collective
from advisor.model.late import dataclass
from advisor.model.posted import Column
from advisor.model.shape import Shape

_OP = Shape(r"(send|recv) (\d{1,6})(?:->|<-)(\d{1,6})$")


@dataclass(frozen=True)
class Alone:
    """A transfer that `rank` waits in and `peer` never posted its side of."""

    one: Collective
    rank: str
    peer: str
    sends: bool


def alone(
    collectives: Iterable[Collective | Column], members: Mapping[tuple[str, str, str], tuple[str, ...]], ranks: Ranks
) -> Iterator[Alone]:
    """The first transfer between each two ranks that has one side only."""
    collectives = list(collectives)
    origin = origins(collectives, ranks)
    doubted = {(job, rank, group) for job, rank, group, _ in origin.disputed}
    seen: set[tuple[str, str, str]] = set()
    waiting: dict[tuple[str, str, str, str, bool], list[Collective]] = {}
    for one in (each for some in collectives for each in (some.telling() if isinstance(some, Column) else (some,))):
        if one.state == "completed" and not one.is_transfer:
            continue
        rank, job = ranks.of(one.rank), origin.job(one)
        seen.add((job, rank, one.group))
        if one.is_transfer:
            sides = _sides(one, members.get((rank, one.group, one.guid), ()))
            if sides is None:
                doubted.add((job, rank, one.group))
            elif one.state in ("scheduled", "started"):
                waiting.setdefault((job, one.group, *sides, one.op.startswith("send")), []).append(one)
    seen -= doubted
    for (job, group, source, target, sends), mine in waiting.items():
        rank, peer = (source, target) if sends else (target, source)
        theirs = waiting.get((job, group, source, target, not sends), [])
        if len(mine) > len(theirs) and (job, peer, group) in seen and (job, rank, group) not in doubted:
            yield Alone(mine[len(theirs)], rank, peer, sends)


def _sides(one: Collective, members: tuple[str, ...]) -> tuple[str, str] | None:
    """Who sends and who receives, as ranks of the world."""
    found = _OP.match(one.op)
    if found is None:
        return None
    left, right = (_global(int(number), members) for number in (found[2], found[3]))
    return (left, right) if found[1] == "send" else (right, left)


def _global(number: int, members: tuple[str, ...]) -> str:
    return members[number] if number < len(members) else str(number)
