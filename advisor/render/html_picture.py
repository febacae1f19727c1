"""Who stopped when -> a picture: one row a rank, time to the right, and the same in words.

Only what the report's timeline holds is drawn. Of a long service the picture shows the end, and says so; the words have
it all. Lengths are in the picture's own units, 760 wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.model.report import MarkOut, TimelineOut, TrackOut
from advisor.render.language import say
from advisor.render.quoting import one_line

WIDTH, LEFT, RIGHT, TOP = 760, 112, 748, 34
_LANE, _LINE, _GAP = 26, 16, 14
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800, 2592000)
_TICKS, _LEAST_BEFORE_S = 6, 30.0
_SIGN = 5.9  # the width of a character of a note
_NOTE, _NAME = 104, 16  # characters


@dataclass(frozen=True)
class Shape:
    """A mark as drawn: its kind, from where to where, its label and on which side that stands."""

    kind: str
    x: float
    end: float
    title: str
    label: str = ""
    anchor: str = "start"
    label_x: float = 0.0
    cut: bool = False
    open: bool = False


@dataclass(frozen=True)
class Row:
    """A rank's row: `y` the height of its lane, `notes` (tone, text) below it."""

    name: str
    full: str
    y: float
    top: float
    life: tuple[float, float] | None
    shapes: tuple[Shape, ...]
    notes: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Picture:
    """All that is drawn, and the same in words."""

    title: str
    description: str
    height: float
    date: str
    ticks: tuple[tuple[float, str], ...]
    rows: tuple[Row, ...]
    legend: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    words: tuple[tuple[str, str, str, str], ...]


def pictures(given: tuple[TimelineOut, ...]) -> tuple[Picture, ...]:
    """A picture for each clock."""
    return tuple(_picture(one, len(given) > 1) for one in given)


def _picture(one: TimelineOut, several: bool) -> Picture:
    start = _window(one)
    rows, y = [], float(TOP)
    for track in one.tracks:
        row = _row(track, y, start, one.span_s)
        rows.append(row)
        y += _height(row)
    date, _, _ = one.start.rpartition("T")
    words = tuple(_words(one))
    return Picture(
        title=say("Who stopped when: ranks over time, {start} to {end}", start=one.start, end=one.end),
        description=" ".join(f"{rank}: {what}, {when}." for rank, what, when, _ in words),
        height=y + 6,
        date=date,
        ticks=tuple(_ticks(one, start)),
        rows=tuple(rows),
        legend=tuple((kind, LEGEND[kind]()) for kind in LEGEND if any(kind == mark.kind for mark in _marks(one))),
        remarks=tuple(_remarks(one, several, start)),
        words=words,
    )


def _marks(one: TimelineOut) -> list[MarkOut]:
    return [mark for track in one.tracks for mark in track.marks]


# time


def _window(one: TimelineOut) -> float:
    """From where on the picture shows it: some time before the first rank stopped."""
    ends = [max(ends) for track in one.tracks if (ends := [m.until_s for m in track.marks if m.kind == "moving"])]
    events = [mark.at_s for mark in _marks(one) if mark.kind in ("waits", "watchdog", "failed")]
    stop = min(ends or events or [0.0])
    before = max(0.25 * (one.span_s - stop), _LEAST_BEFORE_S)
    return stop - before if stop - before > 0.2 * one.span_s else 0.0


def _x(at: float, start: float, span: float) -> float:
    inside = max(0.0, at - start)
    return round(LEFT + inside / max(span - start, 1e-9) * (RIGHT - 14 - LEFT) + 6, 1)


