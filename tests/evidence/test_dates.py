"""Dates as people write them; one that leaves the year out has no place by itself."""

import pytest

from advisor.evidence.dates import periods

DATES = [
    ("2026-07-29", "2026-07-29 2026-07-29"),
    ("2026/7/9", "2026-07-09 2026-07-09"),
    ("2026-07-29T10:00:00", "2026-07-29 2026-07-29"),
    ("20260729", "2026-07-29 2026-07-29"),
    ("29.7.2026", "2026-07-29 2026-07-29"),
    ("July 29 2026", "2026-07-29 2026-07-29"),
    ("July 29th, 2026", "2026-07-29 2026-07-29"),
    ("29 July 2026", "2026-07-29 2026-07-29"),
    ("2026年7月29日", "2026-07-29 2026-07-29"),
    ("July 2026", "2026-07-01 2026-07-31"),
    ("Sept, 2026", "2026-09-01 2026-09-30"),
    ("2026年12月", "2026-12-01 2026-12-31"),
    ("early August 2026", "2026-08-01 2026-08-12"),
    ("mid-July 2026", "2026-07-09 2026-07-22"),
    ("late July 2026", "2026-07-19 2026-07-31"),
    ("end of February 2026", "2026-02-22 2026-02-28"),
    ("last week of July 2026", "2026-07-22 2026-07-31"),
    ("the week of 27 Jul 2026", "2026-07-27 2026-08-02"),
    ("2026 年 7 月底", "2026-07-22 2026-07-31"),
    ("2026年8月上旬", "2026-08-01 2026-08-11"),
    ("Q3 2026", "2026-07-01 2026-09-30"),
    ("mid 2026", "2026-05-01 2026-08-31"),
    # the year said elsewhere
    ("main, July 29 (2026)", "2026-07-29 2026-07-29"),
    ("2026 main，7月底", "2026-07-22 2026-07-31"),
    ("July 29", ""),
    ("7 月底", ""),
    ("mid august", ""),
    ("2025 or 2026, July 29", ""),
    # none
    ("2026", ""),
    ("20261332", ""),
    ("2026-02-31", ""),
    ("0.11.2.dev278+g20260729", ""),
    ("may 2 fixes", ""),
    ("3 个月", ""),
    ("version 1.7.2026.1", ""),
]


@pytest.mark.parametrize(("text", "days"), DATES)
def test_reads(text, days):
    assert " ".join(f"{one.first} {one.last}" for one in periods(text)) == days


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("before July 2026", "until"),
        ("since 2026-07-29", "since"),
        ("pulled 2026-08-02", "until"),
        ("on July 29 2026", ""),
    ],
)
def test_limits(text, limit):
    assert [one.limit for one in periods(text)] == [limit]


def test_each_place_is_read_once():
    assert len(periods("29 July 2026 and 2026-07-30")) == 2
