"""What a condition says of a case, whatever was asked of the case before."""

from __future__ import annotations

import pytest

from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request
from advisor.match.conditions import evaluate, truth
from advisor.model.condition import parse
from advisor.model.truth import Truth


@pytest.mark.parametrize("first", [True, 1])
def test_a_switch_and_a_number_are_two_questions(first: object) -> None:
    """Python calls 1 and True equal; `X=true` is on, and no number."""
    case, *_ = assemble(Request(engine="vllm", version="0.28.0", env=("X=true",)))
    view = view_of(case)
    for wanted in (first, True, 1):
        expected = Truth.YES if wanted is True else Truth.NO
        condition = parse({"env": "X", "is": wanted})
        assert truth(condition, view) is evaluate(condition, view).truth is expected


def test_the_same_question_is_one_atom() -> None:
    raw = {"any": [{"setting": "--tp", "any_of": [1, 2]}, {"setting": "--tp", "any_of": [1, True]}, {"log": "x"}]}
    assert all(one is other for one, other in zip(parse(raw).parts, parse(raw).parts, strict=True))  # type: ignore[union-attr]
    assert parse({"log": "x", "means": "an x"}) is not parse({"log": "x"})
