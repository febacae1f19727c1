"""Validate the rules' files, and run their cases: what `advisor rules` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.catalog import schema
from advisor.catalog.compiled import rules
from advisor.catalog.places import rule_files, rules_root
from advisor.catalog.schema import Problem
from advisor.catalog.validators import validate
from advisor.errors import AdvisorError, RuleError, UsageError
from advisor.jobs.rule_cases import KINDS, RuleCase, case_folders, read_case, run
from advisor.jobs.vocabulary import kinds
from advisor.model.rule import Rule
from advisor.yaml import load


@dataclass(frozen=True)
class TestResult:
    """What running the cases showed, as lines for a person."""

    lines: tuple[str, ...]
    failed: int


def validate_rules(base: Path | None = None) -> tuple[int, list[Problem]]:
    """How many rule files there are and every problem in them."""
    folder = base or rules_root()
    beside = () if base is None else tuple(rule.id for rule in rules().rules)
    count, problems = validate(folder, kinds(), beside)
    if not count:
        raise UsageError("no rules here", str(folder), "a rules folder holds <engine>/<slug>/rule.yaml")
    return count, sorted([*problems, *_case_problems(folder), *_empty_folders(folder)])


def blanks(base: Path, rule: str) -> list[Problem]:
    """What is still blank in the files of one rule, as `validate_rules` lists it."""
    file = base / rule / "rule.yaml"
    problems = [*schema.read(file, str(file.relative_to(base.parent)))[2], *_case_problems(base, rule)]
    return sorted(one for one in problems if one.name == "blank")


def _case_problems(folder: Path, only: str = "") -> list[Problem]:
    found = []
    for case in case_folders(folder, only):
        name = str(case.relative_to(folder.parent))
        try:
            read_case(folder, case)
        except RuleError as error:
            line = (error.where or "").rpartition(":")[2]
            found.append(Problem(f"{name}/expect.yaml", int(line) if line.isdigit() else 1, "case", error.what))
        else:
            document = load((case / "expect.yaml").read_text(encoding="utf-8"), name)
            found += schema.blanks(document.value, document, f"{name}/expect.yaml")
    return found


def _empty_folders(folder: Path) -> list[Problem]:
    bare = [one for one in sorted(folder.glob("[!.]*/[!.]*")) if one.is_dir() and not (one / "rule.yaml").is_file()]
    return [Problem(f"{one.relative_to(folder.parent)}/rule.yaml", 1, "no-rule", "is missing") for one in bare]


def test_rules(base: Path | None = None, only: str = "") -> TestResult:
    """Run every case (of one rule, when `only` names it) against the rules of the folder, and no others."""
    folder = base or rules_root()
    among = rules(folder.resolve()).rules if base else None
    lines, failed, gaps, ran = [], 0, 0, 0
    if only and not (folder / only / "rule.yaml").is_file():
        raise UsageError(f"no rule {only!r}", str(folder), "advisor rules list shows every rule")
    found: dict[str, set[str]] = {"/".join(file.parts[-3:-1]): set() for file in rule_files(folder)}
    for place in case_folders(folder, only):
        ran += 1
        try:
            case = read_case(folder, place)
        except RuleError as error:
            failed += 1
            lines.append(f"FAIL  {error.line()}")
            continue
        found.setdefault(case.rule, set()).add(case.kind)
        wrong = _run(case, among)
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


def _run(case: RuleCase, among: tuple[Rule, ...] | None) -> list[str]:
    try:
        return run(case, among)
    except AdvisorError as error:
        return [error.line()]


test_rules.__test__ = False  # type: ignore[attr-defined]
TestResult.__test__ = False  # type: ignore[attr-defined]
