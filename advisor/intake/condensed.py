"""The lines kept of the stretches of a large log -> one text, and where its lines stood.

kept 1-1,900 and 7,204,118 of 9,000,000   ->   1,900 lines, ⋯, one line        runs ((0, 1), (1900, 1901), …)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.evidence.heartbeat import MAX_BEATS
from advisor.intake import texts

GAP = "⋯"  # stands for the lines left out between two that are kept
STACKS = 1 << 20  # bytes of the last stacks that are kept

Rows = list[tuple[int, bytes]]
"""Lines with their numbers, counted from 0 in their stretch."""


@dataclass
class Condensed:
    """The lines that are kept of one stretch of a log, by their numbers in it, and how many lines it has.

    `cut` counts the lines longer than is read; `beats` holds the last periodic lines of each kind; `lasts` the last
    line of each telling shape and of each rank, each with what belongs to it; `stacks` the last stacks.
    """

    kept: dict[int, bytes] = field(default_factory=dict)
    lines: int = 0
    size: int = 0
    cut: int = 0
    beats: dict[int, Rows] = field(default_factory=dict)
    lasts: dict[bytes, Rows] = field(default_factory=dict)
    stacks: Rows = field(default_factory=list)
    head: list[bytes] = field(default_factory=list)
    tail: Rows = field(default_factory=list)
    ended: bool = True  # with a line end

    def followed_by(self, more: Condensed) -> Condensed:
        """Both as one, where `more` is the stretch right after this one."""

        def later(rows: Rows) -> Rows:
            return [(number + self.lines, row) for number, row in rows]

        beats = {
            mark: [*self.beats.get(mark, ()), *later(more.beats.get(mark, []))][-MAX_BEATS:]
            for mark in {**self.beats, **more.beats}
        }
        return Condensed(
            {**self.kept, **dict(later(list(more.kept.items())))},
            self.lines + more.lines,
            self.size + more.size,
            self.cut + more.cut,
            beats,
            {**self.lasts, **{key: later(rows) for key, rows in more.lasts.items()}},
            newest([*self.stacks, *later(more.stacks)]),
            self.head,
            later(more.tail),
            more.ended,
        )

    def rows(self) -> Rows:
        """Every line that is kept, in order."""
        every = dict(self.kept)
        for group in (*self.beats.values(), *self.lasts.values(), self.stacks, self.tail, enumerate(self.head)):
            every.update(group)
        return sorted(every.items())

    def text(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The text, and its `Artifact.runs`."""
        rows: list[bytes] = []
        runs: list[tuple[int, int]] = []
        reached = 0
        for number, row in self.rows():
            if number > reached:
                runs.append((len(rows), reached + 1))
                rows.append(GAP.encode())
            if number > reached or not rows:
                runs.append((len(rows), number + 1))
            rows.append(row)
            reached = number + 1
        return texts.text_of(b"\n".join([*rows, b""] if self.ended else rows))[0], tuple(runs)


def newest(rows: Rows) -> Rows:
    """The last of the rows, within the limit."""
    size = 0
    for at in range(len(rows) - 1, -1, -1):
        size += len(rows[at][1])
        if size > STACKS:
            return rows[at + 1 :]
    return rows
