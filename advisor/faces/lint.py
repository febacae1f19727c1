"""`advisor lint`: files in, findings out, in as many formats as asked for; the exit code is the gate's."""

from __future__ import annotations

import os
import shutil
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import NoRedact
from advisor.faces.telling import tell
from advisor.render.language import speaking

if TYPE_CHECKING:
    from advisor.jobs.lint import Progress
    from advisor.model.lint import LintFinding, LintReport
    from advisor.model.suppression import Configuration

OK, FOUND, USAGE = 0, 1, 2


class Format(StrEnum):
    """How the findings are written."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    junit = "junit"
    markdown = "markdown"


class FailOn(StrEnum):
    """The lowest level that makes exit code 1."""

    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


class Action(StrEnum):
    """What can be done about a finding."""

    fix = "fix"
    workaround = "workaround"
    none = "none"


_ACTIONS = {Action.fix: "fix released", Action.workaround: "workaround", Action.none: "none"}


def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help="Files and folders, - for standard input; . by default."),
    ] = None,
    format: Annotated[
        list[Format] | None, typer.Option(help="Output format. Repeatable, each with its --output in the same order.")
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Write to this file; a format without one, the first, is printed."),
    ] = None,
    fail_on: Annotated[FailOn | None, typer.Option(help="Exit 1 at this level or above; warning by default.")] = None,
    actionable: Annotated[
        list[Action] | None,
        typer.Option(help="Only findings about which this can be done fail a run; fix and workaround by default."),
    ] = None,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Also say what an incident would leave no trace of.")
    ] = False,
    diff: Annotated[str, typer.Option(metavar="REF", help="Only what has changed since this revision.")] = "",
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Leave out, as in .gitignore. Repeatable.")
    ] = None,
    no_ignore: Annotated[bool, typer.Option("--no-ignore", help="Look at what .gitignore leaves out too.")] = False,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="An advisor.toml or pyproject.toml.")] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Findings known from before do not count.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the findings of now as a baseline, and stop.")
    ] = None,
    suppressed: Annotated[
        bool, typer.Option("--suppressed/--no-suppressed", help="Whether SARIF lists what is suppressed; marked so.")
    ] = True,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0 is one a core.")] = 0,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Read every file anew; keep nothing of it for the next run.")
    ] = False,
    stdin_filename: Annotated[
        str, typer.Option(metavar="NAME", help="What to take standard input for, and to call it in reports.")
    ] = "stdin",
    if_any: Annotated[
        bool, typer.Option("--if-any", help="No error where nothing is recognised; for files chosen by a hook.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Facts and sources of every finding.")] = False,
    rules: OwnRules = None,
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """Known failures and settings that do not fit, in deployment files."""
    from advisor.jobs import lint as job
    from advisor.jobs.lint_cache import usual_folder

    take(rules)
    named = tuple(map(Path, paths or ["."]))
    where = tuple(one for one in named if str(one) != "-")
    if "" in (paths or []):
        raise UsageError("one of them is empty", "PATH", "a variable that is not set?")
    if where != named and diff:
        raise UsageError("nothing says what has changed in standard input", "--diff", None)
    given = ((stdin_filename, files_of.read("-").content),) if where != named else ()
    settings = job.configuration(where, config)
    known = _baseline(baseline, settings)
    changed = _changed(where, diff)
    request = job.LintRequest(
        paths=where,
        today=datetime.now(UTC).date(),
        exclude=(*settings.exclude, *(exclude or ())),
        respect_ignore=not no_ignore,
        evidence=evidence,
        processes=jobs,
        configuration=settings,
        baseline="" if write_baseline else known[1],
        baseline_name=known[0],
        changed=changed,
        given=given,
        complete=changed is None and not given and all(one.is_dir() for one in where),
        cache=None if no_cache else usual_folder(),
    )
    report = job.lint(request, _progress())
    inputs = [one.name for one in report.files]
    if changed is None and not if_any:
        job.expect_recognised(report, named)
    if write_baseline is not None:
        from advisor.jobs.baseline import kept, write

        files_of.write(write(report), write_baseline, inputs, "--write-baseline")
        count = len(kept(report))
        tell(f"{write_baseline}: {count} finding{'' if count == 1 else 's'} written", err=True)
        if not (known[1] and Path(known[0]).exists() and Path(known[0]).samefile(write_baseline)):
            tell(f"In force with --baseline {write_baseline}, or baseline = … under [lint] in advisor.toml.", err=True)
        raise typer.Exit(OK)
    failing = _failing(report, fail_on, actionable, settings)
    _write(report, failing, format or [Format.text], output or [], inputs, verbose, suppressed, lang)
    raise typer.Exit(FOUND if failing else OK)


def _failing(
    report: LintReport,
    fail_on: FailOn | None,
    actionable: list[Action] | None,
    settings: Configuration,
) -> tuple[LintFinding, ...]:
    """The findings that make exit code 1."""
    from advisor.jobs import gate

    level = fail_on.value if fail_on else settings.fail_on or gate.DEFAULT_FAIL_ON
    kinds = [_ACTIONS[one] for one in actionable] if actionable else settings.actionable or gate.DEFAULT_ACTIONABLE
    return gate.failing(report, level, frozenset(kinds))  # type: ignore[arg-type]


def _baseline(given: Path | None, settings: Configuration) -> tuple[str, str]:
    """Name and text of the baseline in force; empty without one."""
    file = given
    if file is None and settings.baseline:
        file = Path(os.path.dirname(settings.file)) / settings.baseline
    if file is None:
        return "baseline", ""
    try:
        return str(file), files_of.read(str(file)).content.decode("utf-8", "replace")
    except UsageError as error:
        hint = "--write-baseline FILE makes one"
        raise UsageError(error.what, f"--baseline {file}" if given else f"baseline {file}", hint) from None


def _changed(paths: tuple[Path, ...], revision: str) -> dict[str, tuple[tuple[int, int], ...]] | None:
    if not revision:
        return None
    from advisor.jobs.changed import changed_lines

    first = paths[0]
    return changed_lines(first if first.is_dir() else first.parent, revision)


def _write(
    report: LintReport,
    failing: tuple[LintFinding, ...],
    formats: list[Format],
    outputs: list[Path],
    inputs: list[str],
    verbose: bool,
    suppressed: bool,
    lang: Language,
) -> None:
    if len(outputs) > len(formats) or len(formats) - len(outputs) > 1:
        raise UsageError(
            f"{len(formats)} formats and {len(outputs)} outputs",
            "--output",
            "one each; only one can go to the terminal",
        )
    on_terminal = len(formats) > len(outputs)
    targets: list[Path | None] = [*([None] if on_terminal else []), *outputs]
    for format, target in zip(formats, targets, strict=True):
        for_people = format in (Format.text, Format.markdown)
        with speaking(lang.value if for_people else "en"):
            files_of.write(_rendered(report, failing, format, target, verbose, suppressed), target, inputs)


def _rendered(
    report: LintReport,
    failing: tuple[LintFinding, ...],
    format: Format,
    target: Path | None,
    verbose: bool,
    suppressed: bool,
) -> str:
    from importlib import import_module

    modules = {
        Format.text: "lint_text",
        Format.json: "lint_json",
        Format.sarif: "sarif",
        Format.github: "annotations",
        Format.gitlab: "gitlab",
        Format.junit: "junit",
        Format.markdown: "lint_markdown",
    }
    name = modules[format]
    render = getattr(import_module(f"advisor.render.{name}"), name)
    if format is Format.sarif:
        return str(render(report, suppressed=suppressed))
    if format is Format.junit:
        return str(render(report, failing))
    if format is not Format.text:
        return str(render(report))
    colour = target is None and sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    return str(render(report, colour=colour, width=width, verbose=verbose))


def _progress() -> Progress | None:
    """A line that counts, on a terminal that is not the output."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = "\r" if done < total else "\r\x1b[K"
        sys.stderr.write(f"\r{done} of {total} files{end}" if done < total else end)
        sys.stderr.flush()

    return show
