"""How much of a log is understood: the share of its lines whose layout is known, and of those with a time, level, rank.

Understood are lines with a known prefix, lines that only a machine prints (frames, tracebacks, progress bars,
exceptions), and what is indented under either. The rest is of an unknown layout, and said to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass

from advisor.evidence.lines import is_logged, level_of, lines, rank_of
from advisor.evidence.moments import moment_of
from advisor.evidence.recognition import line_kind


@dataclass(frozen=True, slots=True)
class Share:
    """Counts of lines that are not blank; `with_*` are of those with a known prefix."""

    lines: int = 0
    with_time: int = 0
    with_level: int = 0
    with_rank: int = 0
    understood: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def percent(self) -> float:
        """Of a hundred lines, how many are understood; 100 when there are none."""
        return 100 * self.understood / self.lines if self.lines else 100.0


def understood(text: str) -> Share:
    """The share of `text`, which is decoded and cleaned as `intake` does it."""
    counts = [0, 0, 0, 0, 0]
    for row, known in _judged(text):
        logged = is_logged(row)
        counts[0] += 1
        counts[1] += logged and moment_of(row) is not None
        counts[2] += logged and level_of(row) is not None
        counts[3] += logged and rank_of(row) is not None
        counts[4] += known
    return Share(*counts)


def unknown(text: str) -> list[str]:
    """The lines whose layout is not known."""
    return [row for row, known in _judged(text) if not known]


def _judged(text: str) -> Iterator[tuple[str, bool]]:
    known = False
    for row in (line.text for line in lines(text)):
        if row.strip():
            known = line_kind(row) in ("log", "stack", "machine") or (known and row[:1].isspace())
            yield row, known
