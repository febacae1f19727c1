"""One file's findings -> for each that the file can be edited for, the choices, the best first.

The deployment is given as lint judged it, in its folder; units and what does not fit are lint's own, so that a finding
and its plan meet by id, workload and place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.jobs import fix_choice
from advisor.jobs.fix_choice import Choice
from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.lint_case import Unit, unit_of, units
from advisor.jobs.lint_judging import given_of, unfit
from advisor.jobs.lint_regions import Page
from advisor.match.conditions import evaluate
from advisor.match.judge import applies
from advisor.match.observation import place_of
from advisor.match.view import View
from advisor.model.deployment import Deployment, Workload
from advisor.model.lint import LintFinding
from advisor.model.truth import Truth

Key = tuple[str, str, int, int]
Keyed = Iterator[tuple[Key, tuple[Choice, ...]]]


@dataclass(frozen=True, slots=True)
class Plan:
    """A finding and what could be done about it, the least disruptive first; `unit` numbers the case it is of."""

    finding: LintFinding
    choices: tuple[Choice, ...]
    unit: int = 0


def plans(deployment: Deployment, findings: Sequence[LintFinding]) -> list[Plan]:
    """The findings that can be edited for, in their own order."""
    page = Page(deployment.file, deployment.text, ())
    numbers = {id(one): index for index, one in enumerate(deployment.workloads)}
    made: dict[Key, tuple[tuple[Choice, ...], int]] = {}
    for number, unit in enumerate(units(deployment.workloads)):
        view = view_of(unit.case)
        mine = [one for one in findings if one.workload in {each.identity() for each in unit.workloads}]
        keyed = [*_exposures(unit, view, mine, numbers), *_stale(unit, mine, numbers)]
        for workload in unit.workloads:
            own = view if len(unit.workloads) == 1 else view_of(unit_of((workload,)).case)
            keyed += _settings(workload, own, page, numbers[id(workload)])
        made |= {key: (choices, number) for key, choices in keyed if choices}
    return [Plan(one, *made[_key(one)]) for one in findings if _key(one) in made]


def _key(one: LintFinding) -> Key:
    return one.id, one.workload, one.region.line, one.region.column


def _exposures(unit: Unit, view: View, mine: Sequence[LintFinding], numbers: dict[int, int]) -> Keyed:
    rules = {rule.id: rule for rule in catalogue()}
    there = [(numbers[id(one)], one) for one in unit.workloads]
    for one in mine:
        if one.kind == "exposure" and one.edit and one.id in rules:
            found = [fix_choice.of_remedy(each, there) for each in fix_choice.fitting(rules[one.id], view)]
            yield _key(one), tuple(choice for choice in found if choice.edit)


def _stale(unit: Unit, mine: Sequence[LintFinding], numbers: dict[int, int]) -> Keyed:
    rules = {rule.id: rule for rule in catalogue()}
    for one in mine:
        rule = rules.get(one.because[0].partition(":")[0]) if one.kind == "stale" and one.because else None
        workload = next((each for each in unit.workloads if each.identity() == one.workload), None)
        if rule is not None and workload is not None:
            choice = fix_choice.of_stale(rule, workload, numbers[id(workload)])
            yield _key(one), (choice,) if choice.edit else ()


def _settings(workload: Workload, view: View, page: Page, index: int) -> Keyed:
    exact = fix_choice.is_exact(view)
    for one in unfit(view):
        given = given_of(one, workload)
        choice = fix_choice.of_discrepancy(one, given, workload, index, view, exact=exact)
        region = page.region(place_of(workload, given) or workload.place)
        if choice.edit:
            yield (one.code, workload.identity(), region.line, region.column), (choice,)


def harms(deployment: Deployment) -> set[tuple[str, str, str]]:
    """Harmful advice that a file follows: workload, rule, and what it is."""
    found = set()
    for unit in units(deployment.workloads):
        view = view_of(unit.case)
        for rule in catalogue():
            if not applies(rule, *view.engines):
                continue
            for one in rule.harmful:
                if one.tried is not None and evaluate(one.tried, view).truth is Truth.YES:
                    found.add((unit.name, rule.id, one.what))
    return found
