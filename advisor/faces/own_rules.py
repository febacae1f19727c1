"""`--rules DIR`: the user's own rules, judged beside the shipped ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.faces.telling import complain

if TYPE_CHECKING:
    from advisor.jobs.own_rules import Carried

USAGE = 2

OwnRules = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="DIR", help="Judge by the rules of this folder too: your own. Repeatable."),
]


def take(folders: Sequence[Path] | None) -> None:
    """Judge by them from now on. Where one of them has a fault, each is a line on standard error and the run ends."""
    if not folders:
        return
    from advisor.jobs.own_rules import take as taken

    problems = taken(folders)
    if problems:
        complain([*problems, "none of the rules that --rules names is used until they are mended"])
        raise typer.Exit(USAGE)
    beside = (one / "knowledge" for one in folders)
    complain([f"{one} is not read: what is known of engines is the advisor's own" for one in beside if one.is_dir()])


def taken_along(folders: Sequence[Path] | None) -> Carried | None:
    """The same for what starts processes that judge: by the rules as they are now, whatever is saved there later."""
    take(folders)
    if not folders:
        return None
    from advisor.jobs.own_rules import carried

    return carried()
