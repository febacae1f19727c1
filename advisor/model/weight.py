"""How distinctive a condition is: one that many rules share tells little, so adding a rule adjusts the weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from math import log

from advisor.model.condition import atoms
from advisor.model.rule import Rule


def weights(rules: Iterable[Rule]) -> dict[str, float]:
    """Weight of each condition by its key: log((rules + 1) / rules that use it)."""
    rules = tuple(rules)
    used = Counter(chain.from_iterable(map(weighed, rules)))
    return {key: log((len(rules) + 1) / count) for key, count in used.items()}


def weighed(rule: Rule) -> set[str]:
    """The keys of the conditions of a rule that tell for it."""
    conditions = (rule.exposure, rule.symptoms.signature, *rule.symptoms.supporting)
    return {atom.key() for condition in conditions for atom in atoms(condition)}
