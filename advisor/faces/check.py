"""`advisor check`: a case in, the report out; or a batch of cases, a report a line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import evidence
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import Format, NoRedact, Threshold, catalogue_problems, exit_code, rendered
from advisor.faces.telling import complain
from advisor.render.language import speaking

OK, USAGE, DEFECT = 0, 2, 3


def check(
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
    said: evidence.Said = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="JSON lines, one case a line; one JSON report a line out. - reads standard input."
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the report to this file instead.")
    ] = None,
    fail_on: Annotated[
        Threshold,
        typer.Option(help="Exit 1 at this status or a stronger one, and at a setting that the engine refuses."),
    ] = Threshold.exposed,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every finding in full.")] = False,
    rules: OwnRules = None,
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """Judge one case: which known failure is this, or can this deployment meet?"""
    take(rules)
    if batch is not None:
        if any(
            (files, engine, version, flags, env, repo, installed, component, hardware, model, symptom, log, stack, said)
        ):
            raise UsageError("takes its cases from the file alone", "--batch", "leave the other inputs out")
        raise typer.Exit(_batch(batch, output, fail_on))
    from advisor.jobs.check import check as judge

    given = evidence.given(
        files, engine, version, flags, env, repo, installed, component, hardware, model, symptom, log, stack, said
    )
    if not (evidence.anything(given.request) or given.request.unread):
        raise UsageError("nothing was given", "check", "name files, --flags, --symptom …; advisor diagnose asks")
    answer = judge(given.request)
    problems = [*given.problems, *answer.problems]
    with speaking(lang.value):
        files_of.write(rendered(answer.report, format, output, verbose), output, given.inputs)
    complain([*(error.line() for error in problems), *catalogue_problems()])
    raise typer.Exit(USAGE if problems else exit_code([answer.report], fail_on))


def _batch(source: Path, output: Path | None, threshold: Threshold) -> int:
    from advisor.faces.batch import Unfinished, answers

    content = files_of.read(str(source)).content.decode("utf-8", "replace")
    lines, problems, code, end, number = [], [], OK, "", 0
    try:
        for found in answers(content, threshold):
            wrong = enumerate(found.problems, number + 1)
            problems += [f"{source}:{at}: {problem}" for at, problem in wrong if problem]
            number += len(found.problems)
            code = max(code, found.code)
            if output is None:
                files_of.write_lines(found.lines)
            else:
                lines.append(found.lines)
    except Unfinished as error:
        end = f"{source}: {number} of its cases are answered: {error}"
    if output is not None:
        files_of.write(b"\n".join(lines).decode(), output, [str(source)])
    complain([*problems, *filter(None, [end])])
    return DEFECT if end else USAGE if problems else code
