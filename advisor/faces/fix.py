"""`advisor fix`: paths in, a diff out, the files edited when asked. With one rule's id, which releases hold its fixes.

Standard output has the diff alone, so that `advisor fix --no-redact PATH | git apply` works; what it is for is on
standard error.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
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

OK, PENDING = 0, 1


def fix(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH... | RULE",
            autocompletion=completion.rule_or_path,
            help="Files and folders to edit; or one rule's id, or thread (#53402).",
        ),
    ],
    write: Annotated[bool, typer.Option("--write", "-w", help="Edit the files in place.")] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Also make edits that cost something, or change what is in force.")
    ] = False,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Leave out, as in .gitignore. Repeatable.")
    ] = None,
    no_ignore: Annotated[bool, typer.Option("--no-ignore", help="Edit what .gitignore leaves out too.")] = False,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="An advisor.toml or pyproject.toml.")] = None,
    if_any: Annotated[
        bool, typer.Option("--if-any", help="No error where nothing is recognised; for files chosen by a hook.")
    ] = False,
    format: reference.Format = reference.Page.text,
    rules: OwnRules = None,
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """Edit deployment files for what lint finds; or tell which releases hold a rule's fixes."""
    take(rules)
    if not any(Path(one).exists() for one in what) and len(what) == 1 and not (write or unsafe):
        _holders(what[0], format, lang)
        return
    paths = [Path(one) for one in what]
    with speaking(lang.value):
        raise typer.Exit(_edit(paths, write, unsafe, exclude or [], no_ignore, config, if_any, format))


def _holders(word: str, format: reference.Page, lang: Language) -> None:
    """Which releases hold the fixes of the rule that the word names; it may have been meant as a path."""
    try:
        reference.fix(word, format, lang)
    except UsageError as error:
        raise UsageError(f"no such file or folder, and {error.what}", word, error.hint) from None


def _edit(
    paths: list[Path],
    write: bool,
    unsafe: bool,
    exclude: list[str],
    no_ignore: bool,
    config: Path | None,
    if_any: bool,
    format: reference.Page,
) -> int:
    from advisor.jobs import fix as job
    from advisor.jobs import lint
    from advisor.render import fix_page
    from advisor.render.json import json_of

    missing = [str(one) for one in paths if not one.exists()]
    if missing:
        raise UsageError("no such file or folder", ", ".join(missing), "a rule's id stands alone: advisor fix RULE")
    settings = lint.configuration(paths, config)
    request = lint.LintRequest(
        paths=tuple(paths),
        today=datetime.now(UTC).date(),
        exclude=(*settings.exclude, *exclude),
        respect_ignore=not no_ignore,
        processes=1,
        configuration=settings,
        complete=False,
    )
    report = job.fix(job.FixRequest(request, unsafe=unsafe, write=write, if_any=if_any))
    if format is reference.Page.json:
        files_of.write(json_of(report), None)
    else:
        diff = fix_page.diffs(report, seen=sys.stdout is not None and sys.stdout.isatty())
        if diff:
            files_of.write(diff, None)
        typer.echo(fix_page.page(report), err=True, nl=False)
    return PENDING if report.pending else OK
