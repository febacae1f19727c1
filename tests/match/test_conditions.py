"""What a condition says of a case, whatever was asked of the case before."""

from __future__ import annotations

import pytest

from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request
from advisor.match.conditions import compare, evaluate, truth
from advisor.model.condition import ConditionError, parse
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


@pytest.mark.parametrize("means", [["x"], {"x": 1}, 1])
@pytest.mark.parametrize("seen", [{"stack": ["a"]}, {"log": "a"}])
def test_what_a_line_or_a_stack_means_is_text(seen: dict[str, object], means: object) -> None:
    with pytest.raises(ConditionError, match="means"):
        parse({**seen, "means": means})


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, {1}, (1, [2])])
def test_a_value_that_is_no_single_one_is_compared_too(value: object) -> None:
    assert compare("is", value, 1) is Truth.NO  # type: ignore[arg-type]
    assert compare("at_least", value, 1) is Truth.UNKNOWN  # type: ignore[arg-type]
