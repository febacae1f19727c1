"""A remedy as if it were carried out → what else would be so then: failures that can be met only then, and advice of
rules which can be met here that it would go against.

    --no-async-scheduling against one hang     vllm/v2-pp-sync-scheduling-corrupts advises against it
    upgrade to 0.5.21                          sglang/spec-tp-sync-narrowed can be met there

Only rules that ask about what a remedy changes are looked at: the flags and variables, the facts derived from them, a
library's version, or, where the engine's own release changes, all that the launch calls for at the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial

from advisor.advice.remedies import EDITS, Edit, after, unsaid
from advisor.catalog.compiled import Compiled, compiled
from advisor.jobs.judging import Judgement, rules_asking, rules_called, view_of
from advisor.match.conditions import holds, truth
from advisor.match.derived import CONTAINER
from advisor.match.judge import applies, build_affected, exposed_at_all, fits
from advisor.match.view import View
from advisor.model.case import Case
from advisor.model.condition import Atom, Condition
from advisor.model.late import cached_property
from advisor.model.once import once_each
from advisor.model.report import BringsOut
from advisor.model.rule import Advice, Remedy, Rule
from advisor.model.truth import Truth, truth_of

RELEASES = ("upgrade", "downgrade", "component")
CHANGES = (*EDITS, *RELEASES)
"""Remedies of which it is known, as data, what they change."""
_OF_BUILDS = ("build.", "banner.", "component.", CONTAINER)  # facts that tell of the build
_WORST = ("harmful", "contradicts", "exposed")
Open = Callable[[Atom], bool]
"""Whether it is not known how an atom will be."""


class Asking:
    """What a remedy changes, by kind and name, and the rules that ask about it; `against` are those of which advice
    says that something harms, by id."""

    def __init__(self, about: Sequence[tuple[str, str]], rules: Iterable[Rule]) -> None:
        self.about, self.rules = frozenset(about), tuple({one.id: one for one in rules}.values())
        self.against = {one.id: one for one in self.rules if tries(one)}


class Prospect:
    """What remedies would bring to one judged case; `edit` carries one out in a launch."""

    def __init__(self, judgement: Judgement, edit: Edit) -> None:
        self._judgement, self.edit = judgement, edit
        self._made: dict[tuple[tuple[str, int], ...], View] = {}

    def brings(self, rule: Rule, remedy: Remedy) -> tuple[BringsOut, ...]:
        """What the remedy of a rule would bring, the worst first; nothing where it is not known what it changes."""
        if remedy.do not in CHANGES:
            return ()
        found: list[BringsOut] = []
        if remedy.do in RELEASES:
            found += self._at_release(rule, remedy)
        elif (asking := self._asking(remedy)).rules:
            found += self._alone(rule, remedy, asking.rules)
            known = {(one.rule, one.says) for one in found}
            found += self._together(rule, remedy, asking, known) if asking.against else ()
        found += self._contradicted(rule, remedy) if remedy.do in EDITS else ()
        return tuple(sorted(found, key=lambda one: (_WORST.index(one.how), one.rule)))

    def _at_release(self, rule: Rule, remedy: Remedy) -> Iterator[BringsOut]:
        view = self._afterwards((rule, remedy))
        if not (remedy.set or remedy.unset or remedy.env):
            self._share(view)
        for one in {each.id: each for each in (*self._called(view), *self._libraries().rules)}.values():
            if one.id != rule.id and one.id not in self._exposed and newly_exposed(one, self._before, view):
                yield BringsOut(one.id, "exposed", one.gist)
            if tries(one):
                yield from (BringsOut(one.id, "harmful", each.what) for each in harms(one, self._before, view))

    def _share(self, view: View) -> None:
        """Let a view of the same launches on another build have what is known of them already."""
        view.like = self._judgement.view, partial(_is_fixed, self._given, self._judgement.view.told.recipes)
        before = self._before
        if len(view.case.facts) == len(before.case.facts) and view.knowledge is before.knowledge:
            view.told = before.told  # none of the facts told of the build

    def _alone(self, rule: Rule, remedy: Remedy, asking: Iterable[Rule]) -> Iterator[BringsOut]:
        """What an edit brings: the launch is edited only where the case before leaves it open."""
        before, left = self._before, self._left_open(remedy)
        for one in asking:
            comes = one.id != rule.id and one.id not in self._exposed and self._may_come(one, remedy, left)
            if comes and newly_exposed(one, before, self._afterwards((rule, remedy))):
                yield BringsOut(one.id, "exposed", one.gist)
            if self._may_harm(one, left):
                view = self._afterwards((rule, remedy))
                yield from (BringsOut(one.id, "harmful", each.what) for each in harms(one, before, view))

    def _may_come(self, one: Rule, remedy: Remedy, left: Open) -> bool:
        """Whether it is still open that the failure can be met after an edit. A variable may show a plugin, of which
        the rule's build would be another one."""
        return (bool(remedy.env) or must_have(one, self._before)) and could(one.exposure, self._before, left)

    def _may_harm(self, one: Rule, left: Open) -> bool:
        """Whether it is still open that advice which harms is followed only afterwards."""
        return any(could(each, self._before, left) and not holds(each, self._before) for each in tries(one))

    def _together(self, rule: Rule, remedy: Remedy, asking: Asking, known: set[tuple[str, str]]) -> Iterator[BringsOut]:
        """What is advised against only where another remedy that is shown is carried out as well."""
        for of, other in self._others:
            shares = other.do in RELEASES or not asking.against.keys().isdisjoint(self._asking(other).against)
            if other is remedy or not shares or contradiction(remedy, other):
                continue
            left = self._left_open(remedy, other)
            against = [one for one in asking.against.values() if self._may_harm(one, left)]
            if not against:
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
    def _given(self) -> set[str]:
        """The flags that every launch gives."""
        flags = [{each.flag for each in one.settings} for one in self._judgement.case.launches]
        return flags[0].intersection(*flags[1:]) if flags else set()

    @cached_property
    def _says(self) -> bool:
        """Whether facts were said about the launch, which an edit leaves unsaid."""
        case = self._judgement.case
        return len(unsaid(case)) < len(case.facts)

    @cached_property
    def _before(self) -> View:
        """The case before, as far as it is set: logs and stacks of the old run say nothing of the new one."""
        return view_of(unrun(self._judgement.case))

    def _afterwards(self, *remedies: tuple[Rule, Remedy]) -> View:
        """The case once these are carried out: made once for all that would make the same of it."""
        key = tuple((rule.engine, id(remedy)) for rule, remedy in remedies)  # remedies live as long as the rules judged
        if key not in self._made:
            case = self._judgement.case
            for rule, remedy in remedies:
                case = after(case, remedy, self.edit, rule.engine)
            self._made[key] = view_of(case)
        return self._made[key]

    def _left_open(self, *remedies: Remedy) -> Open:
        """Of which atoms the case before does not tell how they are once these are carried out."""
        about = frozenset[tuple[str, str]]().union(*(self._asking(one).about for one in remedies))
        if any(one.do in RELEASES for one in remedies):
            return lambda atom: atom.kind != "env" or ("env", atom.name) in about
        shows = any(one.env for one in remedies)  # a variable may show a plugin
        facts = self._says

        def left(atom: Atom) -> bool:
            kind, name = atom.kind, atom.name
            if kind == "setting":
                name = name.partition(".")[0]
            elif kind in ("component", "hardware"):
                return shows
            elif kind == "fact" and (facts or name == CONTAINER):
                return True
            return kind == "model" or (kind, name) in about

        return left

    def _asking(self, remedy: Remedy) -> Asking:
        view = self._judgement.view
        if self._judgement.among is not None:
            about = tuple(touched(remedy, view))
            return Asking(about, self._among(about))
        known, key = _asking_of(remedy), (compiled(), view.engines)
        if key not in known:
            about = tuple(touched(remedy, view))
            known[key] = Asking(about, self._among(about))
        return known[key]

    def _libraries(self) -> Asking:
        """The rules that ask about any library."""
        about = (("component", ""),)
        if self._judgement.among is not None:
            return Asking(about, self._among(about))
        view = self._judgement.view
        known, key = _of_libraries(compiled()), view.engines
        if key not in known:
            known[key] = Asking(about, self._among(about))
        return known[key]

    def _among(self, about: Sequence[tuple[str, str]]) -> list[Rule]:
        if self._judgement.among is None:
            return list(rules_asking(self._judgement.view, about))
        return [one for one in self._judgement.among if applies(one, *self._judgement.view.engines)]

    def _called(self, view: View) -> Iterable[Rule]:
        return rules_called(view) if self._judgement.among is None else ()


