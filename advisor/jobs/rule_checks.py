"""Validate the rules' files, and run their cases: what `advisor rules` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.catalog.places import rule_files, rules_root
from advisor.catalog.schema import Problem
from advisor.catalog.validators import validate
from advisor.errors import AdvisorError
from advisor.jobs.rule_cases import KINDS, RuleCase, cases, run
from advisor.jobs.vocabulary import kinds


@dataclass(frozen=True)
class TestResult:
    """What running the cases showed, as lines for a person."""

    lines: tuple[str, ...]
    failed: int


def validate_rules(base: Path | None = None) -> tuple[int, list[Problem]]:
    """How many rule files there are and every problem in them."""
    return validate(base or rules_root(), kinds())


def test_rules(base: Path | None = None, only: str = "") -> TestResult:
    """Run every case (of one rule, when `only` names it)."""
    lines, failed, gaps, ran = [], 0, 0, 0
    found: dict[str, set[str]] = {"/".join(file.parts[-3:-1]): set() for file in rule_files(base or rules_root())}
    for case in cases(base, only):
        ran += 1
        found.setdefault(case.rule, set()).add(case.kind)
        wrong = _run(case)
        if wrong and case.todo:
            gaps += 1
            lines.append(f"todo  {case}: {case.todo}")
        elif wrong:
            failed += 1
            lines += [f"FAIL  {case}: {one}" for one in wrong]
    lines += [
        f"lacks {rule}: no {kind}- case"
        for rule in sorted(found)
        if only in ("", rule)
        for kind in KINDS
        if kind not in found[rule]
    ]
    lines.append(f"{ran} cases, {failed} failed, {gaps} known gaps")
    return TestResult(tuple(lines), failed)


def _run(case: RuleCase) -> list[str]:
    try:
        return run(case)
    except AdvisorError as error:
        return [error.line()]


test_rules.__test__ = False  # type: ignore[attr-defined]
TestResult.__test__ = False  # type: ignore[attr-defined]
