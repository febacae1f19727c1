"""`advisor upgrade`: a launch in, the smallest release that clears it out, with the edit as a diff."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import completion, reference
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import NoRedact
from advisor.render.language import speaking

OK, FOUND = 0, 1


def upgrade(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A deployment file; its release and flags are taken from it."),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            autocompletion=completion.launched,
            help="vllm, vllm-ascend, sglang, lmdeploy or xllm; by default the file's only one.",
        ),
    ] = "",
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="VERSION",
            autocompletion=completion.release,
            help="What runs now; by default as pinned.",
        ),
    ] = "",
    limit: Annotated[
        str,
        typer.Option(
            "--to", metavar="VERSION", autocompletion=completion.release, help="No later release than this one."
        ),
    ] = "",
    flags: Annotated[str, typer.Option(help="The command line, or just the flags, in the place of a file.")] = "",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every question that stays open.")] = False,
    format: reference.Format = reference.Page.text,
    rules: OwnRules = None,
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """The smallest release with nothing known against a launch, and what changes on the way."""
    take(rules)
    with speaking(lang.value):
        raise typer.Exit(_upgrade(file, engine, start, limit, flags, verbose, format))


def _upgrade(
    file: Path | None, engine: str, start: str, limit: str, flags: str, verbose: bool, format: reference.Page
) -> int:
    from advisor.jobs import upgrade as job
    from advisor.render import upgrade_page
    from advisor.render.json import json_of

    if file is not None and flags:
        raise UsageError("does not go with a file", "--flags", "give one of the two")
    if file is None and not start:
        raise UsageError("needs the release that runs now", "--from", "such as --from 0.28.0")
    if file is not None and file.is_dir():
        raise UsageError("is a folder", str(file), "upgrade takes one file")
    content = files_of.read(str(file)).content if file is not None else b""
    report = job.upgrade(job.UpgradeRequest(engine, start, limit, flags, str(file or ""), content))
    if format is reference.Page.json:
        files_of.write(json_of(report), None)
    else:
        width = min(shutil.get_terminal_size((80, 24)).columns, 110)
        files_of.write(upgrade_page.page(report, width, verbose=verbose), None)
    return OK if report.clears else FOUND
