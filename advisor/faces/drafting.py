"""`advisor draft` and `advisor rules new`: a rule's folder to fill in, from a pasted issue or from nothing."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from advisor import own_folders
from advisor.errors import UsageError
from advisor.faces import files as files_of
from advisor.faces.reports import NoRedact
from advisor.faces.telling import tell
from advisor.model.draft import Draft

Rules = Annotated[
    Path, typer.Option("--rules", metavar="DIR", help="The rules folder to write into.", show_default=True)
]


def draft(
    report: Annotated[str, typer.Argument(metavar="REPORT.md", help="The issue's text, pasted. - is standard input.")],
    id: Annotated[str, typer.Option(metavar="ENGINE/SLUG", help="The rule's id; by default from the title.")] = "",
    url: Annotated[str, typer.Option(help="The issue's address, when the text does not begin with it.")] = "",
    rules: Rules = Path("rules"),
    no_redact: NoRedact = False,
) -> None:
    """A draft rule from an upstream issue: what the text gives, and a blank for everything else. Nothing is guessed."""
    from advisor.jobs.draft import draft as job

    read = files_of.read(report)
    made = job(read.content.decode("utf-8", "replace"), read.name, _today(), id, url)
    _write(made, rules)
    for one in made.shared:
        tell(f"{one.place}: rules have this line already: {', '.join(one.rules)}")


def new(
    id: Annotated[str, typer.Argument(metavar="ENGINE/SLUG", help="Such as vllm/pp-broadcast-skew.")],
    rules: Rules = Path("rules"),
) -> None:
    """A rule's folder with a question in every place that has to be filled."""
    from advisor.jobs.draft import blank

    _write(blank(id, _today()), rules)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _write(made: Draft, rules: Path) -> None:
    """The whole folder or nothing, and what is still blank."""
    from advisor.jobs import rule_checks as job
    from advisor.render.rule_file import files_of as rule_files

    if not rules.is_dir():
        hint = "name that of your source tree, or make one of your own first"
        raise UsageError("no such folder", f"--rules {rules}", hint)
    target = rules / made.id
    if os.path.lexists(target):
        raise UsageError("is there already", str(target), "choose another --id, or remove it")
    try:
        contents = rule_files(made)
        target.parent.mkdir(exist_ok=True)
        with own_folders.made_whole(target) as part:
            for name, text in contents.items():
                file = part / Path(name).relative_to(made.id)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", str(target), None) from None
    for name in contents:
        tell(f"written: {rules / name}")
    blanks = job.blanks(rules, made.id)
    said = f"{len(blanks)} blank{'s' * (len(blanks) != 1)} to fill"
    tell(f"{said} (advisor rules validate --rules {rules} lists them until there is none):")
    for one in blanks:
        tell(f"  {one.file}:{one.line}: {one.message.partition(': ')[2]}")
