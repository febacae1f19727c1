"""A lint report -> the findings that make a run fail.

A finding fails a run when it is not suppressed, is at or above the level asked for, and something can be done about it.
Whether an incident would leave evidence is advice, not a defect: such findings are let in only when asked for.
"""

from __future__ import annotations

from collections.abc import Collection

from advisor.model.lint import Actionability, LintFinding, LintReport
from advisor.model.rule import Level
from advisor.model.suppression import FailOn

DEFAULT_FAIL_ON: Level = "warning"
DEFAULT_ACTIONABLE: frozenset[Actionability] = frozenset({"fix released", "workaround"})

_RANKS: dict[Level, int] = {"note": 0, "warning": 1, "error": 2}


def failing(
    report: LintReport,
    fail_on: FailOn = DEFAULT_FAIL_ON,
    actionable: Collection[Actionability] = DEFAULT_ACTIONABLE,
    *,
    evidence: bool = False,
) -> tuple[LintFinding, ...]:
    """The findings that make the run fail, in the report's order; none when `fail_on` is `never`."""
    if fail_on == "never":
        return ()
    least = _RANKS[fail_on]
    return tuple(
        one
        for one in report.findings
        if one.suppressed is None
        and _RANKS[one.level] >= least
        and one.actionability in actionable
        and (evidence or one.kind != "evidence")
    )
