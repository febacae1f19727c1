"""Case → judgement: every rule's verdict on one case, in the order to read them.

Only the rules that the case calls for are built and judged (`model/trigger.py`): the rest have nothing to say of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from advisor.catalog.compiled import Section, compiled, rules
from advisor.catalog.engines import knowledge, named
from advisor.match.calling import Met, called
from advisor.match.judge import Verdict, applies, judge, speaks
from advisor.match.layers import layers
from advisor.match.rank import in_order
from advisor.match.view import View
from advisor.model.build import Build, Component
from advisor.model.case import Case
from advisor.model.condition import Atom, atoms
from advisor.model.fact import TRIED, FactKind
from advisor.model.late import cached_property, dataclass
from advisor.model.launch import Launch, Setting, Variable
from advisor.model.rule import Rule
from advisor.patterns import PatternError

if TYPE_CHECKING:
    from advisor.scan.gate import Gate


@dataclass(frozen=True)
class Judgement:
    """A case, how it looks, and every verdict worth showing, in order.

    `considered` is how many rules can speak of the case at all; `among` are the rules that were judged where they are
    not the catalogue.
    """

    case: Case
    view: View
    verdicts: list[Verdict]
    considered: int
    among: tuple[Rule, ...] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def downstream(self) -> list[Atom]:
        """The lines that some rule calls a consequence of its failure; none where the case has no lines."""
        if not self.view.told.may("log", ""):
            return []
        if self.among is None:
            return [atom for one in speaking_of(self.view.engines) for atom in compiled().texts(one).downstream]
        lines = (line for rule in self.among if applies(rule, *self.view.engines) for line in rule.symptoms.downstream)
        return [atom for line in lines for atom in atoms(line)]

    @cached_property
    def judged(self) -> tuple[Verdict, ...]:
        """The verdict of every rule, those with nothing to show among them."""
        among = catalogue() if self.among is None else self.among
        return tuple(_verdicts((one for one in among if applies(one, *self.view.engines)), self.view, []))


@cache
def catalogue() -> tuple[Rule, ...]:
    """Every usable rule: of the shipped catalogue and of the user's own folders."""
    return rules().rules


@cache
def catalogue_weights() -> dict[str, float]:
    """How distinctive each condition of these is."""
    return {key: weight for _, own in compiled().all() for key, weight in own.items()}


def catalogue_problems() -> tuple[str, ...]:
    """A line for each rule file of the shipped catalogue that cannot be used."""
    return compiled().problems


def _kinds() -> dict[str, FactKind]:
    from advisor.jobs.vocabulary import kinds

    return kinds()


def view_of(case: Case) -> View:
    """The case as conditions see it."""
    found = layers(case, {name: knowledge(name) for name in named()})
    gate = partial(gate_of, tuple(one.build.engine for one in found))
    return View(_with_base(case, found[0].build), found, _kinds, gate)


@cache
def gate_of(engines: tuple[str, ...]) -> Gate:
    """What tells which patterns of these engines' rules a text can show."""
    from advisor.scan.gate import Gate
    from advisor.scan.plan import joined

    return Gate.by(joined(compiled().texts(one).plan for one in speaking_of(engines)))


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
    return View(view.case.but(launches=more), view.layers, view.kinds, view.gate)


def judge_case(case: Case, among: tuple[Rule, ...] | None = None) -> Judgement:
    """Every rule's verdict on a case, in the order to read them; of the whole catalogue unless `among` is given."""
    view = view_of(case)
    left_out: list[str] = []
    if among is None:
        sections = {one: compiled().section(one) for one in speaking_of(view.engines)}
        asked = [compiled().rule(place) for one, section in sections.items() for place in _called(one, section, view)]
        considered = sum(len(one.rules) for one in sections.values())
        weight = {key: own for _, each in asked for key, own in each.items()}
        here = [rule for rule, _ in asked]
    else:
        from advisor.model.weight import weights

        here = [rule for rule in among if applies(rule, *view.engines)]
        considered, weight = len(here), weights(among)
    verdicts = list(_verdicts(here, view, left_out, speaks))
    return Judgement(view.case, view, in_order(verdicts, weight), considered, among, tuple(left_out))


def speaking_of(engines: Sequence[str]) -> list[str]:
    """Whose rules speak of one of these engines; everybody's while the engine is not known."""
    return [one for one in compiled().engines if one == "any" or not any(engines) or one in engines]


def rules_called(view: View) -> Iterator[Rule]:
    """The rules of the catalogue that a case calls for."""
    for one in speaking_of(view.engines):
        section = compiled().section(one)
        yield from (compiled().rule(place)[0] for place in _called(one, section, view))


def rules_asking(view: View, about: Iterable[tuple[str, str]]) -> Iterator[Rule]:
    """The rules that ask about one of these things (kind and name; "" for all of a kind), for this case's engines."""
    for one in speaking_of(view.engines):
        section, numbers = compiled().section(one), set[int]()
        for kind, name in about:
            names = section.asks.get(kind, {})
            for found in names.values() if not name else (names.get(name, ()),):
                numbers.update(found)
        yield from (compiled().rule(section.place(number))[0] for number in sorted(numbers))


def _called(engine: str, section: Section, view: View) -> Iterator[tuple[int, int, int]]:
    """The places of the rules of an engine that the case calls for, in the order of ids."""
    logs = compiled().texts(engine).logs if view.told.may("log", "") else {}
    return map(section.place, sorted({*section.always, *called(section.seen, logs, Met(section.asked, view))}))


def _verdicts(
    rules: Iterable[Rule], view: View, left_out: list[str], wanted: Callable[[Rule, View], bool] = lambda *_: True
) -> Iterator[Verdict]:
    for rule in rules:
        try:
            if wanted(rule, view):
                yield judge(rule, view)
        except PatternError as error:
            left_out.append(f"{rule.id} left out: a pattern is outside the linear-time language: {error}")
