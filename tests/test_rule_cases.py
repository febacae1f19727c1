"""Every case of every rule, judged once and looked at from all sides: what it says, its page, its quotes, its questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from advisor.jobs.check import Answer, check
from advisor.jobs.diagnose import standing
from advisor.jobs.request import Request
from advisor.jobs.rule_cases import RuleCase, cases, faults
from advisor.match.choosing import LEAST_BITS
from advisor.render.html import html
from advisor.render.json import json
from tests.render.test_html import assert_sound
from tests.web.served import Served, serving

CASES = list(cases())
WORD = re.compile(r"[\w.]{2,}|[\u4e00-\u9fff]")

Judged = tuple[RuleCase, Answer]


@pytest.fixture(scope="module", params=CASES, ids=str)
def judged(request: pytest.FixtureRequest) -> Judged:
    case: RuleCase = request.param
    return case, check(case.request)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "--workers", "1") as served:
        yield served


def parts(case: Request) -> list[tuple[str, str | None, bytes]]:
    """A case as a form has it."""
    fields = {
        "engine": (case.engine,), "version": (case.version,), "flags": case.flags, "env": case.env,
        "component": case.components, "hardware": case.hardware, "model": (case.model,), "symptom": case.symptoms,
    }  # fmt: skip
    given: list[tuple[str, str | None, bytes]] = [
        (name, None, value.encode()) for name, values in fields.items() for value in values if value
    ]
    return given + [(one.kind or "file", one.name, one.content) for one in case.files]


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


def test_the_service_answers_with_the_same_report(judged: Judged, service: Served) -> None:
    case, answer = judged
    came = service.upload("/v1/check", parts(case.request))
    assert (came.status, came.content.decode().rstrip("\n")) == (200, json(answer.report).rstrip("\n"))