def _is_fixed(given: Container[str], recipes: Container[str], kind: str, name: str) -> bool:
    """Whether neither build nor texts tell of it, so that of another build it is the same: `given` are the flags that
    every launch gives, `recipes` the facts that follow from others."""
    if kind == "setting":
        return name in given
    if kind == "fact":
        return name not in recipes and not name.startswith(_OF_BUILDS)
    return kind in ("env", "model") or (kind == "hardware" and name != "vendor")


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


@once_each
def _asking_of(remedy: Remedy) -> dict[tuple[Compiled, tuple[str, ...]], Asking]:
    """What asks about what a remedy changes, by the catalogue and the engines of the process: for every launch."""
    return {}


@once_each
def _of_libraries(catalogue: Compiled) -> dict[tuple[str, ...], Asking]:
    """What asks about libraries, by the engines of the process."""
    return {}


def could(condition: Condition | None, view: View, left: Open, wanted: bool = True) -> bool:
    """Whether a condition could come to hold, with `wanted` False to fail, where only atoms left open may change."""
    if condition is None:
        return wanted
    if isinstance(condition, Atom):
        return left(condition) or truth(condition, view) is truth_of(wanted)
    if condition.kind == "not":
        return could(condition.parts[0], view, left, not wanted)
    each = (condition.kind == "all") is wanted
    for part in condition.parts:  # `all` and `any` written out: asked fifty times a case
        if could(part, view, left, wanted) is not each:
            return not each
    return each


