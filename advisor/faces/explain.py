"""`advisor explain` and `advisor schema`: a rule as a page, and what the commands' JSON looks like."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from advisor.faces import completion
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import width
from advisor.render.language import speaking


class Prose(StrEnum):
    """How a page is written."""

    text = "text"
    markdown = "markdown"
    json = "json"


def explain(
    rule: Annotated[
        str, typer.Argument(autocompletion=completion.rule, help="A rule id, or the upstream thread: #53402.")
    ],
    format: Annotated[Prose, typer.Option(help="Output format.")] = Prose.text,
    rules: OwnRules = None,
    lang: Lang = Language.en,
) -> None:
    """Print a rule as a page: what happens, who has it, fixes, remedies, verification, sources."""
    take(rules)
    from advisor.jobs.explain import explained, find, fixes

    if format is Prose.json:
        from advisor.render.json import json_of

        files_of.write(json_of(explained(rule)), None)
        return
    found = find(rule)
    with speaking(lang.value):
        if format is Prose.markdown:
            from advisor.render.rule_markdown import rule_markdown

            files_of.write(rule_markdown(found, fixes(found)), None)
            return
        from advisor.render.rule_page import rule_page

        files_of.write(rule_page(found, fixes(found), width=width()), None)


class Contract(StrEnum):
    """Whose JSON."""

    report = "report"
    lint = "lint"
    fix = "fix"
    upgrade = "upgrade"
    search = "search"
    verify = "verify"
    explain = "explain"


def schema(
    of: Annotated[
        Contract, typer.Argument(help="`report` is what check prints, the others what the command of that name does.")
    ] = Contract.report,
) -> None:
    """Print the JSON Schema of what `--format json` prints (docs/json.md, lint-output.md, fix.md, …)."""
    from advisor.render.schema import schema_of

    files_of.write(schema_of(of.value), None)
