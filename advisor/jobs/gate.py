"""A lint report -> the findings that make a run fail.

A finding fails a run when it is not suppressed, is at or above the level asked for, and something can be done about it.
Whether an incident would leave evidence is advice, found only where it is asked for, and a note: it fails a run that
notes fail.
"""

from __future__ import annotations

from collections.abc import Collection

from advisor.model.lint import Actionability, LintFinding, LintReport
from advisor.model.rule import LEVELS, Level
from advisor.model.suppression import FailOn

DEFAULT_FAIL_ON: Level = "warning"
DEFAULT_ACTIONABLE: frozenset[Actionability] = frozenset({"fix released", "workaround"})


def failing(
    report: LintReport,
    fail_on: FailOn = DEFAULT_FAIL_ON,
    actionable: Collection[Actionability] = DEFAULT_ACTIONABLE,
) -> tuple[LintFinding, ...]:
    """The findings that make the run fail, in the report's order; none when `fail_on` is `never`."""
    if fail_on == "never":
        return ()
    counting = LEVELS[: LEVELS.index(fail_on) + 1]
    return tuple(
        one
        for one in report.findings
        if one.suppressed is None and one.level in counting and one.actionability in actionable
    )
