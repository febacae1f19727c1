"""Conditions of the real rules on the real cases obey Kleene, whichever way they are asked."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from advisor.jobs.assemble import assemble
from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.match.conditions import evaluate, truth
from advisor.match.view import View
from advisor.model.condition import Atom, Condition, Join, atoms
from advisor.model.rule import conditions
from advisor.model.truth import Truth, every, some

EVERY = 11
"""Of so many cases one is taken: all that matters is that they differ."""


@cache
def some_cases() -> tuple[RuleCase, ...]:
    return tuple(islice(cases(), 0, None, EVERY))


@cache
def seen(at: int, gated: bool, twice: bool = False) -> View:
    """The case, through a view with what tells at once which patterns its texts can show, or without."""
    case, _ = assemble(replace(some_cases()[at].request, strict=False))
    view = view_of(case)
    return view if gated else View(view.case, view.layers, view.kinds)


ATOMS: tuple[Atom, ...] = tuple(
    dict.fromkeys(atom for rule in catalogue() for one in conditions(rule) for atom in atoms(one))
)
WHOLE: tuple[Condition, ...] = tuple(dict.fromkeys(one for rule in catalogue() for one in conditions(rule)))
JOINED = st.recursive(
    st.sampled_from(ATOMS),
    lambda part: st.one_of(
        st.builds(lambda parts: Join("all", tuple(parts)), st.lists(part, min_size=1, max_size=3)),
        st.builds(lambda parts: Join("any", tuple(parts)), st.lists(part, min_size=1, max_size=3)),
        st.builds(lambda one: Join("not", (one,)), part),
    ),
    max_leaves=8,
)
CONDITION = st.one_of(st.sampled_from(WHOLE), JOINED)
AT = st.integers(0, len(some_cases()) - 1)


def negated(one: Condition) -> Condition:
    return Join("not", (one,))


@given(AT, CONDITION)
def test_asked_for_its_truth_alone_or_for_its_reasons_it_is_the_same(at: int, one: Condition) -> None:
    """With the gate and the shortcut for what goes unsaid, and with neither."""
    plain = seen(at, gated=False)
    assert truth(one, seen(at, gated=True)) is evaluate(one, plain).truth
    assert truth(one, plain) is evaluate(one, seen(at, gated=True, twice=True)).truth


@given(AT, st.lists(CONDITION, min_size=1, max_size=3))
def test_de_morgan(at: int, parts: list[Condition]) -> None:
    view = seen(at, gated=True)
    assert truth(negated(Join("all", tuple(parts))), view) is truth(Join("any", tuple(map(negated, parts))), view)
    assert (
        evaluate(negated(Join("any", tuple(parts))), view).truth
        is evaluate(Join("all", tuple(map(negated, parts))), view).truth
    )


@given(AT, CONDITION, CONDITION)
def test_twice_is_once_and_absorption(at: int, one: Condition, other: Condition) -> None:
    view = seen(at, gated=True)
    for how in (lambda each: truth(each, view), lambda each: evaluate(each, view).truth):
        assert how(Join("all", (one, one))) is how(one) is how(Join("any", (one, one)))
        assert how(Join("all", (one, Join("any", (one, other))))) is how(one)
        assert how(Join("any", (one, Join("all", (one, other))))) is how(one)
        assert how(Join("all", (one, other))) is how(Join("all", (other, one))) is every((how(one), how(other)))
        assert how(Join("any", (one, other))) is some((how(one), how(other)))
        assert how(negated(negated(one))) is how(one)


@given(AT, CONDITION)
def test_a_decided_part_asks_nothing(at: int, one: Condition) -> None:
    outcome = evaluate(one, seen(at, gated=True))
    assert outcome.truth is Truth.UNKNOWN or not outcome.missing
