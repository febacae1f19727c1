"""The command line: parse a request, call one job, hand the report to a renderer, decide the exit code.

Exit codes, whatever the output format: 0 nothing to act on, 1 findings at or above the threshold, 2 wrong usage,
nothing readable, or an input that could not be read (what could be is still reported), 3 our own defect,
130 interrupted.
"""

from __future__ import annotations

import os
import shutil
import sys
from copy import copy
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from advisor import __version__
from advisor.errors import AdvisorError, UsageError
from advisor.faces import completion, drafting, evidence, reference
from advisor.faces import files as files_of
from advisor.faces.bare_options import command_with
from advisor.faces.collect import collect
from advisor.faces.fix import fix
from advisor.faces.front_page import FrontPage
from advisor.faces.language import Lang, Language
from advisor.faces.lint import lint as lint_files
from advisor.faces.mcp.command import mcp
from advisor.faces.patch import PatchCommand, patch
from advisor.faces.search import search
from advisor.faces.serve import serve
from advisor.faces.upgrade import upgrade
from advisor.faces.verify import verify
from advisor.model.report import STATUSES, Report
from advisor.render.language import speaking

OK, FOUND, USAGE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 130
PROGRAM = "advisor"  # however it was started: completion is bound to this name

app = typer.Typer(
    name="advisor",
    cls=FrontPage,
    help="Known failures of vLLM, SGLang, LMDeploy and xLLM: which one is this, which fix, what to change now.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
rules_app = typer.Typer(help="The rules themselves: list, validate, test.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(rules_app, name="rules")
app.add_typer(reference.knowledge_app, name="knowledge")


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


@app.command(cls=command_with("--installed"))
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
    lang: Lang = Language.en,
) -> None:
    """Judge one case: which known failure is this, or can this deployment meet?"""
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
    answer = judge(given.request)
    problems = [*given.problems, *answer.problems]
    with speaking(lang.value):
        files_of.write(_rendered(answer.report, format, output, verbose), output, given.inputs)
    _complain([*(error.line() for error in problems), *_catalogue_problems()])
    raise typer.Exit(USAGE if problems else _code([answer.report], fail_on))


@app.command(cls=command_with("--installed"))
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
    lang: Lang = Language.en,
) -> None:
    """Paste what you have and be asked what is missing, one question at a time."""
    from advisor.faces import diagnosing

    given: dict[str, str | list[str] | None] = {
        "files": files, "engine": engine, "version": version, "flags": flags, "env": env,
        "repo": str(repo) if repo else None, "installed": installed, "component": component, "hardware": hardware,
        "model": model, "symptom": symptom, "log": log, "stack": stack,
    }  # fmt: skip
    page = diagnosing.Page(_colour(None), _width(), format is Format.text)
    with speaking(lang.value):
        done = diagnosing.diagnose(given, page, answers=answers, resume=resume, most=most, output=output)
        if not page.is_text:
            files_of.write(_rendered(done.report, format, None, False), None)
    _complain([*done.problems, *_catalogue_problems()])
    raise typer.Exit(USAGE if done.problems else _code([done.report], fail_on))


def _rendered(report: Report, format: Format, output: Path | None, verbose: bool) -> str:
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

    return text(report, colour=_colour(output), width=_width(), verbose=verbose)


def _colour(output: Path | None) -> bool:
    """Whether colours are wanted: by a terminal alone, and not where NO_COLOR stands."""
    return output is None and sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _width() -> int:
    """Columns of the terminal, 110 at most: longer lines are hard to read."""
    return min(shutil.get_terminal_size((80, 24)).columns, 110)


def _complain(lines: list[str]) -> None:
    for line in dict.fromkeys(lines):
        typer.echo(f"advisor: {line}", err=True)


def _catalogue_problems() -> list[str]:
    from advisor.jobs.judging import catalogue_problems

    return list(catalogue_problems())


def _code(reports: list[Report], threshold: Threshold) -> int:
    if threshold is Threshold.never:
        return OK
    acted = STATUSES[: STATUSES.index(threshold.value) + 1]
    found = any(one.status in acted for report in reports for one in report.findings)
    refused = any(one.level == "error" for report in reports for one in report.discrepancies)
    return FOUND if found or refused else OK


def _batch(source: Path, output: Path | None, threshold: Threshold) -> int:
    from advisor.faces.batch import answers

    content = files_of.read(str(source)).content.decode("utf-8", "replace")
    lines, problems, code = [], [], OK
    for number, found in enumerate(answers(content, partial(_code_of, threshold=threshold)), 1):
        if found.problem:
            problems.append(f"{source}:{number}: {found.problem}")
        code = max(code, found.code)
        if output is None:
            files_of.write(found.text, None)
        else:
            lines.append(found.text)
    if output is not None:
        files_of.write("\n".join(lines), output, [str(source)])
    _complain(problems)
    return USAGE if problems else code


def _code_of(report: Report, threshold: Threshold) -> int:
    return _code([report], threshold)


class Prose(StrEnum):
    """How a page is written."""

    text = "text"
    markdown = "markdown"
    json = "json"


