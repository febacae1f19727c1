"""docs/lint-output.md describes every field of `advisor-lint/1`, and its examples are what the outputs print."""

import re

import pytest

from advisor.jobs import configuration, directives
from advisor.jobs.suppressing import CHECKS
from advisor.model.lint import LINT_SCHEMA
from advisor.render.annotations import annotations
from advisor.render.lint_text import lint_text
from tests.render.json_doc import TABLE, meanings
from tests.render.lint_doc import PATH, nouns, refreshed
from tests.render.lint_reports import RICH

PAGE = PATH.read_text(encoding="utf-8")
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def test_the_tables_are_those_of_the_nouns(refresh):
    page = PATH.read_text(encoding="utf-8")
    if refresh:
        page = refreshed(page)
        PATH.write_text(page, encoding="utf-8")
    assert page == refreshed(page), "run pytest tests/render --refresh-golden, then describe what is new"


def test_every_noun_has_its_table_and_every_field_its_meaning():
    page = PATH.read_text(encoding="utf-8")
    assert sorted(name for name, _ in TABLE.findall(page)) == sorted(nouns())
    silent = [
        f"{noun}.{field}" for noun, rows in meanings(page).items() for field, said in rows.items() if not said.strip()
    ]
    assert not silent and LINT_SCHEMA in page


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
