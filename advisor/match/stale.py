"""Rules × workloads -> workarounds that their build no longer needs.

    SGLANG_REQ_WAITING_TIMEOUT=0 on sglang 0.5.21    works around sglang/timeout-abort-divergence, fixed in 0.5.20

A setting counts only where it stands in the file at exactly the value that a rule's remedy gives it, the build is known
to hold the rule's fix, and all the rest of the rule's exposure would hold: elsewhere it stands for another reason. One
whose loss would open another failure that this build can have is not stale. A flag that is absent proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.match.conditions import compare, evaluate, truth
from advisor.match.judge import applies, build_affected, fits
from advisor.match.observation import Check, Observation, assigned, place_of
from advisor.match.view import Answer, View
from advisor.model.condition import Atom, atoms
from advisor.model.deployment import Place, Workload
from advisor.model.knowledge import Knowledge
from advisor.model.outcome import Missing
from advisor.model.rule import Remedy, Rule
from advisor.model.truth import Truth

STALE = Check(
    "stale-workaround", "stale", "note", "A setting that worked around a failure which this build has the fix of.",
    "The setting is one that a rule's remedy introduces, at that very value; the build holds the rule's fix, complete "
    "or not verified for every case; and apart from the setting the rule would apply. It may stand here for another "
    "reason: the finding is about that rule alone. Silent while any other known failure is kept off by it.",
)  # fmt: skip
CHECKS = (STALE,)

Held = Callable[[Rule], str | None]
"""Where a rule's fix came in, as people name it (a release, a commit), when the build holds it; else None."""


@dataclass
class _Without(View):
    """The case as if nothing were known of some flags and variables."""

    names: frozenset[str] = field(default_factory=frozenset)

    def ask(self, kind: str, name: str, value: Any = None, op: str = "") -> Answer:
        if kind in ("setting", "env") and name.partition(".")[0] in self.names:
            return Answer(missing=Missing(f"{kind}:{name}", name))
        return super().ask(kind, name, value, op)


class Workarounds:
    """Rules, and what of them `stale` looks for in every case: sorted out once for a catalogue."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        given = ((rule, tuple(filter(_is_setting, rule.remedies))) for rule in rules)
        self.rules = tuple(rules)
        self.remedied = tuple((rule, mine, frozenset().union(*map(_names, mine))) for rule, mine in given if mine)
        self._hanging: dict[tuple[frozenset[str], Knowledge | None], tuple[Rule, ...]] = {}

    def hanging_on(self, names: frozenset[str], knowledge: Knowledge | None) -> tuple[Rule, ...]:
        """The rules whose exposure asks for one of these flags and variables, itself or through a fact."""
        key = (names, knowledge)
        if key not in self._hanging:
            recipes = (knowledge.profile.get("facts") if knowledge else None) or {}
            asking = (rule for rule in self.rules if any(_asks(one, names, recipes) for one in atoms(rule.exposure)))
            self._hanging[key] = tuple(asking)
        return self._hanging[key]


def _names(remedy: Remedy) -> frozenset[str]:
    return frozenset((*(remedy.set or ()), *(remedy.env or ())))


def _is_setting(remedy: Remedy) -> bool:
    return remedy.do in ("set", "env") and remedy.status != "suggested"


def _asks(atom: Atom, names: frozenset[str], recipes: Mapping[str, Any]) -> bool:
    if atom.kind in ("setting", "env"):
        return atom.name.partition(".")[0] in names
    return atom.kind == "fact" and _is_made_of(atom.name, names, recipes, 0)


def _is_made_of(fact: str, names: frozenset[str], recipes: Mapping[str, Any], depth: int) -> bool:
    """Whether a recipe reads one of the names, or multiplies facts of which one does."""
    recipe = recipes.get(fact) or {}
    read = (*(recipe.get("settings") or ()), *(recipe.get("env") or ()))
    parts = recipe.get("product") or () if depth < len(recipes) else ()
    return any(one.partition(".")[0] in names for one in read) or any(
        _is_made_of(one, names, recipes, depth + 1) for one in parts
    )


def stale(
    workloads: Sequence[Workload], view: View, among: Workarounds, held: Held
) -> Iterator[tuple[Workload, Observation]]:
    """Every stale workaround of workloads that are one case, with the workload in which it stands."""
    given = {one.flag for workload in workloads for one in workload.launch.settings}
    given |= {one.name for workload in workloads for one in workload.environment}
    for rule, mine, changed in among.remedied:
        if changed.isdisjoint(given):
            continue
        found = [(one, present) for one in mine for present in [_present(one, workloads)] if present]
        if not found or not applies(rule, *view.engines) or build_affected(rule, view).truth is not Truth.NO:
            continue
        since = held(rule)
        for remedy, (workload, places) in found if since else ():
            names = _names(remedy)
            hidden = _Without(view.case, view.layers, view.kinds, names=names)
            if fits(remedy, view) and _would_apply(rule, hidden) and not _kept_off(among, view, hidden):
                yield workload, _observed(rule, view, places, since or "")


def _present(remedy: Remedy, workloads: Sequence[Workload]) -> tuple[Workload, dict[str, Place]] | None:
    """The first workload that has the remedy's change in its text, and where."""
    for workload in workloads:
        places = _settings(remedy.set or {}, workload) if remedy.set else _variables(remedy.env or {}, workload)
        if places:
            return workload, places
    return None


