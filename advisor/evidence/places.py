"""What one rank posted into one group -> each collective by its place, and where two ranks first differ.

A dump's places are mostly a row without gaps, and of two ranks mostly alike: they are kept as the numbers of their
calls and compared as a whole. A `Collective` is made only of a place that is asked for. What several sightings say of
one place lies over the row.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from advisor.model.collective import Collective
from advisor.model.posted import COMPLETED, Call, Column

Differs = Callable[["Kind | Collective", "Kind | Collective", bool], object]


class Kind(NamedTuple):
    """What must be alike at one place on all ranks."""

    op: str
    sizes: tuple[int, ...]
    dtypes: tuple[str, ...]


class Kinds:
    """A number for each kind, one for all ranks."""

    def __init__(self) -> None:
        self.numbers: dict[Kind, int] = {}
        self.known: list[Kind] = []

    def number(self, one: Call) -> int:
        kind = Kind(one.op, one.sizes, one.dtypes)
        if kind not in self.numbers:
            self.numbers[kind] = len(self.known)
            self.known.append(kind)
        return self.numbers[kind]


class Places(Mapping[int, Collective]):
    """Place -> collective. `row` are the indices in the column's `posted` from the place `first` on."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.over: dict[int, Collective] = {}
        self.column: Column | None = None
        self.first = 0
        self.row: list[int] = []
        self.signs: list[int] = []

    def take(self, column: Column) -> bool:
        """Make the column's places the row; False where they are no row without gaps, or there is one already."""
        posted, moving = column.posted, column.transfers()
        row = [index for index in column.indices if posted.which[index] not in moving] if moving else column.indices
        seqs = [posted.seqs[index] for index in row]
        if self.column or self.over or not row or seqs[0] < 0 or seqs != list(range(seqs[0], seqs[0] + len(seqs))):
            return False
        numbers = [self.kinds.number(call) for call in posted.calls]
        which = posted.which
        self.column, self.first, self.row = column, seqs[0], row
        self.signs = [numbers[which[index]] for index in row]
        return True

    def put(self, seq: int, one: Collective) -> None:
        self.over[seq] = one

    def _in_row(self, seq: int) -> bool:
        return 0 <= seq - self.first < len(self.row)

    def __getitem__(self, seq: int) -> Collective:
        if seq in self.over:
            return self.over[seq]
        if self.column is None or not self._in_row(seq):
            raise KeyError(seq)
        return self.column.posted[self.row[seq - self.first]]

    def __contains__(self, seq: object) -> bool:
        return seq in self.over or (type(seq) is int and self._in_row(seq))

    def __iter__(self) -> Iterator[int]:
        yield from range(self.first, self.first + len(self.row))
        yield from (seq for seq in self.over if not self._in_row(seq))

    def __len__(self) -> int:
        return len(self.row) + sum(not self._in_row(seq) for seq in self.over)

    @property
    def last(self) -> int | None:
        """The highest place."""
        ends = [self.first + len(self.row) - 1] if self.row else []
        return max((*self.over, *ends), default=None)

    def not_complete(self) -> list[Collective]:
        """Those that are not complete, in the order of their places."""
        found = {seq for seq, one in self.over.items() if one.state != "completed"}
        for index in self.column.posted.open() if self.column else ():
            at = bisect_left(self.row, index)
            if self.row[at : at + 1] == [index] and self.first + at not in self.over:
                found.add(self.first + at)
        return [self[seq] for seq in sorted(found)]

    def first_apart(self, other: Places, differs: Differs) -> int | None:
        """The first place that both have and at which their kinds differ; `differs` is told whether either is done."""
        low, high = max(self.first, other.first), min(self.first + len(self.row), other.first + len(other.row))
        found = self._apart_in_row(other, range(low, max(low, high)), differs)
        for seq in sorted(self.over.keys() | other.over.keys()):
            if found is not None and seq >= found:
                break
            a, b = self.over.get(seq) or self.get(seq), other.over.get(seq) or other.get(seq)
            if a is None or b is None or (a.op == b.op and a.sizes == b.sizes and a.dtypes == b.dtypes):
                continue
            if differs(a, b, "completed" in (a.state, b.state)):
                return seq
        return found

    def _apart_in_row(self, other: Places, common: range, differs: Differs) -> int | None:
        mine = self.signs[common.start - self.first : common.stop - self.first] if common else []
        theirs = other.signs[common.start - other.first : common.stop - other.first] if common else []
        if mine == theirs or self.column is None or other.column is None:
            return None
        known, (a, b) = self.kinds.known, (self.column.posted.states, other.column.posted.states)
        for at, (one, two) in enumerate(zip(mine, theirs, strict=True)):
            seq = common.start + at
            if one != two and seq not in self.over and seq not in other.over:
                done = COMPLETED in (a[self.row[seq - self.first]], b[other.row[seq - other.first]])
                if differs(known[one], known[two], done):
                    return seq
        return None
