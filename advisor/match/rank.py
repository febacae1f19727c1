"""Verdicts in the order an operator should read them.

Status first, then how distinctive the symptoms seen are. A sign that many rules share weighs little: its weight is
the logarithm of how rare it is in the catalogue, so adding a rule adjusts the weights by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import log

from advisor.match.judge import Verdict
from advisor.model.condition import atoms
from advisor.model.report import STATUSES
from advisor.model.rule import Rule
from advisor.model.truth import Truth


def weights(rules: Iterable[Rule]) -> dict[str, float]:
    """Weight of each symptom condition: log((rules + 1) / rules that use it)."""
    rules = tuple(rules)
    used: Counter[str] = Counter()
    for rule in rules:
        conditions = (rule.symptoms.signature, *rule.symptoms.supporting)
        used.update({atom.key() for condition in conditions for atom in atoms(condition)})
    return {key: log((len(rules) + 1) / count) for key, count in used.items()}


def score(verdict: Verdict, weight: dict[str, float]) -> float:
    """How distinctive what was seen is for this rule; preconditions known to hold break ties."""
    seen = sum(weight.get(sign, 0.0) for sign in verdict.signs())
    return seen + 0.01 * len(verdict.exposure.because) * (verdict.exposure.truth is not Truth.NO)


def in_order(verdicts: Iterable[Verdict], weight: dict[str, float]) -> list[Verdict]:
    """Shown verdicts, most telling first; ties in the order of rule ids."""
    shown = [one for one in verdicts if one.status is not None]
    return sorted(shown, key=lambda one: (STATUSES.index(one.status or "ruled_out"), -score(one, weight), one.rule.id))
