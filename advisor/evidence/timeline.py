"""Sightings of all ranks -> who stopped when: one picture for each clock, and never two clocks in one picture.

    own clock      rank 0  moving 13:39:42-13:39:47, still 13:39:52-13:41:37, watchdog 13:40:35.944
                   rank 1  moving 13:39:42-13:39:47, still 13:39:52-13:41:37
    recorder's     rank 0  #126 posted 13:39:45.852 UTC

A line may bear several times: the pictures take the clock that most of them share. The recorder counts in UTC, a log
mostly in a local time whose zone it does not say. A collective that is in both tells the zone: the watchdog says how
long ago it was posted, the dump says when. Where there is no such pair, or two disagree, the dump has a picture of its
own. No picture: nothing bears a time, or the times cannot be put into an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from advisor.evidence import joins
from advisor.evidence.accounts import group_name
from advisor.evidence.marks import RECORDER, TIME_OF_DAY, Sighting, Times, sightings
from advisor.evidence.moments import Moment, year_of
from advisor.evidence.ranks import Ranks, in_order
from advisor.evidence.reading import Evidence
from advisor.evidence.waits import Stand
from advisor.model.late import dataclass
from advisor.model.timeline import Clock, Mark, Timeline, Track

MOST_TRACKS = 32
MOST_MARKS = 40
LEAST_S = 1.0  # what fits into a second shows no order: PyTorch's own fractions of a second are not to be trusted

_CLOCKS: tuple[tuple[str, Clock], ...] = (
    ("UTC", "utc"),
    ("collector", "collector"),
    ("own", "own"),
    (TIME_OF_DAY, "time_of_day"),
    (RECORDER, "recorder"),
)
_ZONE_S, _APART_S = 900.0, 60.0  # zones are whole quarters of an hour; a watchdog looks, and prints, within seconds
_BACK_S = 120.0  # lines of several processes in one file come in order but for moments
_HALF_A_DAY_S, _HALF_A_YEAR_S = 43_200.0, 182 * 86_400.0


@dataclass(frozen=True)
class _Placed:
    """A sighting in seconds on one clock."""

    seen: Sighting
    at: float
    until: float


@dataclass(frozen=True)
class _Shift:
    """By how much the recorder's times are moved onto a log's clock, and the collective that tells it."""

    seconds: float
    by: str


def timeline(
    evidence: Sequence[Evidence], ranks: Ranks, standing: Mapping[str, Stand], groups: Iterable[joins.Group]
) -> tuple[Timeline, ...]:
    """The pictures, that of most sightings first; none where nothing bears a time."""
    found = sightings(evidence)
    names = _Names(found, ranks)
    absent = _absent(groups)
    pictures: list[Timeline] = []
    recorded = [one for one in found if RECORDER in one.times]
    rest = [one for one in found if RECORDER not in one.times]
    while rest and (name := _shared(rest)):
        mine = [one for one in rest if name in one.times and name in one.ends]
        rest = [one for one in rest if one not in mine]
        shift = _shift(mine, recorded, name, ranks)
        taken, recorded = (recorded, []) if shift else ([], recorded)
        pictures += _picture(name, mine, taken, shift, names, standing, absent)
    if recorded:
        dumps = tuple(sorted({one.file for one in recorded}))
        pictures = [replace(one, unplaced=dumps) for one in pictures]
        pictures += _picture(RECORDER, recorded, [], None, names, standing, absent)
    return tuple(pictures)


class _Names:
    """What a row is called: the rank's number, and of whom where several bear it."""

    def __init__(self, found: Sequence[Sighting], ranks: Ranks) -> None:
        self.ranks = ranks
        self.origins: dict[str, set[str]] = {}
        for one in found:
            if one.origin and one.kind in ("moving", "still", "idle", "alive"):
                self.origins.setdefault(ranks.of(one.rank), set()).add(one.origin)

    def of(self, one: Sighting) -> str:
        rank = self.ranks.of(one.rank)
        if rank and (len(self.origins.get(rank, ())) < 2 or not one.origin):
            return rank
        return f"{rank} ({one.origin})" if rank else one.origin or "?"


def _shared(rest: Sequence[Sighting]) -> str:
    """The clock that most of them bear; "" when none bears a clock at both ends."""
    count = {name: sum(name in one.times and name in one.ends for one in rest) for name, _ in _CLOCKS}
    best = max(count, key=lambda name: count[name])
    return best if count[best] else ""


def _absent(groups: Iterable[joins.Group]) -> dict[str, tuple[str, ...]]:
    """Rank -> the collectives that others wait in and that it has not joined."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        waiting = None if group.disputed or group.job else joins.waiting(group)
        mismatch = joins.mismatches(group) if waiting else None
        if waiting and not (mismatch and mismatch.seq <= waiting.seq):
            what = f"{waiting.one.op} #{waiting.seq} of {group_name(group.name)}"
            for rank in waiting.missing:
                found[rank] = (*found.get(rank, ()), what)
    return found


# clocks


def _shift(mine: Sequence[Sighting], recorded: Sequence[Sighting], name: str, ranks: Ranks) -> _Shift | None:
    """How the recorder's clock stands to this one; None when nothing tells, or tells two things."""
    if name == "UTC":
        return _Shift(0.0, "") if recorded else None
    posted = {(ranks.of(one.rank), one.key): one for one in recorded if one.kind == "waits"}
    shifts: dict[float, str] = {}
    for one in mine:
        other = posted.get((ranks.of(one.rank), one.key)) if one.kind == "watchdog" and one.before_s else None
        if other is None or name == TIME_OF_DAY:
            continue
        then = other.times[RECORDER].seconds
        apart = _seconds([one.times[name]], year_of(then))[0] - one.before_s - then
        whole = round(apart / _ZONE_S) * _ZONE_S
        if abs(apart - whole) > _APART_S or abs(whole) > _HALF_A_DAY_S + 2 * 3600:
            return None
        shifts[whole] = one.what
    return _Shift(*next(iter(shifts.items()))) if len(shifts) == 1 else None


