"""Verdicts in the order an operator should read them.

Status first, then whether what tells the failure from its look-alikes was seen, then how distinctive what is known is:
symptoms seen count whole, preconditions half. A sign that many rules share weighs little: its weight is the logarithm
of how rare it is in the catalogue, so adding a rule adjusts the weights by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from advisor.match.judge import Verdict
from advisor.model.condition import atoms
from advisor.model.report import STATUSES
from advisor.model.rule import Rule
from advisor.model.truth import Truth


def weights(rules: Iterable[Rule]) -> dict[str, float]:
    """Weight of each condition: log((rules + 1) / rules that use it)."""
    rules = tuple(rules)
    used: Counter[str] = Counter()
    for rule in rules:
        conditions = (rule.exposure, rule.symptoms.signature, *rule.symptoms.supporting)
        used.update({atom.key() for condition in conditions for atom in atoms(condition)})
    return {key: log((len(rules) + 1) / count) for key, count in used.items()}


def score(verdict: Verdict, weight: Mapping[str, float]) -> float:
    """How distinctive what is known is for this rule: symptoms seen, and half as much preconditions that hold."""
    seen = sum(weight.get(sign, 0.0) for sign in verdict.signs())
    held = (
        sum(weight.get(sign, 0.0) for sign in verdict.exposure.signs) if verdict.exposure.truth is not Truth.NO else 0.0
    )
    return seen + held / 2


def in_order(verdicts: Iterable[Verdict], weight: dict[str, float]) -> list[Verdict]:
    """Shown verdicts, most telling first; ties in the order of rule ids."""
    shown = [one for one in verdicts if one.status is not None]
    return sorted(
        shown,
        key=lambda one: (
            STATUSES.index(one.status or "ruled_out"),
            one.signature.truth is not Truth.YES,
            -score(one, weight),
            one.rule.id,
        ),
    )
