"""Verdicts in the order an operator should read them.

Status first, then whether what tells the failure from its look-alikes was seen, then how distinctive what is known is:
symptoms seen count whole, preconditions half. A sign that many rules share weighs little (`model/weight.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.match.judge import Verdict
from advisor.model.report import STATUSES
from advisor.model.truth import Truth


def score(verdict: Verdict, weight: Mapping[str, float]) -> float:
    """How distinctive what is known is for this rule: symptoms seen, and half as much preconditions that hold."""
    seen = sum(weight.get(sign, 0.0) for sign in verdict.signs())
    held = (
        sum(weight.get(sign, 0.0) for sign in verdict.exposure.signs) if verdict.exposure.truth is not Truth.NO else 0.0
    )
    return seen + held / 2


def in_order(verdicts: Iterable[Verdict], weight: Mapping[str, float]) -> list[Verdict]:
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
