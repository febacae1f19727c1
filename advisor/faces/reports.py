"""What the commands that answer with a report share: how it is written, and the exit code that it means."""

from __future__ import annotations

import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.redaction import show_as_given

if TYPE_CHECKING:
    from advisor.model.report import Report

OK, FOUND = 0, 1


def _shown_as_given(value: bool) -> bool:
    if value:
        show_as_given()
    return value


NoRedact = Annotated[
    bool,
    typer.Option(
        "--no-redact",
        callback=_shown_as_given,
        help="Show secrets, hosts, addresses, users and prompts as they were given (docs/privacy.md).",
    ),
]


class Format(StrEnum):
    """How a report is written."""

    text = "text"
    json = "json"
    markdown = "markdown"
    html = "html"


class Threshold(StrEnum):
    """The weakest status that makes exit code 1."""

    matched = "matched"
    likely = "likely"
    possible = "possible"
    exposed = "exposed"
    never = "never"


def rendered(report: Report, format: Format, output: Path | None, verbose: bool) -> str:
    """The report in this format, as wide and as coloured as where it goes."""
    if format is Format.json:
        from advisor.render.json import json

        return json(report)
    if format is Format.markdown:
        from advisor.render.markdown import markdown

        return markdown(report)
    if format is Format.html:
        from advisor.render.html import html

        return html(report)
    from advisor.render.text import text

    return text(report, colour=colour(output), width=width(), verbose=verbose)


def colour(output: Path | None) -> bool:
    """Whether colours are wanted: by a terminal alone, and not where NO_COLOR stands."""
    return output is None and sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def width() -> int:
    """Columns of the terminal, 110 at most: longer lines are hard to read."""
    return min(shutil.get_terminal_size((80, 24)).columns, 110)


def catalogue_problems() -> list[str]:
    """A line for each rule file of the shipped catalogue that cannot be used."""
    from advisor.jobs import judging

    return list(judging.catalogue_problems())


def exit_code(reports: list[Report], threshold: Threshold) -> int:
    """Whether anything in the reports is to be acted on."""
    from advisor.model.report import STATUSES

    if threshold is Threshold.never:
        return OK
    acted = STATUSES[: STATUSES.index(threshold.value) + 1]
    found = any(one.status in acted for report in reports for one in report.findings)
    refused = any(one.level == "error" for report in reports for one in report.discrepancies)
    return FOUND if found or refused else OK
