"""`advisor diagnose`: a conversation, and the report that it ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.faces import evidence
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import (
    Format,
    NoRedact,
    Threshold,
    catalogue_problems,
    colour,
    exit_code,
    rendered,
    width,
)
from advisor.faces.telling import complain
from advisor.render.language import speaking

USAGE = 2


def diagnose(
    files: evidence.Files = None,
    engine: evidence.Engine = "",
    version: evidence.Version = "",
    flags: evidence.Flags = None,
    env: evidence.Env = None,
    repo: evidence.Repo = None,
    installed: evidence.Installed = None,
    component: evidence.Component = None,
    hardware: evidence.Hardware = None,
    model: evidence.Model = "",
    symptom: evidence.Symptom = None,
    log: evidence.Log = None,
    stack: evidence.Stack = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ask nobody: take the answers from this file (docs/diagnose.md)."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last diagnosis.")] = False,
    most: Annotated[int, typer.Option(metavar="N", min=0, help="Ask at most so many questions.")] = 5,
    format: Annotated[Format, typer.Option(help="Output format of the report.")] = Format.text,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file for the ticket; advisor-diagnosis.md by default.")
    ] = None,
    fail_on: Annotated[Threshold, typer.Option(help="As for check.")] = Threshold.exposed,
    rules: OwnRules = None,
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """Paste what you have and be asked what is missing, one question at a time."""
    take(rules)
    from advisor.faces import diagnosing

    given: dict[str, str | list[str] | None] = {
        "files": files, "engine": engine, "version": version, "flags": flags, "env": env,
        "repo": str(repo) if repo else None, "installed": installed, "component": component, "hardware": hardware,
        "model": model, "symptom": symptom, "log": log, "stack": stack,
    }  # fmt: skip
    page = diagnosing.Page(colour(None), width(), format is Format.text)
    with speaking(lang.value):
        done = diagnosing.diagnose(given, page, answers=answers, resume=resume, most=most, output=output)
        if not page.is_text:
            files_of.write(rendered(done.report, format, None, False), None)
    complain([*done.problems, *catalogue_problems()])
    raise typer.Exit(USAGE if done.problems else exit_code([done.report], fail_on))
