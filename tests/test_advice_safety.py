"""Advice that harms is said to: a part of `python -m tests.advice_safety`, which tries every launch there is."""

from __future__ import annotations

import pytest

from advisor.jobs.consequences import Prospect
from tests import advice_safety
from tests.advice_safety import PARTS, Given, Told, given
from tests.front_door import advisor

STEP = 4  # every so many cases; all of them take a minute


@pytest.fixture(scope="module")
def some() -> list[Given]:
    every = sorted((one for one in advice_safety.cases() if not one.todo), key=str)
    return given(every[::STEP])


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_nothing_that_advice_would_bring_is_left_unsaid(part, some: list[Given]) -> None:
    told = Told()
    part(some, told)
    assert sum(told.tried.values()) > 50, told.line()
    assert not told.faults, "\n".join(told.faults[:20])


def test_what_is_left_unsaid_would_be_found(monkeypatch) -> None:
    monkeypatch.setattr(Prospect, "brings", lambda *_: ())
    told = Told()
    wanted = ("vllm/async-structured-fsm", "vllm/pp-structured-fsm-desync")
    advice_safety.alone(given(one for one in advice_safety.cases() if one.rule in wanted), told)
    assert told.faults


def test_check_says_it_beside_the_remedy_and_puts_it_last(tmp_path) -> None:
    every = given(one for one in advice_safety.cases() if one.rule == "vllm/pp-structured-fsm-desync" and not one.todo)
    found = [
        (one.case, told) for one in every for told in one.said.values() if any(each[0] == "harmful" for each in told)
    ]
    case, first = found[0]
    rule = next(each[1] for each in first if each[0] == "harmful")
    asked = case.request
    options = [word for flags in asked.flags for word in ("--flags", flags)]
    options += [word for one in asked.env for word in ("--env", one)]
    options += [word for one in asked.symptoms for word in ("--symptom", one)]
    options += [word for one in asked.hardware for word in ("--hardware", one)]
    options += ["--model", asked.model] if asked.model else []
    for file in asked.files:
        (tmp_path / file.name).write_bytes(file.content)
        options.append(str(tmp_path / file.name))
    ran = advisor("check", "--engine", asked.engine, "--version", asked.version, *options, "--verbose")
    assert f"{rule} advises against it" in " ".join(ran.out.split())
