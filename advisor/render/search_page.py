"""What a search found -> text: each failure with the words it shares, under a line that says what that is worth."""

from __future__ import annotations

from advisor.model.search import SearchReport
from advisor.render import sections
from advisor.render.blocks import Block, Heading, Line
from advisor.render.text import lay

WORTH = "Nothing of the case was judged: `advisor check` with the build, the launch and the logs does that."


def page(found: SearchReport, width: int) -> str:
    """The failures, the nearest first."""
    if not found.resembles:
        return lay(
            [Heading("No known failure shares a telling word with that.", 1, "warn"), Line(WORTH)],
            colour=False,
            width=width,
        )
    of = f" of {found.engine}" if found.engine else ""
    blocks: list[Block] = [Heading(f"Known failures{of} that resemble it in words only", 1), Line(WORTH)]
    return lay([*blocks, *sections.resemblances(found.resembles)], colour=False, width=width)
