"""`advisor search`: words in, the known failures nearest to them, as a resemblance and no more."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import completion, evidence, reference
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.own_rules import OwnRules, take
from advisor.render.language import speaking


def search(
    text: Annotated[
        str, typer.Argument(help="What you see, in words or lines, English or Chinese. - is standard input.")
    ],
    engine: Annotated[
        str,
        typer.Option(autocompletion=completion.engine, help=f"Only this engine's failures: {evidence.ENGINES}."),
    ] = "",
    most: Annotated[int, typer.Option(min=1, max=50, help="At most so many.")] = 5,
    format: reference.Format = reference.Page.text,
    rules: OwnRules = None,
    lang: Lang = Language.en,
) -> None:
    """The known failures nearest to a text: a resemblance in words, not a judgement."""
    take(rules)
    from advisor.jobs.search import search as job
    from advisor.render.json import json_of
    from advisor.render.search_page import page

    given = sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" and sys.stdin else text
    try:
        found = job(given, engine, most)
    except UsageError as error:
        raise UsageError(error.what, error.where or "TEXT", error.hint) from None
    width = min(shutil.get_terminal_size((80, 24)).columns, 110)
    with speaking(lang.value):
        files_of.write(json_of(found) if format is reference.Page.json else page(found, width), None)
