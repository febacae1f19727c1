"""Pictures of who stopped when, of the evidence -> of the report: times as text, and from a start."""

from __future__ import annotations

from datetime import UTC, datetime

from advisor.model.report import MarkOut, TimelineOut, TrackOut
from advisor.model.timeline import Mark, Timeline, Track
from advisor.redaction import redact


def timeline_out(given: Timeline) -> TimelineOut:
    """One picture. Times as text are whole seconds: a part of a second is more than most lines can be trusted with."""
    times = [at for track in given.tracks for mark in track.marks for at in (mark.at, mark.until)]
    start, end = min(times), max(times)
    return TimelineOut(
        clock=given.clock,
        start=_text(start, given),
        end=_text(end, given),
        span_s=round(end - start, 3),
        tracks=tuple(_track(one, start, given) for one in given.tracks),
        left_out=given.left_out,
        files=given.files,
        shift_s=given.shift_s,
        shift_by=given.shift_by,
        unplaced=given.unplaced,
    )


def _track(one: Track, start: float, of: Timeline) -> TrackOut:
    marks = tuple(_mark(mark, start, of) for mark in one.marks)
    return TrackOut(one.rank, marks, redact(one.stands), one.waits, one.absent)


def _mark(one: Mark, start: float, of: Timeline) -> MarkOut:
    return MarkOut(
        kind=one.kind,
        at=_text(one.at, of),
        at_s=round(one.at - start, 3),
        until=_text(one.until, of),
        until_s=round(one.until - start, 3),
        what=redact(one.what),
        count=one.count,
        exact=one.exact,
        place=str(one.span or ""),
    )


def _text(seconds: float, of: Timeline) -> str:
    """`2026-11-29T13:40:35Z`, without `Z` where no zone is known, `11-29T13:40:35` without a year, `13:40:35`."""
    text = datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%S")
    if of.clock == "time_of_day":
        return text[11:]
    text += "Z" if of.clock in ("utc", "recorder") else ""
    return text if of.has_year else text[5:]
