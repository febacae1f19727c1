"""Case → judgement: every rule's verdict on one case, in the order to read them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from advisor.catalog.compiled import rules
from advisor.catalog.engines import knowledge, named
from advisor.match.judge import Verdict, applies, judge
from advisor.match.layers import layers
from advisor.match.rank import in_order, weights
from advisor.match.view import View
from advisor.model.build import Build, Component
from advisor.model.case import Case
from advisor.model.fact import TRIED, FactKind
from advisor.model.launch import Launch, Setting, Variable
from advisor.model.rule import Rule
from advisor.patterns import PatternError


@dataclass(frozen=True)
class Judgement:
    """A case, how it looks, and every verdict worth showing, in order. `judged`: the verdict of every rule."""

    case: Case
    view: View
    verdicts: list[Verdict]
    judged: tuple[Verdict, ...]
    left_out: tuple[str, ...] = ()

    @property
    def among(self) -> tuple[Rule, ...]:
        """The rules that were judged."""
        return tuple(one.rule for one in self.judged)


@cache
def catalogue() -> tuple[Rule, ...]:
    """Every usable rule of the shipped catalogue."""
    return rules().rules


@cache
def catalogue_weights() -> dict[str, float]:
    """How distinctive each condition of the shipped catalogue is."""
    return weights(catalogue())


def catalogue_problems() -> tuple[str, ...]:
    """A line for each rule file of the shipped catalogue that cannot be used."""
    return rules().problems


def _kinds() -> dict[str, FactKind]:
    from advisor.jobs.vocabulary import kinds

    return kinds()


def view_of(case: Case) -> View:
    """The case as conditions see it."""
    found = layers(case, {name: knowledge(name) for name in named()})
    return View(_with_base(case, found[0].build), found, _kinds)


def _with_base(case: Case, base: Build) -> Case:
    """The case with the engine below its plugin among the components, where it only follows from the plugin."""
    if base.origin != "default":
        return case
    below = Component(base.engine, base.version or "", "default", base.text)
    return case.but(build=case.build.but(components=(*case.build.components, below)))


def with_trials(view: View) -> View:
    """The case as if what the user says was tried were in force: for advice that was followed already."""
    tried = [fact for fact in view.case.facts if fact.name.startswith(TRIED)]
    if not tried:
        return view
    names = {fact.name.removeprefix(TRIED): fact for fact in tried}
    settings = tuple(Setting(name, fact.value, name, fact.span) for name, fact in names.items() if name.startswith("-"))
    variables = tuple(
        Variable(name, str(fact.value), fact.span) for name, fact in names.items() if not name.startswith("-")
    )
    launches = view.case.launches or (Launch(view.base.engine),)
    more = tuple(
        replace(one, settings=one.settings + settings, environment=one.environment + variables) for one in launches
    )
    return View(view.case.but(launches=more), view.layers, view.kinds)


def judge_case(case: Case, among: tuple[Rule, ...] | None = None) -> Judgement:
    """Every rule's verdict on a case, in the order to read them."""
    weight = catalogue_weights() if among is None else weights(among)
    among = catalogue() if among is None else among
    view = view_of(case)
    considered = [rule for rule in among if applies(rule, *view.engines)]
    verdicts, left_out = [], []
    for rule in considered:
        try:
            verdicts.append(judge(rule, view))
        except PatternError as error:
            left_out.append(f"{rule.id} left out: a pattern is outside the linear-time language: {error}")
    return Judgement(view.case, view, in_order(verdicts, weight), tuple(verdicts), tuple(left_out))