def _ticks(one: TimelineOut, start: float) -> Iterator[tuple[float, str]]:
    """Round times of day along the axis."""
    clock = one.start.rpartition("T")[2].rstrip("Z")
    hour, minute, second = (int(part) for part in clock.split(":"))
    base = (hour * 60 + minute) * 60 + second
    step = next((one_ for one_ in _STEPS if (one.span_s - start) / one_ <= _TICKS), _STEPS[-1])
    at = -(-(base + start) // step) * step - base
    while at <= one.span_s:
        of_day = int(base + at) % 86_400
        text = f"{of_day // 3600:02d}:{of_day // 60 % 60:02d}" + (f":{of_day % 60:02d}" if step < 60 else "")
        yield _x(at, start, one.span_s), text
        at += step


def clock(text: str) -> str:
    """The time of day of a time as the report tells it."""
    return text.rpartition("T")[2]


# rows


def _row(track: TrackOut, top: float, start: float, span: float) -> Row:
    y = top + _LANE
    shown = [mark for mark in track.marks if mark.until_s >= start]
    eventful = any(mark.kind in ("watchdog", "failed") for mark in shown)
    shapes = tuple(_shape(mark, start, span, eventful) for mark in shown)
    life = (min(one.x for one in shapes), max(one.end for one in shapes)) if shapes else None
    at = y + _below(shapes) + 10
    notes = tuple((tone, _cut(text, _NOTE), at + line * _LINE) for line, (tone, text) in enumerate(_notes(track)))
    name = say("rank {rank}", rank=track.rank) if track.rank.isdigit() else one_line(track.rank)
    return Row(_cut(name, _NAME), name, y, top, life, shapes, notes)


def _below(shapes: tuple[Shape, ...]) -> float:
    """How far what is drawn reaches below the lane: the throughput bars, the collectives, and what they are called."""
    kinds = {one.kind for one in shapes}
    return 34 if "waits" in kinds else 20 if kinds & {"completed", "watchdog"} else 10


def _height(row: Row) -> float:
    return _LANE + _below(row.shapes) + _LINE * len(row.notes) + _GAP


def _shape(mark: MarkOut, start: float, span: float, eventful: bool) -> Shape:
    x, end = _x(mark.at_s, start, span), _x(mark.until_s, start, span)
    label = "" if mark.kind == "last" and eventful else _label(mark)
    room = len(label) * _SIGN
    anchor, at = ("start", max(x, LEFT + 6) if mark.kind == "waits" else end + 7)
    if at + room > RIGHT:
        anchor, at = "end", (RIGHT if mark.kind == "waits" else x - 7)
    open_ = mark.kind == "waits" and mark.at_s == mark.until_s
    what, when, _ = said(mark)
    return Shape(mark.kind, x, end, f"{what}, {when}", label, anchor, at, mark.at_s < start, open_)


def _label(mark: MarkOut) -> str:
    if mark.kind == "watchdog":
        return say("watchdog {at}", at=clock(mark.at))
    if mark.kind == "failed":
        return _cut(one_line(mark.what), 40) + ("" if mark.exact else say(" (not before)"))
    if mark.kind == "last":
        return say("last line {at}", at=clock(mark.at))
    return _cut(say("waits for {what}", what=one_line(mark.what)), 70) if mark.kind == "waits" else ""


def _notes(track: TrackOut) -> Iterator[tuple[str, str]]:
    """What is known of the rank besides: its last complete collective, where its stack stood, what it never joined."""
    for mark in track.marks:
        if mark.kind == "completed":
            yield "faint", say("last completed: {what}", what=one_line(mark.what))
    if track.stands:
        where = one_line(track.stands)
        yield "", say("stack: waits {where}", where=where) if track.waits else say("stack: stands {where}", where=where)
    for what in track.absent:
        yield "alarm", say("never joined {what}", what=one_line(what))
    if not track.marks:
        yield "faint", say("no line of it bears a time")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


# words


def said(mark: MarkOut) -> tuple[str, str, str]:
    """A mark in words: what, when, and where it stands."""
    what = one_line(mark.what)
    lines = f" ({say('{count} lines', count=mark.count)})" if mark.count > 1 else ""
    when = clock(mark.at) + (f"–{clock(mark.until)}" if mark.until_s > mark.at_s else "")
    if not mark.exact:
        when = say("not before {at}", at=when)
    told = {
        "moving": lambda: say("{what}: tokens move", what=what) + lines,
        "still": lambda: say("{what}: requests run, no token moves", what=what) + lines,
        "idle": lambda: say("{what}: no request runs", what=what) + lines,
        "alive": lambda: what + lines,
        "completed": lambda: say("last completed: {what} (when it was posted)", what=what),
        "waits": lambda: say("waits for {what}", what=what),
        "watchdog": lambda: say("a watchdog gave up {what}", what=what) if what else say("a watchdog fired"),
        "failed": lambda: say("failed: {what}", what=what),
        "last": lambda: say("last line that bears a time"),
    }
    return told[mark.kind](), when, mark.place


def _words(one: TimelineOut) -> Iterator[tuple[str, str, str, str]]:
    for track in one.tracks:
        name = say("rank {rank}", rank=track.rank) if track.rank.isdigit() else one_line(track.rank)
        for mark in track.marks:
            yield (name, *said(mark))


LEGEND = {
    "moving": lambda: say("tokens move"),
    "still": lambda: say("requests run, no token moves"),
    "idle": lambda: say("no request runs"),
    "alive": lambda: say("throughput lines"),
    "completed": lambda: say("last completed collective, when posted"),
    "waits": lambda: say("a collective that is not complete"),
    "watchdog": lambda: say("a watchdog fired"),
    "failed": lambda: say("an exception"),
    "last": lambda: say("last line"),
}


def _remarks(one: TimelineOut, several: bool, start: float) -> Iterator[str]:
    """By whose clock, how the recorder's was brought to it, and what is not shown."""
    yield {
        "utc": lambda: say("Times are in UTC, as the lines say."),
        "recorder": lambda: say("Times are the flight recorder's, in UTC."),
        "collector": lambda: say("Times are those of what collected the lines; their zone is not said."),
        "own": lambda: say("Times are as the processes printed them; their zone is not said."),
        "time_of_day": lambda: say("The lines bear a time of day and no date."),
    }[one.clock]()
    if one.files > 1:
        yield say("The clocks of several hosts may differ.")
    if one.shift_by:
        zone = f"UTC{one.shift_s / 3600:+g}" if one.shift_s else "UTC"
        yield say(
            "The flight recorder's times are brought to this clock by {what}, of which dump and log both tell: "
            "the log's clock reads {zone}.",
            what=one_line(one.shift_by),
            zone=zone,
        )
    if one.unplaced:
        dumps = ", ".join(map(one_line, one.unplaced))
        yield say("The times of {dumps} are not in it: nothing tells how that clock stands to this one.", dumps=dumps)
    if several:
        yield say("How this clock stands to that of the other picture is not known: do not compare the two by time.")
    if start:
        yield say("The picture shows the end; what came before is in the words below.")
    if one.left_out:
        yield say("{count} more are not shown.", count=one.left_out)
