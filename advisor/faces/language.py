"""`--lang`: the language of what a command prints for people. JSON and the formats for machines stay as they are."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Language(StrEnum):
    """A language that reports are written in."""

    en = "en"
    zh = "zh"


Lang = Annotated[
    Language,
    typer.Option("--lang", envvar="ADVISOR_LANG", help="Language of what is printed for people: en or zh (Chinese)."),
]
