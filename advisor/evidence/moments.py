"""When a printed line was printed: the dates and clocks of every known prefix -> one count of seconds.

    2026-08-02T10:44:31.123Z   [2026-08-02 10:44:31 TP1]   INFO 08-02 10:44:31   E0802 10:44:31.118   Aug 02 10:44:31

The outermost time counts, since only a collector's stands on every line of a file. Lines of one file are compared by
`on_one_scale`. Those of several files may follow different clocks: a collector's in UTC, the process's own in local
time. `in_common` compares them by a clock that all of them show, and not at all where there is none.

**Source:** as in `lines`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from advisor.evidence.lines import head_length, wraps_length
from advisor.model.shape import Shape

_LONG_TIME = Shape(r"(\d{4})-(\d\d)-(\d\d)[ T-](\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?")
_VLLM_TIME = Shape(r"(?<!\d)(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)")
_GLOG_TIME = Shape(r"[IWEF](\d{4})?(\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})")
_JOURNAL_TIME = Shape(r"([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) ")
_CLOCK_TIME = Shape(r"\[(\d\d):(\d\d):(\d\d)[ \].,]")
_ZONE = Shape(r"(Z)|([+-])(\d\d):?(\d\d)")  # of 2026-08-02T10:44:31Z, 2026-08-02T10:44:31+02:00
_HALF_A_YEAR_S, _YEAR_S = 182 * 86_400.0, 365 * 86_400.0
_CLOCKS = ("UTC", "collector", "own")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


class Moment(NamedTuple):
    """When a line was printed. `seconds` count from New Year, or from midnight when there is no `dated` day.

    `year` is None when the line does not say it: vLLM, glog of PyTorch and journald leave it out.
    """

    seconds: float
    dated: bool
    year: int | None = None

    @property
    def epoch(self) -> float:
        """Seconds since 1970 when the year is known; otherwise as if it were 1970, or since midnight."""
        return self.seconds + (_days_to(self.year) * 86_400.0 if self.year and self.dated else 0.0)

    def of_year(self, year: int | None) -> Moment:
        """The same moment of a year that its line does not say; after February of a leap year it is a day later."""
        if self.year or not year or not self.dated:
            return self
        day = 86_400.0 if _is_leap(year) and self.seconds >= _DAYS_BEFORE[2] * 86_400.0 else 0.0
        return self._replace(seconds=self.seconds + day, year=year)


def on_one_scale(moments: list[Moment]) -> list[float]:
    """Seconds since 1970, or midnight without a date, of moments in the order printed in one file.

    One that lacks the year is of the year the others say, or of the next where New Year lies between.
    """
    year = next((moment.year for moment in reversed(moments) if moment.year), None)
    found: list[float] = []
    for moment in moments:
        seconds = moment.of_year(year).epoch
        turned = found and moment.dated and moment.year is None and found[-1] - seconds > _HALF_A_YEAR_S
        found.append(seconds + _YEAR_S if turned else seconds)
    return found


def clock_of(line: str) -> tuple[str, bool] | None:
    """By which clock the line's outermost time is: its zone or whose it is, and whether it is dated."""
    found = _times(line)
    if not found:
        return None
    whose, zone, moment = found[0]
    return zone or whose, moment.dated


def clocks_of(line: str) -> dict[str, Moment]:
    """The dated times that the line bears, by clock: `UTC` where a zone is said, else `collector` or `own`."""
    found: dict[str, Moment] = {}
    for whose, zone, moment in _times(line):
        if moment.dated:
            found.setdefault("UTC" if zone else whose, moment._replace(seconds=moment.seconds - _offset_s(zone)))
    return found


