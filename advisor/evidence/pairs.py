"""Sends and receives of pipelines -> a transfer that one side posted and the other never did.

    rank 1: recv 1<-0 scheduled        rank 0: no send 0->1 that is not complete        -> rank 0 never sent it

Point-to-point operations are counted per rank, not per pair, so they are paired by what is not complete: a send may
complete alone, but a receive that waits while its sender waits with nothing has no partner. Sources and destinations
are ranks within the group. Nothing is said of a peer whose dump is not here.

**Source:** PyTorch 2.11 `torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp` (`pointToPoint`), 2.13
`torch/distributed/flight_recorder/components/types.py` (`Op`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.evidence.ranks import Ranks
from advisor.model.collective import Collective

_OP = re.compile(r"(send|recv) (\d{1,6})(?:->|<-)(\d{1,6})$")


@dataclass(frozen=True)
class Alone:
    """A transfer that `rank` waits in and `peer` never posted its side of."""

    one: Collective
    rank: str
    peer: str
    sends: bool


def alone(
    collectives: Iterable[Collective], members: Mapping[tuple[str, str], tuple[str, ...]], ranks: Ranks
) -> Iterator[Alone]:
    """The first transfer between each two ranks that has one side only."""
    seen: set[tuple[str, str]] = set()
    waiting: dict[tuple[str, str, str, bool], list[Collective]] = {}
    for one in collectives:
        if one.op[:5] not in ("send ", "recv "):
            if one.state != "completed":
                seen.add((ranks.of(one.rank), one.group))
            continue
        rank = ranks.of(one.rank)
        seen.add((rank, one.group))
        sides = _sides(one, members.get((rank, one.group), ()))
        if sides and one.state in ("scheduled", "started"):
            waiting.setdefault((one.group, *sides, one.op.startswith("send")), []).append(one)
    for (group, source, target, sends), mine in waiting.items():
        peer = target if sends else source
        theirs = waiting.get((group, source, target, not sends), [])
        if len(mine) > len(theirs) and (peer, group) in seen:
            yield Alone(mine[len(theirs)], source if sends else target, peer, sends)


def _sides(one: Collective, members: tuple[str, ...]) -> tuple[str, str] | None:
    """Who sends and who receives, as ranks of the world."""
    found = _OP.match(one.op)
    if found is None:
        return None
    left, right = (_global(int(number), members) for number in (found[2], found[3]))
    return (left, right) if found[1] == "send" else (right, left)


def _global(number: int, members: tuple[str, ...]) -> str:
    return members[number] if number < len(members) else str(number)
