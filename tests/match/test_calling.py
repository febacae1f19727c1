"""Which rules a case calls for: all that have something to say of it, whatever else they ask."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog.compiled import compiled
from advisor.jobs.assemble import assemble
from advisor.jobs.judging import catalogue, judge_case, view_of
from advisor.jobs.request import Request
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.match.conditions import evaluate, truth
from advisor.model.condition import Atom, Condition, Join, atoms
from advisor.model.rule import Rule, conditions
from advisor.model.trigger import Trigger, calls, needed
from advisor.model.truth import Truth, every, some

ATOMS = [Atom(kind, name, "is", True) for kind in ("log", "setting", "fact", "env") for name in "abc"]
CONDITIONS = st.recursive(
    st.sampled_from(ATOMS),
    lambda part: st.builds(
        lambda kind, parts: Join(kind, tuple(parts[:1] if kind == "not" else parts)),
        st.sampled_from(["all", "any", "not"]),
        st.lists(part, min_size=1, max_size=3),
    ),
    max_leaves=12,
)
CASES = st.fixed_dictionaries({atom: st.sampled_from(list(Truth)) for atom in ATOMS})
FEW = {case.rule: case for case in cases() if case.kind == "fires"}.values()


def atoms_of(rule: Rule) -> set[Atom]:
    return {atom for one in conditions(rule) for atom in atoms(one)}


def joined(condition: Condition, truths: Mapping[Atom, Truth]) -> Truth:
    if isinstance(condition, Atom):
        return truths[condition]
    parts = [joined(part, truths) for part in condition.parts]
    return ~parts[0] if condition.kind == "not" else every(parts) if condition.kind == "all" else some(parts)


@given(CONDITIONS, CASES, st.dictionaries(st.builds(Trigger, st.sampled_from(ATOMS), st.booleans()), st.integers(0, 9)))
def test_no_condition_is_decided_without_a_trigger(
    condition: Condition, truths: Mapping[Atom, Truth], shared: Mapping[Trigger, int]
) -> None:
    truth = joined(condition, truths)
    for holds, wanted in ((True, Truth.YES), (False, Truth.NO)):
        found = needed(condition, shared, holds)
        met = any(all(truths[one.atom] is (Truth.YES if one.holds else Truth.NO) for one in call) for call in found)
        assert met or truth is not wanted


@pytest.mark.parametrize("case", FEW, ids=str)
@pytest.mark.parametrize("engine", ["known", "unknown"])
def test_what_is_not_called_for_has_nothing_to_say(case: RuleCase, engine: str) -> None:
    request = case.request
    if engine == "unknown":
        request = Request(symptoms=request.symptoms, files=request.files, env=request.env, strict=False)
    judgement = judge_case(assemble(request)[0])
    every_verdict = {one.rule.id: one for one in judgement.judged if one.status}
    assert every_verdict == {one.rule.id: one for one in judgement.verdicts}
    assert judgement.considered == len(judgement.judged)


def test_most_rules_are_called_for_by_little() -> None:
    """The index is worth its while: next to no rule is judged whatever the case."""
    always = [rule.id for rule in catalogue() if calls(rule, {}) is None]
    assert len(always) * 20 < len(catalogue())


def test_the_sections_hold_every_rule_in_order() -> None:
    listed = [id for engine in compiled().engines for id, *_ in compiled().section(engine).rules]
    assert listed == [rule.id for rule in catalogue()] == sorted(listed, key=lambda id: id.split("/"))


@pytest.mark.parametrize("case", FEW, ids=str)
def test_what_a_trigger_comes_to_is_what_its_outcome_says(case: RuleCase) -> None:
    """Asked whether, not why, a condition may be answered by what is kept of its build; the answer is the same."""
    found = assemble(case.request)[0]
    asked = {one.atom for name in compiled().engines for one in compiled().section(name).asked}
    asked |= {atom for rule in catalogue() if rule.engine == case.rule.partition("/")[0] for atom in atoms_of(rule)}
    shortly, wholly = view_of(found), view_of(found)
    assert {one: truth(one, shortly) for one in asked} == {one: evaluate(one, wholly).truth for one in asked}
