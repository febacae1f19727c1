"""Who stopped when: what the evidence shows of each rank, placed by the clock that the lines themselves bear."""

from __future__ import annotations

from typing import Literal

from advisor.model.fact import Span
from advisor.model.late import dataclass

Clock = Literal["utc", "recorder", "collector", "own", "time_of_day"]
"""Whose clock a picture goes by: lines that name their zone (`utc`), the flight recorder's, which is the host's in UTC
(`recorder`), what a collector put before each line without a zone (`collector`), the processes' own without a zone
(`own`), or the same without a date (`time_of_day`)."""

MarkKind = Literal["moving", "still", "idle", "alive", "completed", "waits", "watchdog", "failed", "last"]
"""What a mark shows:

moving, still, idle, alive: a run of throughput lines, from the first to the last of it: tokens moved; requests ran and
none moved; no request ran; the lines say neither. completed: the last collective that is known to be complete, at the
moment it was posted. waits: a collective that is not complete, from when it was posted to when a watchdog gave it up.
watchdog: a watchdog fired. failed: an exception was printed. last: the last line that the rank printed.
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing seen of one rank, or a run of them. `at` and `until` are seconds on the picture's clock, equal for a
    moment. `what` names the collective, the exception or the kind of line. `exact` is False where the line itself bears
    no time and `at` is that of the last line before it that does: then it happened no sooner.
    """

    kind: MarkKind
    at: float
    until: float
    what: str
    count: int = 1
    exact: bool = True
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """One rank, or one source that is none. `stands` completes "waits …" or "stands …" as its stack was captured,
    whenever that was; `absent` are collectives that others wait in and this rank has not joined.
    """

    rank: str
    marks: tuple[Mark, ...]
    stands: str = ""
    waits: bool = False
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeline:
    """The tracks that go by one clock. Without `has_year` seconds count as if it were 1970; by `time_of_day` they count
    from midnight. `shift_s` is what the recorder's times were moved by, None when none are here; `unplaced` the dumps
    whose times nothing relates to this clock.
    """

    clock: Clock
    tracks: tuple[Track, ...]
    has_year: bool = False
    files: int = 1
    left_out: int = 0
    shift_s: float | None = None
    shift_by: str = ""
    unplaced: tuple[str, ...] = ()
