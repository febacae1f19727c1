"""The examples of docs/lint-output.md are what the outputs print and what suppressions are understood from."""

import re

import pytest

from advisor.jobs import configuration, directives
from advisor.jobs.suppressing import CHECKS
from advisor.render.annotations import annotations
from advisor.render.lint_text import lint_text
from tests.render.contract_doc import DOCS
from tests.render.lint_reports import RICH

PAGE = (DOCS / "lint-output.md").read_text(encoding="utf-8")
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def test_the_page_names_every_finding_about_suppressions():
    assert all(f"`{one.id}`" in PAGE for one in CHECKS)


@pytest.mark.parametrize("output", [lint_text, annotations])
def test_the_examples_are_what_is_printed(output):
    examples = [body for kind, body in FENCE.findall(PAGE) if kind == "text"]
    printed = output(RICH)
    assert any(body in printed for body in examples)


def test_the_examples_of_suppressions_are_understood():
    names = {"yaml": "a.yaml", "sh": "a.sh", "dockerfile": "Dockerfile", "python": "a.py"}
    for kind, body in FENCE.findall(PAGE):
        if kind in names and "advisor: ignore" in body:
            (found,) = directives.of_comments(names.pop(kind), body)
            assert not found.trouble and found.reason and found.rules
    assert not names
    for kind, body in FENCE.findall(PAGE):
        if kind == "toml":
            read = configuration.read("pyproject.toml" if "tool.advisor" in body else "advisor.toml", body)
            assert read is not None and read.ignores
