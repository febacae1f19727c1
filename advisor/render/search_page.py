"""What a search found -> text: each failure with the words it shares, under a line that says what that is worth."""

from __future__ import annotations

from advisor.model.search import SearchReport
from advisor.render import sections
from advisor.render.blocks import Block, Heading, Line
from advisor.render.language import say
from advisor.render.text import lay


def page(found: SearchReport, width: int) -> str:
    """The failures, the nearest first."""
    worth = say("Nothing of the case was judged: `advisor check` with the build, the launch and the logs does that.")
    if not found.resembles:
        nothing = Heading(say("No known failure shares a telling word with that."), 1, "warn")
        return lay([nothing, Line(worth)], colour=False, width=width)
    said = (
        say("Known failures of {engine} that resemble it in words only", engine=found.engine)
        if found.engine
        else say("Known failures that resemble it in words only")
    )
    blocks: list[Block] = [Heading(said, 1), Line(worth)]
    return lay([*blocks, *sections.resemblances(found.resembles)], colour=False, width=width)
