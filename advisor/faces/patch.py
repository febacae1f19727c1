"""`advisor patch`: carry a rule's fix to a clone, or see whether its Python part fits an installed package."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor import own_folders, whole
from advisor.errors import UsageError
from advisor.faces import completion
from advisor.faces.bare_options import HERE
from advisor.faces.language import Lang, Language
from advisor.render.language import speaking

if TYPE_CHECKING:
    from advisor.jobs.patch_case import Asked, Prepared


class Format(StrEnum):
    """How the answer is written."""

    text = "text"
    json = "json"


def patch(
    rule: Annotated[
        str, typer.Argument(autocompletion=completion.rule, help="A rule id, or the upstream thread: #53402.")
    ],
    repo: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The clone or fork of the engine, or of the library to blame.")
    ] = None,
    ref: Annotated[str, typer.Option(help="The revision of it to judge and to build on.")] = "HEAD",
    source: Annotated[
        Path | None, typer.Option("--from", metavar="CLONE", help="Another clone, to read the fix's commits from.")
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="PR|COMMIT", help="This fix of the rule instead of the usual ones. Repeatable."),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE|DIR|-", help="Write the mails for `git am`: one file, or one each."
        ),
    ] = "",
    apply: Annotated[bool, typer.Option("--apply", help="Make a branch with the fix picked. No file changes.")] = False,
    branch: Annotated[str, typer.Option(help="Its name; advisor/<rule's slug> by default.")] = "",
    against_installed: Annotated[
        str | None,
        typer.Option(
            metavar="[PATH]",
            help="Judge an installed package instead: a site-packages, an environment, an unpacked image, or this "
            "Python's without a path. Without a clone, by the rule's fingerprints.",
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Output format of the answer.")] = Format.text,
    lang: Lang = Language.en,
) -> None:
    """Is a rule's fix in this clone, does it apply, and take it along: as mails or on a new branch."""
    prepare = _prepare()
    from advisor.jobs.patch_case import Asked

    _refuse_contradictions(apply, branch, against_installed)
    site = None if against_installed is None else "" if against_installed == HERE else against_installed
    target = Path(output) if output not in ("", "-") else None
    asked = Asked(rule, repo, ref, source, tuple(fix or ()), apply, branch, site, target)
    prepared = prepare(asked)
    content = prepared.python_patch if site is not None else b"".join(mail for _, mail in prepared.mails)
    written = _write(output, content, prepared.mails if site is None else ())
    with speaking(lang.value):
        text = _rendered(prepared.report, written, format)
    (sys.stderr if output == "-" else sys.stdout).write(text)
    raise typer.Exit(0 if prepared.report.verdict in ("in", "clean", "three_way") else 1)


def _prepare() -> Callable[[Asked], Prepared]:
    """The job. Raises UsageError where git cannot be run: its library asks that as it is loaded."""
    try:
        from advisor.jobs.patch import prepare
    except ImportError as error:
        if "git executable" not in str(error):
            raise
        hint = "install git, or let GIT_PYTHON_GIT_EXECUTABLE name it"
        raise UsageError("git cannot be run", None, hint) from None
    return prepare


def _refuse_contradictions(apply: bool, branch: str, against_installed: str | None) -> None:
    if apply and against_installed is not None:
        raise UsageError("does not go with --against-installed", "--apply", "installed files are never edited")
    if branch and not apply:
        raise UsageError("names a branch that is only made with --apply", "--branch")


def _rendered(report: Any, written: tuple[str, ...], format: Format) -> str:
    from dataclasses import replace

    from advisor.render.patch_page import patch_json, patch_page

    report = replace(report, written=written)
    if format is Format.json:
        return patch_json(report)
    return patch_page(report, width=min(shutil.get_terminal_size((80, 24)).columns, 110))


def _write(output: str, content: bytes, mails: tuple[tuple[str, bytes], ...]) -> tuple[str, ...]:
    """Write what was asked for, each file whole or not at all; the files written. Nothing to write writes nothing."""
    if not output or not content:
        return ()
    if output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return ()
    folder = Path(output).is_dir() or output.endswith(("/", os.sep))
    if folder and not mails:
        raise UsageError("is a folder", f"--output {output}", "name a file in it")
    try:
        if folder:
            _in_folder(Path(output), mails)
        else:
            whole.put(Path(output), content)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", f"--output {output}") from None
    return tuple(str(Path(output) / name) for name, _ in mails) if folder else (output,)


def _in_folder(folder: Path, mails: tuple[tuple[str, bytes], ...]) -> None:
    """A new folder comes with all of them; in one that is there the last comes first: no half series applies."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with own_folders.made_whole(folder) as part:
            for name, content in mails:
                (part / name).write_bytes(content)
        return
    for name, content in reversed(mails):
        whole.put(folder / name, content)
