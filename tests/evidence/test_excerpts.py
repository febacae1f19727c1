"""Each excerpt is read without loss of time, level and rank. Beside `NAME.log` stands `NAME.json`: of each line that is
not blank what its prefix says, [time, level, rank], null where the logger does not print it."""

import calendar
import json

import pytest

from advisor.evidence.lines import level_of, lines, rank_of
from advisor.evidence.moments import moment_of
from advisor.evidence.understanding import understood
from tests.excerpts import FOLDER, index, text_of

NAMES = [entry["name"] for entry in index()]


def read(line):
    moment = moment_of(line)
    return int(moment.seconds) if moment else None, level_of(line), rank_of(line)


def seconds(said):
    """`2026-08-02 10:44:31`, `08-02 10:44:31` or `10:44:31` -> seconds since New Year, or midnight."""
    if said is None:
        return None
    date, _, clock = said.rpartition(" ")
    hour, minute, second = (int(part) for part in clock.split(":"))
    *year, month, day = (int(part) for part in date.split("-")) if date else (1, 1)
    start = calendar.timegm((*(year or [1970]), 1, 1, 0, 0, 0)) if date else 0
    whole = calendar.timegm((*(year or [1970]), month, day, hour, minute, second)) if date else 0
    return whole - start if date else (hour * 60 + minute) * 60 + second


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_prefix_is_lost(name):
    expected = json.loads((FOLDER / f"{name}.json").read_text())
    rows = [row.text for row in lines(text_of(name)) if row.text.strip()]
    assert len(rows) == len(expected)
    for row, (time, level, rank) in zip(rows, expected, strict=True):
        assert read(row) == (seconds(time), level, rank), row


def test_the_index_is_whole():
    assert sorted(NAMES) == sorted(path.stem for path in FOLDER.glob("*.log")) and len(NAMES) >= 50
    for entry in index():
        assert entry["after"].startswith("https://") and entry["read"] and entry["engine"]


def test_nearly_every_line_is_understood():
    total = sum((understood(text_of(name)) for name in NAMES), start=type(understood(""))())
    assert total.lines > 500 and total.percent > 92
