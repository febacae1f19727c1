"""When a build is from, as people write it -> the days between which it lies.

    2026-07-29 · 20260729 · July 29, 2026 · 29.7.2026 · late July 2026 · mid-July, 2026 · Q3 2026 · mid 2026
    2026年7月底 · 7 月 29 日 (with the year said elsewhere in the text) · the week of 27 Jul 2026

A date without a year takes the only year that the text names elsewhere; without one it is no date, for the core knows
no clock. Words for a part of a month are read widely, since a build is placed by them: late July begins on the 19th.
An empty result means that no date was said.

**Source:** no tool prints this; the forms are those of issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from advisor.model.late import dataclass

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?P<year>20[12]\d)(?!\d)"
_ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
# which days of a month, or months of a year, a word means; 31 is the last day
_PARTS = {
    "early": (1, 12), "beginning of": (1, 12), "start of": (1, 12), "first week of": (1, 8), "mid": (9, 22),
    "middle of": (9, 22), "late": (19, 31), "end of": (22, 31), "last week of": (22, 31), "初": (1, 12),
    "上旬": (1, 11), "中": (9, 22), "中旬": (10, 21), "下旬": (20, 31), "底": (22, 31), "末": (22, 31),
}  # fmt: skip
_THIRDS = {"early": (1, 4), "mid": (5, 8), "late": (9, 12)}
_PART_EN = "early|mid|late|beginning of|start of|middle of|end of|(?:first|last) week of"
_PART = rf"(?:(?P<part>{_PART_EN})[- ]?)?(?P<week>week of (?:the )?)?"
_PART_ZH = "(?P<part>上旬|中旬|下旬|初|中|底|末)?"
_LIMIT = r"(?:(?P<limit>pulled|as of|before|until|up to|by|截至|拉取于|since|after)\s{0,3}(?:on\s{1,3})?)?"
_WRITTEN = (
    r"(?<![\w.])(?P<year>20[12]\d)[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d|[-/.]\d)",  # 2026-07-29
    r"(?<![\w.+])(?P<year>20[12]\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?![\w.])",  # 20260729
    r"(?<![\w.+])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20[12]\d)(?![\w.])",  # 29.7.2026
    # 2026 年 7 月底
    rf"(?:(?P<year>20[12]\d) ?年 ?)?(?<!\d)(?P<month>\d{{1,2}}) ?月份? ?(?:(?P<day>\d{{1,2}}) ?[日号]|{_PART_ZH})",
    rf"{_PART}(?:\b{_ORDINAL}\s+(?:of )?)?\b{_MONTH},?[ -]{{0,3}}{_YEAR}",  # 29 July 2026, late July 2026
    rf"\b{_MONTH} ?{_ORDINAL}\b(?!\.\d)(?:,? {{1,3}}{_YEAR})?",  # July 29, 2026
    rf"{_PART}\b{_ORDINAL} (?:of )?{_MONTH}",  # 29 July
    rf"(?P<part>{_PART_EN})[- ]?{_MONTH}",  # mid August
    rf"\b(?:q(?P<quarter>[1-4]),? ?{_YEAR}|(?P<year2>20[12]\d),? ?q(?P<quarter2>[1-4]))\b",  # Q3 2026
    rf"\b(?P<part>early|mid|late)[- ]?{_YEAR}(?![-/.]?\d)",  # mid 2026
)


@dataclass(frozen=True, slots=True)
class Period:
    """Days `first`..`last`, written at characters `start`..`end`; `limit` is "", "since" or "until"."""

    start: int
    end: int
    first: date
    last: date
    limit: str = ""


def periods(text: str) -> list[Period]:
    """The dates that a text states, in the order of the forms above; each place is read once."""
    if "201" not in text and "202" not in text:  # a period is of a year
        return []
    years = set(re.findall(r"(?<![\d.])(20[12]\d)(?=年|(?:0[1-9]|1[0-2])[0-3]\d(?!\d)|(?!\d))", text))
    known = int(years.pop()) if len(years) == 1 else None
    taken: list[Period] = []
    for form in _WRITTEN:
        for found in re.finditer(_LIMIT + form, text, re.I):
            days = _days({name: part for name, part in found.groupdict().items() if part}, known)
            if days and not any(one.start < found.end() and found.start() < one.end for one in taken):
                taken.append(Period(found.start(), found.end(), *days, limit=_limit(found["limit"])))
    return taken


def day(year: int, month: int, number: int) -> date | None:
    """The day of that number, or nothing when there is none."""
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _limit(word: str | None) -> str:
    if not word:
        return ""
    return "since" if word.lower() in ("since", "after") else "until"


def _days(said: dict[str, str], known: int | None) -> tuple[date, date] | None:
    year = int(said["year"]) if "year" in said else int(said["year2"]) if "year2" in said else known
    if year is None:
        return None
    quarter = said.get("quarter") or said.get("quarter2")
    if quarter:
        return _months(year, 3 * int(quarter) - 2, 3 * int(quarter))
    if "month" not in said:
        return _months(year, *_THIRDS[said["part"].lower()])
    word = said["month"].lower()
    month = int(word) if word.isdigit() else _MONTHS.index(word[:3]) + 1
    if "day" in said:
        one = day(year, month, int(said["day"]))
        return (one, one + timedelta(days=6 if "week" in said else 0)) if one else None
    return _part_of(year, month, said.get("part", "").lower())


def _part_of(year: int, month: int, part: str) -> tuple[date, date] | None:
    whole = _months(year, month, month)
    if whole is None or not part:
        return whole
    first, last = _PARTS[part]
    return date(year, month, first), min(whole[1], date(year, month, min(last, whole[1].day)))


def _months(year: int, first: int, last: int) -> tuple[date, date] | None:
    start = day(year, first, 1)
    return (start, date(year + last // 12, last % 12 + 1, 1) - timedelta(days=1)) if start else None


def bounds(found: list[Period]) -> Iterator[tuple[date | None, date | None]]:
    """`(earliest, latest)` of each date: what a limit leaves open is None."""
    for one in found:
        yield None if one.limit == "until" else one.first, None if one.limit == "since" else one.last