def in_common(lines: Sequence[Mapping[str, Moment]]) -> list[float] | None:
    """The seconds of several lines by a clock that all of them bear; None when there is none, or the year is needed."""
    shared = next((clock for clock in _CLOCKS if all(clock in line for line in lines)), None)
    if shared is None or not lines:
        return None
    moments = [line[shared] for line in lines]
    if all(moment.year for moment in moments):
        return [moment.epoch for moment in moments]
    seconds = [moment.seconds for moment in moments]
    return seconds if max(seconds) - min(seconds) < _HALF_A_YEAR_S else None


def _times(line: str) -> list[tuple[str, str, Moment]]:
    """Whose clock, zone and moment: what a collector put before the line, then what the line says itself."""
    head, wrapped = line[: head_length(line) or 40], wraps_length(line)
    found: list[tuple[str, str, Moment]] = []
    for whose, start, part in (("collector", 0, head[:wrapped]), ("own", wrapped, head[wrapped:])):
        seen = [one for read in (_long, _vllm, _glog, _journal, _clock) if (one := read(part))]
        if seen:
            at, moment = min(seen)
            time = _LONG_TIME.match(head, start + at)
            zone = _ZONE.match(head, time.end()) if time else None
            found.append((whose, zone[0] if zone else "", moment))
    return found


def _offset_s(zone: str) -> float:
    found = _ZONE.match(zone)
    if found is None or found[1]:
        return 0.0
    return (int(found[3]) * 60 + int(found[4])) * (-60.0 if found[2] == "-" else 60.0)


def moment_of(line: str) -> Moment | None:
    """When the line was printed; None when it bears no time."""
    head = line[: head_length(line) or 40]
    best: tuple[int, Moment] | None = None
    for read in (_long, _vllm, _glog, _journal, _clock):
        found = read(head)
        if found and (best is None or found[0] < best[0]):
            best = found
    return best[1] if best else None


def _long(head: str) -> tuple[int, Moment] | None:
    found = _LONG_TIME.search(head)
    if found is None:
        return None
    year, *rest = (int(part) for part in found.groups()[:6])
    return _dated(found.start(), year, rest, found.group(7))


def _vllm(head: str) -> tuple[int, Moment] | None:
    found = _VLLM_TIME.search(head)
    return _dated(found.start(), None, [int(part) for part in found.groups()], None) if found else None


def _glog(head: str) -> tuple[int, Moment] | None:
    found = _GLOG_TIME.search(head)
    if found is None:
        return None
    year = int(found.group(1)) if found.group(1) else None
    return _dated(found.start(), year, [int(part) for part in found.groups()[1:6]], found.group(7))


def _journal(head: str) -> tuple[int, Moment] | None:
    found = _JOURNAL_TIME.search(head)
    if found is None or found.group(1) not in _MONTHS:
        return None
    rest = [_MONTHS.index(found.group(1)) + 1, *(int(part) for part in found.groups()[1:])]
    return _dated(found.start(), None, rest, None)


def _clock(head: str) -> tuple[int, Moment] | None:
    found = _CLOCK_TIME.search(head)
    if found is None:
        return None
    hour, minute, second = (int(part) for part in found.groups())
    return found.start(), Moment((hour * 60 + minute) * 60.0 + second, False)


def _dated(at: int, year: int | None, parts: list[int], fraction: str | None) -> tuple[int, Moment] | None:
    month, day, hour, minute, second = parts
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second <= 60):
        return None
    leap = 1 if year and month > 2 and _is_leap(year) else 0
    days = _DAYS_BEFORE[month - 1] + leap + day - 1
    tail = float(f"0.{fraction}") if fraction else 0.0
    return at, Moment(((days * 24 + hour) * 60 + minute) * 60.0 + second + tail, True, year)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def year_of(epoch: float) -> int:
    """The year in which a time falls, in seconds since 1970."""
    return datetime.fromtimestamp(epoch, UTC).year


def _days_to(year: int) -> int:
    """Days from 1970 to New Year of `year`."""
    before = year - 1
    return 365 * (year - 1970) + (before // 4 - 492) - (before // 100 - 19) + (before // 400 - 4)
