"""Lint report -> GitLab's code quality report: a list of issues, shown on merge requests.

Suppressed findings are left out: the format has no mark for them. GitLab takes issues of one fingerprint for one, so a
second finding of the same fingerprint gets one of its own.

**Source:** "Code quality report format" in GitLab's documentation, ci/testing/code_quality.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from advisor.model.lint import LintFinding, LintReport
from advisor.model.rule import Level
from advisor.render.json import json_of
from advisor.render.lint_words import counting, relative
from advisor.render.quoting import prose

SEVERITIES: dict[Level, str] = {"error": "major", "warning": "minor", "note": "info"}


def gitlab(report: LintReport) -> str:
    """The report as a JSON list, in the report's order."""
    times: Counter[str] = Counter()
    issues = []
    for one in counting(report):
        times[one.fingerprint] += 1
        issues.append(_issue(one, times[one.fingerprint]))
    return json_of(issues)


def _issue(one: LintFinding, time: int) -> dict[str, Any]:
    first = max(1, one.region.line)
    key = one.fingerprint if time == 1 else f"{one.fingerprint}\x1f{time}"
    return {
        "description": prose(" ".join([one.says, *one.advice])),
        "check_name": one.id,
        "fingerprint": hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32],
        "severity": SEVERITIES[one.level],
        "location": {
            "path": relative(one.region.file),
            "lines": {"begin": first, "end": max(first, one.region.end_line)},
        },
    }
