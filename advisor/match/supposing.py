"""A rule as it would be judged if one open thing were known: the ground on which questions are chosen.

A rule's *open points* are the conditions that the evidence leaves undecided, each with what would have to be known
(`Missing.about`). To suppose is to judge the rule again with one point taken as yes or as no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.match.conditions import evaluate
from advisor.match.judge import ASK_ENGINE, Verdict, build_affected
from advisor.match.view import View
from advisor.model.condition import Atom, Condition, atoms
from advisor.model.outcome import Missing
from advisor.model.rule import Rule
from advisor.model.truth import Truth, every, some

Plan = str | tuple[str, "tuple[Plan, ...]"]
"""A condition by the keys of its atoms; "" where a rule has none."""
ENGINE = "engine"
"""The point of every engine's rule while the engine is not known."""


@dataclass(frozen=True)
class Open:
    """An undecided point of a rule: `key` is the same for two rules that ask the same."""

    key: str
    missing: Missing


def open_points(verdict: Verdict, view: View) -> tuple[Open, ...]:
    """What would have to be known about a rule's exposure and symptoms, each once."""
    rule, found = verdict.rule, {}
    if rule.engine != "any" and not view.case.build.engine:
        found[ENGINE] = Open(ENGINE, ASK_ENGINE)
    elif verdict.exposure.truth is Truth.UNKNOWN:
        built = build_affected(rule, view)
        for ask in built.missing if built.truth is Truth.UNKNOWN else ():
            found[_of_range(rule, ask.about)] = Open(_of_range(rule, ask.about), ask)
    for condition in _conditions(rule):
        for atom in atoms(condition):
            outcome = evaluate(atom, view)
            for ask in outcome.missing if outcome.truth is Truth.UNKNOWN else ():
                found.setdefault(atom.key(), Open(atom.key(), ask))
    return tuple(found.values())


def _conditions(rule: Rule) -> tuple[Condition, ...]:
    named = (rule.exposure, rule.symptoms.signature, *rule.symptoms.supporting, *rule.symptoms.contrary)
    return tuple(one for one in named if one is not None)


def _of_range(rule: Rule, about: str) -> str:
    return f"{about} range of {rule.id}"


@dataclass(frozen=True)
class Supposed:
    """How a rule would stand: can it happen, its signature, how many supporting signs, whether a contrary one."""

    exposure: Truth
    signature: Truth
    supporting: int
    contrary: bool


class Rulebook:
    """One rule with every condition judged once on a case, to be joined again as often as something is supposed."""

    def __init__(self, rule: Rule, view: View) -> None:
        without = rule.engine != "any" and not view.case.build.engine  # a number without an engine places nothing
        self._built = Truth.UNKNOWN if without else build_affected(rule, view).truth
        self._own = _of_range(rule, "")
        self._truths: dict[str, Truth] = {}
        symptoms = rule.symptoms
        self._exposure, self._signature = self._planned(rule.exposure, view), self._planned(symptoms.signature, view)
        self._supporting = [self._planned(one, view) for one in symptoms.supporting]
        self._contrary = [self._planned(one, view) for one in symptoms.contrary]

    def _planned(self, condition: Condition | None, view: View) -> Plan:
        """The condition by the keys of its atoms, each judged on the way."""
        if condition is None:
            return ""
        if isinstance(condition, Atom):
            key = condition.key()
            if key not in self._truths:
                self._truths[key] = evaluate(condition, view).truth
            return key
        return condition.kind, tuple(self._planned(part, view) for part in condition.parts)

    def suppose(self, key: str = "", truth: Truth = Truth.UNKNOWN) -> Supposed:
        """The rule with the point named by `key` decided so; as it stands without one."""
        truths = {**self._truths, key: truth}
        truths[""] = Truth.YES
        exposure = every((self._range(key, truth), _joined(self._exposure, truths)))
        truths[""] = Truth.UNKNOWN
        return Supposed(
            exposure,
            _joined(self._signature, truths),
            sum(_joined(one, truths) is Truth.YES for one in self._supporting),
            any(_joined(one, truths) is Truth.YES for one in self._contrary),
        )

    def _range(self, key: str, truth: Truth) -> Truth:
        if key == ENGINE and truth is Truth.NO:
            return Truth.NO
        return truth if key.endswith(self._own) else self._built


def _joined(plan: Plan, truths: Mapping[str, Truth]) -> Truth:
    if isinstance(plan, str):
        return truths[plan]
    kind, parts = plan
    if kind == "not":
        return ~_joined(parts[0], truths)
    joined = (_joined(part, truths) for part in parts)
    return every(joined) if kind == "all" else some(joined)
