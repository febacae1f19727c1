"""Every case of every rule, judged once and looked at from all sides: what it says, its page, its quotes, its questions."""

from __future__ import annotations

import re

import pytest

from advisor.jobs.check import Answer, check
from advisor.jobs.diagnose import standing
from advisor.jobs.rule_cases import RuleCase, cases, faults
from advisor.match.choosing import LEAST_BITS
from advisor.render.html import html
from tests.render.test_html import assert_sound

CASES = list(cases())
WORD = re.compile(r"[\w.]{2,}|[\u4e00-\u9fff]")

Judged = tuple[RuleCase, Answer]


@pytest.fixture(scope="module", params=CASES, ids=str)
def judged(request: pytest.FixtureRequest) -> Judged:
    case: RuleCase = request.param
    return case, check(case.request)


def test_it_comes_out_as_it_expects(judged: Judged) -> None:
    case, answer = judged
    wrong = [*(f"input not read: {one.line()}" for one in answer.problems), *faults(case, answer.report)]
    if case.todo:
        assert wrong, f"{case} passes now: drop its todo"
        pytest.xfail(case.todo)
    assert not wrong, "\n".join(wrong)


def test_its_launch_is_not_said_to_be_refused(judged: Judged) -> None:
    """People ran these commands: an error here would be a mistake in the settings read from the releases."""
    assert [one.says for one in judged[1].report.discrepancies if one.level == "error"] == []


def test_its_page_is_sound(judged: Judged) -> None:
    assert_sound(html(judged[1].report))


def test_a_quoted_line_is_never_empty_and_holds_what_is_quoted(judged: Judged) -> None:
    report = judged[1].report
    facts = [fact for one in report.findings for fact in (*one.because, *one.against, *one.echoes)]
    for one in report.excerpts:
        shown = {hit: one.lines[hit - one.first_line] for hit in one.hits}
        assert one.hits and all(line.strip() for line in shown.values()), (one.file, one.hits)
        said = " ".join(shown.values())
        for fact in facts:
            if fact.place in one.places and fact.quote and "…" not in said:
                assert any(word in said for word in WORD.findall(fact.quote.replace("…", " "))), (fact, said)


def test_a_diagnosis_reports_the_same_and_asks_only_what_is_open(judged: Judged) -> None:
    case, answer = judged
    now = standing(case.request)
    assert now.report == answer.report
    shares = [one.share for one in now.candidates]
    assert shares == sorted(shares, reverse=True) and sum(shares) < 1
    if now.ask is not None:
        assert now.ask.gain >= LEAST_BITS and now.ask.question and now.ask.rules
        assert now.ask.about not in {f"setting:{one.flag}" for one in now.report.settings if one.value is not None}
        assert not (now.ask.about == "engine" and now.report.build.engine)
