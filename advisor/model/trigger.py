"""A rule → its triggers: what has to be seen of a case before the rule can have anything to say of it.

    exposure: {all: [{setting: --enable-x, is: true}, {fact: topology.tp, more_than: 1}]}
    signature: {any: [{log: 'a'}, {stack: [b]}]}     → --enable-x is true · a in a log · a thread in b

A rule is worth showing only where its exposure, its signature or a supporting sign holds. Each holds only if one of its
triggers does; so a case that shows none of them need not be judged by the rule, which need not even be loaded. Of what
must hold together one part is enough, and the one that fewest cases show is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.model.condition import Atom, Condition
from advisor.model.rule import Rule

_COMMON = {"log": 1, "stack": 1, "env": 2, "model": 3, "component": 4, "setting": 4, "hardware": 6, "fact": 6}
"""How many cases show such a thing, the fewest first."""
_UNMET = 9  # a thing known not to be so: of most settings that is known


class Trigger(NamedTuple):
    """An atom that has to hold, or with `holds` False has to be known not to."""

    atom: Atom
    holds: bool


def triggers(rule: Rule) -> frozenset[Trigger] | None:
    """What any case must show of which the rule has something to say; None where it may always have."""
    if rule.exposure is None:  # every build of its range has it
        return None
    symptoms = rule.symptoms
    signature = (symptoms.signature,) if symptoms.signature else ()
    return frozenset().union(*map(needed, (rule.exposure, *signature, *symptoms.supporting)))


def needed(condition: Condition, holds: bool = True) -> frozenset[Trigger]:
    """Triggers of which one is there whenever the condition holds, with `holds` False whenever it is known not to."""
    if isinstance(condition, Atom):
        return frozenset((Trigger(condition, holds),))
    if condition.kind == "not":
        return needed(condition.parts[0], not holds)
    parts = [needed(part, holds) for part in condition.parts]
    together = (condition.kind == "all") is holds
    return min(parts, key=_common) if together else frozenset().union(*parts)


def _common(found: Iterable[Trigger]) -> tuple[int, int]:
    costs = [_COMMON[one.atom.kind] if one.holds else _UNMET for one in found]
    return max(costs, default=0), len(costs)
