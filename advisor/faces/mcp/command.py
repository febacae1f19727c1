"""`advisor mcp`: started by an agent's client, which speaks to it on standard input and output."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces.own_rules import OwnRules, taken_along

INSTALL = "pip install 'inference-advisor[mcp]'"


def mcp(
    root: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A folder whose files may be read. Repeatable; without one no file is read."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="The most that one call may take.")
    ] = 120.0,
    rules: OwnRules = None,
) -> None:
    """The advisor as tools for agents (Model Context Protocol, stdio); a client starts it, docs/mcp.md says how."""
    if find_spec("mcp") is None:
        raise UsageError("the Model Context Protocol's SDK is not installed", "advisor mcp", INSTALL)
    for folder in root or ():
        if not folder.is_dir():
            raise UsageError("no such folder", f"--root {folder}", None)
    from advisor.faces.mcp.server import serve

    raise typer.Exit(serve(tuple(str(one.resolve()) for one in root or ()), timeout, taken_along(rules)))