def _settings(wanted: Mapping[str, Any], workload: Workload) -> dict[str, Place]:
    """The places of all of the flags at those values; none when one is missing or has another value."""
    found = {}
    for flag, value in wanted.items():
        given = workload.launch.setting(flag)
        place = place_of(workload, given)
        if given is None or place is None or compare("is", given.value, value) is not Truth.YES:
            return {}
        found[f"{given.typed} {given.value}" if given.value is not True else given.typed] = place
    return found


def _variables(wanted: Mapping[str, str | None], workload: Workload) -> dict[str, Place]:
    """The places of the variables that are set at those values; none when one is set to another."""
    found = {}
    for name, value in wanted.items():
        given = assigned(workload, name)
        if given is None:
            continue
        if value is None or not given.known or compare("is", given.value, value) is not Truth.YES:
            return {}
        found[f"{name}={given.value}"] = given.place
    return found


def _would_apply(rule: Rule, hidden: _Without) -> bool:
    """Whether the exposure holds, or hangs on nothing but what is hidden."""
    outcome = evaluate(rule.exposure, hidden)
    undecided = outcome.truth is Truth.UNKNOWN and bool(outcome.missing)
    return outcome.truth is Truth.YES or (undecided and all(_hangs_on(one, hidden) for one in outcome.missing))


def _hangs_on(missing: Missing, hidden: _Without) -> bool:
    """Whether what is missing is hidden, or is a fact that is read from something hidden."""
    kind, _, name = missing.about.partition(":")
    if kind in ("setting", "env"):
        return name.partition(".")[0] in hidden.names
    read = hidden.knowledge.read_from(name) if hidden.knowledge and kind == "fact" else ()
    return any(one.partition(".")[0] in hidden.names for one in read)


def _kept_off(among: Workarounds, view: View, hidden: _Without) -> bool:
    """Whether some failure that this build can have is ruled out only by what is hidden."""
    return any(
        truth(rule.exposure, view) is Truth.NO
        and truth(rule.exposure, hidden) is not Truth.NO
        and build_affected(rule, view).truth is not Truth.NO
        for rule in among.hanging_on(hidden.names, view.knowledge)
        if applies(rule, *view.engines)
    )


def _observed(rule: Rule, view: View, places: Mapping[str, Place], since: str) -> Observation:
    what = " ".join(places)
    says = f"{what} works around {rule.id}; {view.case.build.label()} has the fix, it can be dropped since {since}"
    first, *others = places.items()
    advice = (f"remove {what} if it stands here for {rule.id} alone",)
    because = (f"{rule.id}: {rule.gist}", f"fixed in {since}")
    more = tuple((place, says) for says, place in others)
    return Observation(STALE, says, first[1], f"{rule.id} {what}", because, advice, more)
