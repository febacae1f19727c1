"""Every rule, through the front door: its cases, and the laws that hold for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from advisor.advice.remedies import after
from advisor.jobs.assemble import assemble
from advisor.jobs.check import check
from advisor.jobs.judging import catalogue, judge_case, view_of
from advisor.jobs.reporting import edit_for
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.jobs.rule_checks import validate_rules
from advisor.match.judge import exposed
from advisor.model.case import Case
from advisor.model.condition import Atom, atoms
from advisor.model.report import Report
from advisor.model.rule import Rule
from advisor.model.truth import Truth
from advisor.patterns import compile_pattern
from tests.taking_away import RANK, held, is_given, rests_on, strength, verdict_of, without, without_build

CASES = list(cases())
FIRING = [case for case in CASES if case.kind == "fires" and not case.todo]
CONTRADICTING = {
    "vllm/pp-spec-refused/cases/fires-deepseek-v4-dspark-three-stages",  # arguments printed without --block-size
    "vllm/pp-spec-refused/cases/fires-eagle3-in-docker-traceback-pasted",  # a log of three stages, a command of two
    "vllm/pp-spec-refused/cases/quiet-first-fixed-build",
    "vllm/pp-structured-fsm-desync/cases/quiet-0.31.0",  # a log of --reasoning-parser, a command without
    "vllm/pp-structured-fsm-desync/cases/quiet-async-off",
}
"""Cases whose command is not that of their log."""
RULES = {rule.id: rule for rule in catalogue()}


@cache
def reported(name: str) -> Report:
    return check(next(case for case in CASES if str(case) == name).request).report


@cache
def assembled(name: str) -> Case:
    return assemble(next(case for case in CASES if str(case) == name).request)[0]


def test_there_are_rules_and_cases() -> None:
    assert len(RULES) >= 12
    assert len(CASES) >= 4 * len(RULES)


def test_no_case_is_said_to_contradict_itself_but_those_that_do() -> None:
    told = {str(case): [one.text for one in assembled(str(case)).notes if one.kind == "conflict"] for case in CASES}
    assert {case for case, notes in told.items() if notes} == CONTRADICTING, {k: v for k, v in told.items() if v}


def test_every_rule_file_is_well_formed() -> None:
    count, problems = validate_rules()
    assert count >= len(RULES)
    assert not problems, "\n".join(map(str, problems))


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_fires_on_a_case_of_its_own_and_has_quiet_ones(rule: str) -> None:
    own = [case for case in CASES if case.rule == rule]
    assert any(reported(str(case)).findings[0].rule == rule for case in own if case.kind == "fires")
    assert any(case.kind == "quiet" for case in own), f"{rule} has no quiet- case"
    assert any(case.kind == "unsure" for case in own), f"{rule} has no unsure- case"


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_no_other_rule_matches_a_firing_case_unless_listed_as_a_lookalike(case: RuleCase) -> None:
    listed = {one.rule for one in RULES[case.rule].lookalikes} | {case.rule}
    matched = {one.rule for one in reported(str(case)).findings if one.status == "matched"}
    assert matched <= listed


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_where_a_lookalike_is_matched_on_a_firing_case_too_the_right_one_leads(case: RuleCase) -> None:
    findings = reported(str(case)).findings
    others = [one.rule for one in findings if one.status == "matched" and one.rule != case.rule]
    assert not others or findings[0].rule == case.rule, f"{findings[0].rule} leads"


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_without_a_sign_that_its_symptoms_rest_on_a_failure_is_less_sure(case: RuleCase) -> None:
    rule, given = RULES[case.rule], assembled(str(case))
    verdict, view = verdict_of(rule, given), view_of(given)
    if verdict.signature.truth is Truth.YES:
        signature = rule.symptoms.signature
        taken = [*([one] for one in rests_on(signature, view)), held(signature, view)]
    else:
        taken = [[one for sign in rule.symptoms.supporting for one in held(sign, view)]]
    before = RANK[verdict.status]
    assert not [named(gone) for gone in taken if strength(rule, without(given, gone)) >= before > RANK["exposed"]]


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_without_a_fact_that_its_exposure_rests_on_a_failure_is_less_sure(case: RuleCase) -> None:
    rule, given = RULES[case.rule], assembled(str(case))
    verdict, view = verdict_of(rule, given), view_of(given)
    if verdict.exposure.truth is not Truth.YES:
        assert verdict.status != "matched"
        return
    taken = {named([one]): without(given, [one]) for one in rests_on(rule.exposure, view) if is_given(given, one)}
    if rule.affected:
        taken["build"] = without_build(given, rule)
    assert not [name for name, left in taken.items() if exposed(rule, view_of(left)).truth is not Truth.UNKNOWN]
    assert not [name for name, left in taken.items() if strength(rule, left) >= RANK[verdict.status]]


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_evidence_taken_away_never_makes_a_failure_surer_nor_rules_it_out(case: RuleCase) -> None:
    rule, given = RULES[case.rule], assembled(str(case))
    before = verdict_of(rule, given).status
    conditions = [rule.exposure, rule.symptoms.signature, *rule.symptoms.supporting]
    for atom in dict.fromkeys(atom for condition in conditions for atom in atoms(condition)):
        after_it = judge_case(without(given, [atom]), (rule,)).verdicts
        status = after_it[0].status if after_it else None
        assert RANK[status] <= RANK[before], named([atom])
        assert status != "ruled_out", named([atom])


def named(gone: Sequence[Atom]) -> str:
    """What was taken away, for a failure's message."""
    return " and ".join(one.key() for one in gone)


REMEDIES = [
    (case, index)
    for case in FIRING
    if case.expect.get("status") == "matched"
    for index, remedy in enumerate(RULES[case.rule].remedies)
    if remedy.do in ("set", "unset", "env", "upgrade", "downgrade", "component") and remedy.status != "suggested"
]


@pytest.mark.parametrize(("case", "index"), REMEDIES, ids=[f"{case}[{index}]" for case, index in REMEDIES])
def test_a_remedy_better_than_suggested_ends_the_exposure(case: RuleCase, index: int) -> None:
    rule = RULES[case.rule]
    before, _ = assemble(case.request)
    view = view_of(before)
    assert exposed(rule, view).truth is not Truth.NO
    cured = after(before, rule.remedies[index], edit_for(view), rule.engine)
    assert exposed(rule, view_of(cured)).truth is Truth.NO
    again = judge_case(cured)
    assert not any(one.rule.id == rule.id and one.status in ("matched", "likely", "exposed") for one in again.verdicts)


def patterns(rule: Rule) -> list[str]:
    conditions = [rule.exposure, rule.symptoms.signature, *rule.symptoms.supporting, *rule.symptoms.contrary]
    conditions += [one.applies_when for one in rule.remedies]
    conditions += [one.tried for one in (*rule.not_helpful, *rule.harmful)]
    conditions += [one.unless for one in rule.wanted]
    found = [atom.name for condition in conditions for atom in atoms(condition) if atom.kind in ("log", "model")]
    return found + [pattern for step in rule.verification for pattern in step.absent]


@pytest.mark.parametrize("rule", RULES)
def test_every_pattern_is_linear_time_and_does_not_match_everything(rule: str) -> None:
    for pattern in patterns(RULES[rule]):
        assert compile_pattern(pattern).search("") is None
        assert compile_pattern(pattern).search("INFO 08-22 11:02:41 engine started, 8 workers ready") is None


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_offers_something_to_do_and_says_how_firm_it_is(rule: str) -> None:
    assert RULES[rule].remedies
    assert RULES[rule].verification
    assert all(remedy.source for remedy in RULES[rule].remedies)
