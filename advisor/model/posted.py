"""The collectives of one rank as its flight recorder lists them: thousands that are calls of a few kinds.

They are kept as columns, and a `Collective` is made of one when it is asked for. `columns` parts them by group, where a
place is found by its number: what ranks have in common is compared there as a whole, without making any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

from advisor.model.collective import Collective, State, is_transfer
from advisor.model.fact import Span

STATES: tuple[State, ...] = ("completed", "scheduled", "started", "unknown")
COMPLETED = 0
_NOT_COMPLETE = re.compile(rb"[^\0]")


class Call(NamedTuple):
    """What the collectives of one kind share, as in `Collective`."""

    group: str
    guid: str
    op: str
    sizes: tuple[int, ...] = ()
    dtypes: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Posted(Sequence[Collective]):
    """Columns of equal length: which call, the place in the group, the state (an index of `STATES`), when it was posted
    (-1 when not known). `head` is the span of what is complete; of the rest `lines` are the lines, none when not known.
    """

    rank: str
    calls: tuple[Call, ...]
    which: Sequence[int]
    seqs: Sequence[int]
    states: bytes
    created: Sequence[int]
    head: Span
    lines: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.which)

    @overload
    def __getitem__(self, index: int) -> Collective: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Collective]: ...
    def __getitem__(self, index: int | slice) -> Collective | Sequence[Collective]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        call, code, when = self.calls[self.which[index]], self.states[index], self.created[index]
        span = self.head if code == COMPLETED or not self.lines else Span(self.head.artifact, self.lines[index])
        return Collective(
            self.rank, call.group, self.seqs[index], call.op, call.sizes, call.dtypes, STATES[code],
            None if when < 0 else when, call.frames, span, guid=call.guid,
        )  # fmt: skip

    def open(self) -> list[int]:
        """The index of each that is not complete, in order."""
        return [found.start() for found in _NOT_COMPLETE.finditer(self.states)]

    def columns(self) -> list[Column]:
        """The collectives of each group, the group that is named first in front."""
        names: dict[tuple[str, str], list[int]] = {}
        homes = [names.setdefault((call.group, call.guid), []).append for call in self.calls]
        for index, which in enumerate(self.which):
            homes[which](index)
        first = sorted((found[0], name) for name, found in names.items() if found)
        return [Column(self, *name, names[name]) for _, name in first]


@dataclass(frozen=True, slots=True)
class Column:
    """What one file lists of one group: the indices in `posted`."""

    posted: Posted
    group: str
    guid: str
    indices: list[int]

    @property
    def rank(self) -> str:
        return self.posted.rank

    @property
    def span(self) -> Span:
        return self.posted.head

    def __iter__(self) -> Iterator[Collective]:
        return (self.posted[index] for index in self.indices)

    def transfers(self) -> frozenset[int]:
        """Which calls of it are one side of a transfer."""
        calls = enumerate(self.posted.calls)
        return frozenset(which for which, call in calls if call.group == self.group and is_transfer(call.op))

    def telling(self) -> Iterator[Collective]:
        """Those that are not complete, and of the complete transfers the first of each call."""
        posted, seen = self.posted, set()
        moving = self.transfers()
        if not moving and posted.states.count(COMPLETED) == len(posted):
            return
        for index in self.indices:
            which = posted.which[index]
            if posted.states[index] != COMPLETED:
                yield posted[index]
            elif which in moving and which not in seen:
                seen.add(which)
                yield posted[index]
