"""JSON lines in, reports out: one case a line with the keys id engine version launch env hardware symptom log.

Every value is text and may be empty or absent. A line that is not such a case still gives a report, saying so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.model.report import Report

KEYS = ("id", "engine", "version", "launch", "env", "hardware", "symptom", "log")


def reports(content: str) -> Iterator[tuple[Report, str]]:
    """A report for each line that is not blank, in order, and what is wrong with the line ("" when nothing is)."""
    for line in content.splitlines():
        if line.strip():
            yield _report(line)


def _report(line: str) -> tuple[Report, str]:
    problem, case = "", {}
    try:
        value = json.loads(line)
        case = value if isinstance(value, dict) else {}
        problem = "" if isinstance(value, dict) else "not a JSON object"
    except ValueError as error:
        problem = f"not JSON: {error}"
    except RecursionError:
        problem = "not a case: nested too deeply"
    odd = [key for key in KEYS if not isinstance(case.get(key, ""), str | int | float | None)]
    problem = problem or (f"not text: {', '.join(odd)}" if odd else "")
    texts = {key: "" if key in odd or case.get(key) is None else str(case[key]) for key in KEYS if key in case}
    report = check(request({key: texts.get(key, "") for key in KEYS})).report
    if problem:
        report = replace(report, coverage=replace(report.coverage, notes=(problem, *report.coverage.notes)))
    return report, problem


def request(case: dict[str, str]) -> Request:
    """The request of one batch line. Nothing in it is an error: a batch is evidence, not instructions."""

    def some(key: str) -> tuple[str, ...]:
        return (case[key],) if case[key].strip() else ()

    return Request(
        engine=case["engine"],
        version=case["version"],
        flags=some("launch"),
        env=some("env"),
        hardware=some("hardware"),
        symptoms=some("symptom"),
        files=(File("log", case["log"].encode("utf-8", "replace")),) if case["log"].strip() else (),
        id=case["id"],
        strict=False,
        bare_is_complete=False,
    )
