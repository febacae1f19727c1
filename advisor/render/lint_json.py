"""Lint report -> JSON: the contract `advisor-lint/1`, keys in the order of the nouns (docs/lint-output.md)."""

from __future__ import annotations

from advisor.model.lint import LintReport
from advisor.render.json import json_of


def lint_json(report: LintReport) -> str:
    """The report as one indented JSON document, ending in a newline."""
    return json_of(report)
