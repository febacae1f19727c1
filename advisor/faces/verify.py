"""`advisor verify`: a rule and evidence taken after the change, judged: pass, fail, or not enough yet."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import completion, evidence, reference
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import NoRedact
from advisor.faces.telling import complain
from advisor.render.language import speaking

OK, FOUND, USAGE = 0, 1, 2


def verify(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RULE] [EVIDENCE]...",
            autocompletion=completion.first_rule,
            help="The rule (by default the one that leads --report), then what was taken since the change: logs, "
            "stacks, /metrics twice.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The JSON report from before the change; its leading finding is the rule."),
    ] = None,
    confirmed: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="You have seen step N met, which no reader can judge. Repeatable."),
    ] = None,
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
    format: reference.Format = reference.Page.text,
    rules: OwnRules = None,
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """Has the change cured it? Judges a rule's verification steps on evidence taken after the change."""
    take(rules)
    from advisor.jobs import verify as job
    from advisor.render.json import json_of
    from advisor.render.verify_page import page

    before = job.earlier(files_of.read(str(report)).content, str(report)) if report is not None else None
    named = list(words or ())
    if before is None and not named:
        raise UsageError("names no rule", "RULE", "advisor verify RULE EVIDENCE…, or --report FILE EVIDENCE…")
    named_one = before is None or bool(named and not Path(named[0]).exists() and job.is_rule(named[0]))
    if before is None and Path(named[0]).exists() and not job.is_rule(named[0]):
        raise UsageError("is evidence, and no rule is named", named[0], "advisor verify RULE EVIDENCE…")
    rule = named.pop(0) if named_one else ""
    given = evidence.given(
        named, engine, version, flags, env, repo, installed, component, hardware, model, symptom, log, stack
    )
    found, problems = job.verify(rule, given.request, before, tuple(confirmed or ()))
    width = min(shutil.get_terminal_size((80, 24)).columns, 110)
    with speaking(lang.value):
        files_of.write(json_of(found) if format is reference.Page.json else page(found, width), None)
    lines = [error.line() for error in (*given.problems, *problems)]
    complain(lines)
    raise typer.Exit(USAGE if lines else OK if found.outcome == "pass" else FOUND)
