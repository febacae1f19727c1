"""When a printed line was printed: the dates and clocks of every known prefix -> one count of seconds.

    2026-08-02T10:44:31.123Z   [2026-08-02 10:44:31 TP1]   INFO 08-02 10:44:31   E0802 10:44:31.118   Aug 02 10:44:31

The outermost time counts, since only a collector's stands on every line of a file. A line is compared with others of
its file by `seconds`, and with those of other files by `epoch`.

**Source:** as in `lines`.
"""

from __future__ import annotations

from typing import NamedTuple

from advisor.evidence.lines import head_length
from advisor.evidence.shapes import Shape

_LONG_TIME = Shape(r"(\d{4})-(\d\d)-(\d\d)[ T-](\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?")
_VLLM_TIME = Shape(r"(?<!\d)(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)")
_GLOG_TIME = Shape(r"[IWEF](\d{4})?(\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})")
_JOURNAL_TIME = Shape(r"([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) ")
_CLOCK_TIME = Shape(r"\[(\d\d):(\d\d):(\d\d)[ \].,]")
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


def on_one_scale(moments: list[Moment]) -> list[float]:
    """Their seconds since 1970, or midnight without a date; one that lacks the year is of the year the others say."""
    year = next((moment.year for moment in reversed(moments) if moment.year), None)
    return [moment._replace(year=moment.year or year).epoch for moment in moments]


def moment_of(line: str) -> Moment | None:
    """When the line was printed; None when it bears no time."""
    head = line[: head_length(line) or 40]
    best: tuple[int, Moment] | None = None
    for read in (_long, _vllm, _glog, _journal, _clock):
        found = read(head)
        if found and (best is None or found[0] < best[0]):
            best = found
    return best[1] if best else None


def seconds_of(line: str) -> float | None:
    """When the line was printed, in seconds since New Year; years are not told apart. None when it bears no date."""
    moment = moment_of(line)
    return moment.seconds if moment and moment.dated else None


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
    leap = 1 if year and month > 2 and year % 4 == 0 and (year % 100 or year % 400 == 0) else 0
    days = _DAYS_BEFORE[month - 1] + leap + day - 1
    tail = float(f"0.{fraction}") if fraction else 0.0
    return at, Moment(((days * 24 + hour) * 60 + minute) * 60.0 + second + tail, True, year)


def _days_to(year: int) -> int:
    """Days from 1970 to New Year of `year`."""
    before = year - 1
    return 365 * (year - 1970) + (before // 4 - 492) - (before // 100 - 19) + (before // 400 - 4)
