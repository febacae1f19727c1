"""A rule → what calls for it: what has to be seen of a case before the rule can have anything to say of it.

    exposure: {all: [{setting: --enable-x, is: true}, {fact: topology.tp, more_than: 1}]}
    signature: {any: [{log: 'a'}, {stack: [b]}]}
        → --enable-x is true and topology.tp is more than 1; a in a log; a thread in b

A rule is worth showing only where its exposure, its signature or a supporting sign holds. Each holds only if one of its
calls is met whole; so a case that meets none of them need not be judged by the rule, which need not even be loaded.
A call need not say all that a condition asks for, only nothing that it does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.model.condition import Atom, Condition, atom_of
from advisor.model.rule import Rule

_COMMON = {"log": 1, "stack": 1, "env": 2, "model": 3, "component": 4, "setting": 4, "hardware": 6, "fact": 6}
"""How many cases show such a thing, the fewest first."""
_WENT_WRONG = ("symptom.", "collective.", "error.")  # facts of a case in which something was seen to
_UNMET = 9  # a thing known not to be so: of most settings that is known
_TOGETHER = 4  # triggers of one call: more would tell little


class Trigger(NamedTuple):
    """An atom that has to hold, or with `holds` False has to be known not to."""

    atom: Atom
    holds: bool


Call = tuple[Trigger, ...]
"""Triggers that have to be met together, the one that fewest cases show first."""
Shared = Mapping[Trigger, int]
"""How many rules ask for a thing: of what many ask for, many cases show some."""


def calls(rule: Rule, shared: Shared) -> frozenset[Call] | None:
    """Any case that the rule has something to say of meets one of these; None where any case at all may do."""
    if rule.exposure is None:  # every build of its range has it
        return None
    return frozenset().union(*(needed(part, shared) for part in _showing(rule)))


def counted(rules: Iterable[Rule]) -> Counter[Trigger]:
    """How many rules ask for each thing."""
    return Counter(one for rule in rules for one in {each for part in _showing(rule) for each in _asked(part, True)})


def _showing(rule: Rule) -> tuple[Condition, ...]:
    symptoms = rule.symptoms
    return tuple(one for one in (rule.exposure, symptoms.signature, *symptoms.supporting) if one is not None)


def _asked(condition: Condition, holds: bool) -> Iterator[Trigger]:
    if isinstance(condition, Atom):
        yield _trigger(condition, holds)
        return
    for part in condition.parts:
        yield from _asked(part, holds is not (condition.kind == "not"))


def _trigger(atom: Atom, holds: bool) -> Trigger:
    """Two rules that ask for the same in other words share it."""
    return Trigger(atom_of(atom.kind, atom.name, atom.op, atom.value), holds)


def needed(condition: Condition, shared: Shared, holds: bool = True) -> frozenset[Call]:
    """Calls of which one is met whenever the condition holds, with `holds` False whenever it is known not to."""
    if isinstance(condition, Atom):
        return frozenset(((_trigger(condition, holds),),))
    if condition.kind == "not":
        return needed(condition.parts[0], shared, not holds)
    parts = [needed(part, shared, holds) for part in condition.parts]
    if (condition.kind == "all") is not holds:
        return frozenset().union(*parts)
    rarest = min(parts, key=lambda part: _common_of(part, shared))
    beside = [one for part in parts if len(part) == 1 for call in part for one in call]
    return frozenset(_ordered({*call, *beside}, shared) for call in rarest)


def _ordered(triggers: Iterable[Trigger], shared: Shared) -> Call:
    return tuple(sorted(triggers, key=lambda one: (*_common(one, shared), str(one)))[:_TOGETHER])


def _common_of(found: Iterable[Call], shared: Shared) -> tuple[int, int]:
    costs = [_common(call[0], shared) for call in found]
    return max(cost for cost, _ in costs), sum(count for _, count in costs)


def _common(one: Trigger, shared: Shared) -> tuple[int, int]:
    kind = "log" if one.atom.name.startswith(_WENT_WRONG) else one.atom.kind
    return _COMMON[kind] if one.holds else _UNMET, shared.get(one, 0)
