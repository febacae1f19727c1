"""A remedy as if it were carried out → what else would be so then: failures that can be met only then, and advice of
rules which can be met here that it would go against.

    --no-async-scheduling against one hang     vllm/v2-pp-sync-scheduling-corrupts advises against it
    upgrade to 0.5.21                          sglang/spec-tp-sync-narrowed can be met there

Only rules that ask about what a remedy changes are looked at: the flags and variables, the facts derived from them, a
library's version, or, where the engine's own release changes, all that the launch calls for at the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from advisor.advice.remedies import EDITS, Edit, after
from advisor.jobs.judging import Judgement, rules_asking, rules_called, view_of
from advisor.match.conditions import holds, truth
from advisor.match.judge import applies, build_affected, exposed_at_all, fits
from advisor.match.view import View
from advisor.model.build import Build
from advisor.model.case import Case
from advisor.model.once import once_each
from advisor.model.report import BringsOut
from advisor.model.rule import Advice, Remedy, Rule
from advisor.model.truth import Truth

RELEASES = ("upgrade", "downgrade", "component")
CHANGES = (*EDITS, *RELEASES)
"""Remedies of which it is known, as data, what they change."""
_BUILDS = 256  # builds remembered of each rule
_WORST = ("harmful", "contradicts", "exposed")


class Prospect:
    """What remedies would bring to one judged case; `edit` carries one out in a launch."""

    def __init__(self, judgement: Judgement, edit: Edit) -> None:
        self._judgement, self.edit = judgement, edit

    def brings(self, rule: Rule, remedy: Remedy) -> tuple[BringsOut, ...]:
        """What the remedy of a rule would bring, the worst first; nothing where it is not known what it changes."""
        if remedy.do not in CHANGES:
            return ()
        asking = self._asking(remedy) if remedy.do in EDITS else []
        found = [*self._alone(rule, remedy, asking)] if asking or remedy.do in RELEASES else []
        against = [one for one in asking if any(each.tried is not None for each in one.harmful)]
        found += self._together(rule, remedy, against, {(one.rule, one.says) for one in found}) if against else ()
        found += self._contradicted(rule, remedy) if remedy.do in EDITS else ()
        return tuple(sorted(found, key=lambda one: (_WORST.index(one.how), one.rule)))

    def _alone(self, rule: Rule, remedy: Remedy, asking: list[Rule]) -> Iterator[BringsOut]:
        view = self._afterwards((rule, remedy))
        here = asking if remedy.do in EDITS else [*self._called(view), *self._among([("component", "")])]
        for one in {each.id: each for each in here}.values():
            if one.id != rule.id and one.id not in self._exposed and newly_exposed(one, self._before, view):
                yield BringsOut(one.id, "exposed", one.gist)
            yield from (BringsOut(one.id, "harmful", each.what) for each in harms(one, self._before, view))

    def _together(
        self, rule: Rule, remedy: Remedy, against: list[Rule], known: set[tuple[str, str]]
    ) -> Iterator[BringsOut]:
        """What is advised against only where another remedy that is shown is carried out as well."""
        for of, other in self._others:
            shares = other.do in RELEASES or any(one in against for one in self._asking(other))
            if other is remedy or not shares or contradiction(remedy, other):
                continue
            both, single = self._afterwards((rule, remedy), (of, other)), self._afterwards((of, other))
            for one in against:
                for each in harms(one, self._before, both):
                    if (one.id, each.what) not in known and each not in harms(one, self._before, single):
                        known.add((one.id, each.what))
                        yield BringsOut(one.id, "harmful", each.what, other.what)

    def _contradicted(self, rule: Rule, remedy: Remedy) -> Iterator[BringsOut]:
        """Remedies of other rules that ask for something else; those of one rule are alternatives."""
        for of, other in self._others:
            if of.id != rule.id and other.status != "suggested" and (name := contradiction(remedy, other)):
                yield BringsOut(of.id, "contradicts", name, other.what)

    @cached_property
    def _others(self) -> list[tuple[Rule, Remedy]]:
        """Every remedy of what is not ruled out that may apply, as far as it is known what it changes."""
        view, verdicts = self._judgement.view, self._judgement.verdicts
        shown = [one.rule for one in verdicts if one.status not in (None, "ruled_out")]
        return [(rule, one) for rule in shown for one in rule.remedies if one.do in CHANGES and fits(one, view)]

    @cached_property
    def _exposed(self) -> set[str]:
        """The rules whose failure can be met as it is."""
        return {one.rule.id for one in self._judgement.verdicts if one.exposure.truth is Truth.YES}

    @cached_property
    def _before(self) -> View:
        """The case before, as far as it is set: logs and stacks of the old run say nothing of the new one."""
        return view_of(unrun(self._judgement.case))

    def _afterwards(self, *remedies: tuple[Rule, Remedy]) -> View:
        case = self._judgement.case
        for rule, remedy in remedies:
            case = after(case, remedy, self.edit, rule.engine)
        return view_of(case)

    def _asking(self, remedy: Remedy) -> list[Rule]:
        return self._among(list(touched(remedy, self._judgement.view)))

    def _among(self, about: Sequence[tuple[str, str]]) -> list[Rule]:
        if self._judgement.among is None:
            return list(rules_asking(self._judgement.view, about))
        return [one for one in self._judgement.among if applies(one, *self._judgement.view.engines)]

    def _called(self, view: View) -> Iterable[Rule]:
        return rules_called(view) if self._judgement.among is None else ()


def unrun(case: Case) -> Case:
    """The case as it is set, nothing of it run."""
    return case.but(artifacts=(), threads=(), situation=())


def contradiction(one: Remedy, other: Remedy) -> str:
    """The flag or variable of which two remedies ask for different things; "" for none."""
    first, second = _wants(one), _wants(other)
    return next((name for name in first if name in second and first[name] != second[name]), "")


def _wants(one: Remedy) -> dict[str, object]:
    return {**(one.set or {}), **dict.fromkeys(one.unset or ()), **(one.env or {})}


def touched(remedy: Remedy, view: View) -> Iterator[tuple[str, str]]:
    """What an edit changes, by kind and name: flags, variables, and the facts that follow from them."""
    known = view.knowledge
    flags = {(known.canonical(one) if known else None) or one for one in (*(remedy.set or ()), *(remedy.unset or ()))}
    roots, variables = {one.partition(".")[0] for one in flags}, set(remedy.env or ())
    yield from (("setting", one) for one in sorted(roots))
    yield from (("env", one) for one in sorted(variables))
    recipes = ((known.profile.get("facts") if known else None) or {}).items()
    facts = {
        name
        for name, recipe in recipes
        if roots & {str(one).partition(".")[0] for one in recipe.get("settings") or ()}
        or variables & set(recipe.get("env") or ())
    }
    yield from (("fact", one) for one in sorted(facts))
    yield from (("fact", name) for name, recipe in recipes if facts & set(recipe.get("product") or ()))


def newly_exposed(rule: Rule, before: View, view: View) -> bool:
    """Whether the rule's failure can surely be met afterwards, and could not surely before."""
    return may_have(rule, view) and exposed_at_all(rule, view) and not exposed_at_all(rule, before)


def may_have(rule: Rule, view: View) -> bool:
    """Whether the engine's build does not rule the failure out: asked first, as one answer serves every launch of it.
    A rule that ranges over a library is not told by it."""
    if any(entry.component for entry in rule.affected):
        return True
    told, build = _by_build(rule), view.layer(rule.engine).build
    if build not in told:
        if len(told) >= _BUILDS:
            told.clear()
        told[build] = build_affected(rule, view).truth is not Truth.NO
    return told[build]


@once_each
def _by_build(rule: Rule) -> dict[Build, bool]:
    """What `may_have` knows of a rule."""
    return {}


def harms(rule: Rule, before: View, view: View) -> Iterator[Advice]:
    """The harmful advice of a rule which would be followed afterwards and was not before, where the rule is not ruled
    out by build or launch, before or afterwards: a harm often lies in that the failure itself goes."""
    for one in rule.harmful:
        if one.tried is None or not holds(one.tried, view) or holds(one.tried, before):
            continue
        if _may_be_met(rule, before) or _may_be_met(rule, view):
            yield one


def _may_be_met(rule: Rule, view: View) -> bool:
    return truth(rule.exposure, view) is not Truth.NO and build_affected(rule, view).truth is not Truth.NO