def _seconds(moments: Sequence[Moment], year: int | None) -> list[float]:
    return [one.of_year(one.year or year).epoch for one in moments]


# pictures


def _picture(
    name: str,
    mine: Sequence[Sighting],
    recorded: Sequence[Sighting],
    shift: _Shift | None,
    names: _Names,
    standing: Mapping[str, Stand],
    absent: Mapping[str, tuple[str, ...]],
) -> list[Timeline]:
    """The picture of these sightings, or none where they cannot be put into an order."""
    years = {moment.year for one in mine for moment in (one.times[name], one.ends[name]) if moment.year}
    then = recorded[0].times[RECORDER].seconds if recorded else None
    year = max(years) if years else year_of(then) if then is not None else None
    placed = [_place(one, name, year, 0.0) for one in mine]
    placed += [_place(one, RECORDER, None, shift.seconds if shift else 0.0) for one in recorded]
    times = [at for one in placed for at in (one.at, one.until)]
    widest = _HALF_A_DAY_S if name == TIME_OF_DAY else _HALF_A_YEAR_S
    if not LEAST_S <= max(times) - min(times) <= widest or any(one.until < one.at for one in placed):
        return []
    if _runs_back(placed):
        return []
    tracks = _tracks(_merged(placed, names.ranks), names, standing, absent)
    return [
        Timeline(
            clock=dict(_CLOCKS)[name],
            tracks=tuple(tracks[:MOST_TRACKS]),
            has_year=year is not None or name == RECORDER,
            files=len({one.file for one in mine}),
            left_out=max(0, len(tracks) - MOST_TRACKS),
            shift_s=shift.seconds if shift and recorded else None,
            shift_by=shift.by if shift and recorded else "",
        )
    ]


def _runs_back(placed: Sequence[_Placed]) -> bool:
    """Whether the clock of a log was set back while it was written: then its lines tell no order of times."""
    last: dict[str, float] = {}
    for one in sorted(placed, key=lambda one: (one.seen.file, one.seen.span.line if one.seen.span else 0)):
        if one.seen.before_s or RECORDER in one.seen.times or not one.seen.exact:
            continue
        if one.at < last.get(one.seen.file, one.at) - _BACK_S:
            return True
        last[one.seen.file] = max(last.get(one.seen.file, one.at), one.at)
    return False


def _place(one: Sighting, name: str, year: int | None, shift_s: float) -> _Placed:
    at, until = _at(one.times, name, year), _at(one.ends, name, year)
    return _Placed(one, at + shift_s - (one.before_s if one.kind == "waits" else 0.0), until + shift_s)


def _at(times: Times, name: str, year: int | None) -> float:
    moment = times[name]
    return moment.seconds if name == RECORDER else _seconds([moment], year)[0]


def _merged(placed: Sequence[_Placed], ranks: Ranks) -> list[_Placed]:
    """A wait that both a dump and a watchdog tell of is one: from when it was posted to when it was given up."""
    kept: list[_Placed] = []
    waits: dict[tuple[str, object], int] = {}
    for one in placed:
        key = (ranks.of(one.seen.rank), one.seen.key)
        if one.seen.kind == "waits" and key in waits:
            first = kept[waits[key]]
            posted = one.at if RECORDER in one.seen.times else first.at
            kept[waits[key]] = _Placed(first.seen, posted, max(first.until, one.until))
            continue
        if one.seen.kind == "waits":
            waits[key] = len(kept)
        kept.append(one)
    return kept


def _tracks(
    placed: Sequence[_Placed], names: _Names, standing: Mapping[str, Stand], absent: Mapping[str, tuple[str, ...]]
) -> list[Track]:
    """A track for each rank and other source; those of whom only a stack or an absence is known have no marks."""
    rows: dict[str, list[_Placed]] = {}
    for one in placed:
        rows.setdefault(names.of(one.seen), []).append(one)
    known = {names.ranks.of(one.seen.rank) for one in placed}
    for rank in (*standing, *absent):
        if rank not in known:
            rows.setdefault(rank, [])
    return [_track(row, rows[row], standing.get(row), absent.get(row, ())) for row in in_order(rows)]


def _track(row: str, placed: Sequence[_Placed], stand: Stand | None, absent: tuple[str, ...]) -> Track:
    last = max((one for one in placed if one.seen.kind == "last"), key=lambda one: one.at, default=None)
    shown = [one for one in placed if one.seen.kind != "last"]
    shown = sorted(shown, key=lambda one: (one.at, one.until))[-MOST_MARKS:] + ([last] if last else [])
    marks = tuple(
        Mark(one.seen.kind, one.at, one.until, one.seen.what, one.seen.count, one.seen.exact, one.seen.span)
        for one in shown
    )
    return Track(row, marks, stand.words if stand else "", bool(stand and stand.waits), absent)