@app.command()
def explain(
    rule: Annotated[
        str, typer.Argument(autocompletion=completion.rule, help="A rule id, or the upstream thread: #53402.")
    ],
    format: Annotated[Prose, typer.Option(help="Output format.")] = Prose.text,
    lang: Lang = Language.en,
) -> None:
    """Print a rule as a page: what happens, who has it, fixes, remedies, verification, sources."""
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

        files_of.write(rule_page(found, fixes(found), width=_width()), None)


class Contract(StrEnum):
    """Whose JSON."""

    report = "report"
    lint = "lint"
    fix = "fix"
    upgrade = "upgrade"
    search = "search"
    verify = "verify"
    explain = "explain"


@app.command()
def schema(
    of: Annotated[
        Contract, typer.Argument(help="`report` is what check prints, the others what the command of that name does.")
    ] = Contract.report,
) -> None:
    """Print the JSON Schema of what `--format json` prints (docs/json.md, lint-output.md, fix.md, …)."""
    from advisor.render.schema import schema_of

    files_of.write(schema_of(of.value), None)


app.command()(collect)
app.command()(reference.flags)
app.command()(reference.release)
app.command()(fix)
app.command("lint")(lint_files)
app.command("patch", cls=PatchCommand)(patch)
app.command()(upgrade)
app.command()(mcp)
app.command()(search)
app.command()(serve)
app.command()(drafting.draft)
rules_app.command("new")(drafting.new)
app.command("verify", cls=command_with("--installed"))(verify)


@rules_app.command("list")
def list_rules() -> None:
    """Every rule: id, level, summary."""
    from advisor.jobs.judging import catalogue

    for rule in catalogue():
        typer.echo(f"{rule.id:<42} {rule.level:<8} {rule.summary}")
    _complain(_catalogue_problems())


@rules_app.command()
def facts() -> None:
    """The facts a rule may name, as a Markdown page (docs/vocabulary.md)."""
    from advisor.jobs.vocabulary import kinds, recipes
    from advisor.render.vocabulary_page import vocabulary_page

    files_of.write(vocabulary_page([kinds()[name] for name in sorted(kinds())], recipes()), None)


Base = Annotated[
    Path | None, typer.Option("--rules", metavar="DIR", help="Another rules folder; the shipped one by default.")
]


@rules_app.command()
def validate(rules: Base = None) -> None:
    """Every problem of every rule file, with file and line."""
    from advisor.jobs.rule_checks import validate_rules

    count, problems = validate_rules(_folder(rules))
    for problem in problems:
        typer.echo(str(problem))
    typer.echo(f"{count} rule{'s' * (count != 1)}, {len(problems)} problem{'s' * (len(problems) != 1)}")
    raise typer.Exit(FOUND if problems else OK)


@rules_app.command()
def test(
    rule: Annotated[
        str, typer.Argument(autocompletion=completion.rule, help="One rule's id; every rule by default.")
    ] = "",
    rules: Base = None,
) -> None:
    """Run the rules' cases, and say which rules lack which kind of case."""
    from advisor.jobs.rule_checks import test_rules

    result = test_rules(_folder(rules), rule)
    for line in result.lines:
        typer.echo(line)
    raise typer.Exit(FOUND if result.failed else OK)


def _folder(rules: Path | None) -> Path | None:
    if rules is not None and not rules.is_dir():
        raise UsageError("no such folder", f"--rules {rules}", None)
    return rules


def _version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit(OK)


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Known failures of LLM inference engines."""


def main() -> None:
    """Run the command line; every failure leaves one line and an exit code."""
    try:
        code = typer.main.get_command(_called(sys.argv[1:2])).main(prog_name=PROGRAM, standalone_mode=False)
    except AdvisorError as error:
        _complain([error.line()])
        code = USAGE
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except Exception as error:
        code = _failed(error)
    sys.exit(code if isinstance(code, int) else OK)


def _called(words: list[str]) -> typer.Typer:
    """The application with the one command that is called alone, else all of it: to build them all takes as long as to
    judge a launch."""
    named = [one for one in app.registered_commands if words == [one.name or getattr(one.callback, "__name__", "")]]
    if not named:
        return app
    alone = copy(app)
    alone.registered_commands, alone.registered_groups = named, []
    return alone


def _failed(error: Exception) -> int:
    """A usage error of the option parser in one line; anything else is our own defect."""
    message = getattr(error, "format_message", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(message() if message else "", err=True)
        return USAGE
    if message is not None:
        command = " ".join(["advisor", *sys.argv[1:2]])
        _complain([f"{message()} ({command} --help shows the options)"])
        return USAGE
    if type(error).__name__ in ("Abort", "Exit"):
        return INTERRUPTED if type(error).__name__ == "Abort" else int(getattr(error, "exit_code", OK))
    if "ADVISOR_TRACEBACK" in os.environ:
        raise error
    what = f"a defect in advisor itself: {type(error).__name__}: {error}"
    _complain([f"{what} (ADVISOR_TRACEBACK=1 shows where; please report it)"])
    return DEFECT