def _nothing(_: Atom) -> bool:
    return False


def newly_exposed(rule: Rule, before: View, view: View) -> bool:
    """Whether the rule's failure can surely be met afterwards, and could not surely before."""
    holds_then = must_have(rule, view) and could(rule.exposure, view, _nothing)  # sooner told than `holds`
    return holds_then and exposed_at_all(rule, view) and not exposed_at_all(rule, before)


def must_have(rule: Rule, view: View) -> bool:
    """Whether the build surely has the failure, as far as one answer serves every launch of it: asked first."""
    if libraries := _libraries_of(rule):
        return not all(view.told.unsaid("component", one) for one in libraries) or _has(rule, view.bare)
    known = view.bare.has.get(id(rule))
    if known is None:
        known = view.bare.has[id(rule)] = rule, _has(rule, view)  # the rule is kept, so that no other gets its number
    return known[1]


def _has(rule: Rule, view: View) -> bool:
    return build_affected(rule, view).truth is Truth.YES


@once_each
def _libraries_of(rule: Rule) -> tuple[str, ...]:
    """The libraries that a rule ranges over."""
    return tuple(entry.component for entry in rule.affected if entry.component)


@once_each
def tries(rule: Rule) -> tuple[Condition, ...]:
    """How each harmful advice of a rule shows that it is followed, where that shows."""
    return tuple(one.tried for one in rule.harmful if one.tried is not None)


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
