"""A line on the screen beside the report: what is wrong, what is being done, what was written.

Names of files, values of flags and words of other programs stand in such lines, and come from strangers: each is
printed on one line, unable to drive the terminal, and cut where it would hide the lines around it.
"""

from __future__ import annotations

from collections.abc import Iterable

import typer

MOST = 4000  # characters of one line


def tell(line: str, *, err: bool = False) -> None:
    """One line, on standard output or on standard error."""
    from advisor.render.quoting import one_line  # nothing is to be said in most runs

    shown = one_line(line)
    typer.echo(shown if len(shown) <= MOST else f"{shown[:MOST]}… ({len(shown) - MOST} more characters)", err=err)


def complain(lines: Iterable[str]) -> None:
    """Say on standard error what was wrong, each thing once."""
    for line in dict.fromkeys(lines):
        from advisor.redaction.cover import covered_line

        tell(f"advisor: {covered_line(line)}", err=True)
