"""A baseline: written, read back, and told when it can shrink."""

import json
from dataclasses import replace

import pytest

from advisor.errors import UsageError
from advisor.jobs import baseline
from tests.render.lint_reports import EXPOSED, HOSTILE, KNOWN, RICH, STALE

TEXT = baseline.write(RICH)


def test_it_holds_what_counts_and_what_a_baseline_hushed():
    raw = json.loads(TEXT)
    kept = {one["fingerprint"] for one in raw["findings"]}
    assert kept == {one.fingerprint for one in RICH.findings} - {STALE.fingerprint}
    assert set(raw["findings"][0]) == {"fingerprint", "id", "file", "workload", "fact"}


@pytest.mark.parametrize("report", [RICH, HOSTILE, replace(RICH, findings=())])
def test_one_finding_a_line_in_a_fixed_order(report):
    text = baseline.write(report)
    assert text == baseline.write(replace(report, findings=tuple(reversed(report.findings))))
    lines = text.splitlines()
    assert sum(line.startswith('{"fingerprint"') for line in lines) == len(json.loads(text)["findings"])
    assert text.isascii()


def test_known_findings_are_marked_and_nothing_else_changes():
    known = baseline.apply(RICH, TEXT)
    assert all(one.suppressed for one in known.findings)
    assert [one.suppressed and one.suppressed.how for one in known.findings if one.id == STALE.id] == ["comment"]
    assert [replace(one, suppressed=None) for one in known.findings] == [
        replace(one, suppressed=None) for one in RICH.findings
    ]
    assert known.notes == RICH.notes


def test_a_finding_that_moved_is_still_known_and_a_new_one_counts():
    moved = replace(EXPOSED, region=replace(EXPOSED.region, line=99, end_line=99))
    new = replace(EXPOSED, fingerprint="f" * 32)
    told = baseline.apply(replace(RICH, findings=(moved, new)), TEXT)
    assert [bool(one.suppressed) for one in told.findings] == [True, False]


def test_what_does_not_occur_any_more_is_said():
    told = baseline.apply(replace(RICH, findings=(EXPOSED,), notes=()), TEXT, "b.json")
    assert len(told.notes) == len(json.loads(TEXT)["findings"]) - 1
    assert all(note.startswith("b.json: ") and "its line can go" in note for note in told.notes)
    assert any(KNOWN.id in note for note in told.notes)
    few = replace(RICH, files=RICH.files[1:2], findings=(), notes=())
    assert len(baseline.apply(few, TEXT, complete=False).notes) == 1  # compose.yaml alone was looked at


def test_what_was_written_again_is_the_same():
    assert baseline.write(baseline.apply(RICH, TEXT)) == TEXT


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"schema": "advisor-baseline/9", "findings": []}', '{"schema": "advisor-baseline/1"}',
     '{"schema": "advisor-baseline/1", "findings": [{"id": "x"}]}', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_baseline_is_refused_by_name(text):
    with pytest.raises(UsageError) as raised:
        baseline.apply(RICH, text, "b.json")
    assert raised.value.line().startswith("b.json: ") and "\n" not in raised.value.line()
