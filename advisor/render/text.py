"""Report -> text for a terminal: 80 columns over ssh, no box drawing, few colours and only when asked for.

Diffs, commands and URLs are never wrapped, so that they can be copied; everything else keeps to the width.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.report import Report
from advisor.render.blocks import Block, Heading, Line, Quote, Tone, Verbatim
from advisor.render.layout import clip, columns, fold, is_wide, wrap
from advisor.render.outline import outline
from advisor.render.quoting import many_lines, one_line, prose

NARROWEST = 40
STEP = "   "
QUOTE_LINES = 2
RESET = "\x1b[0m"
CODES: dict[Tone, str] = {
    "alarm": "\x1b[1;31m",
    "warn": "\x1b[33m",
    "calm": "\x1b[36m",
    "good": "\x1b[32m",
    "faint": "\x1b[2m",
    "strong": "\x1b[1m",
}


def text(report: Report, *, colour: bool, width: int, verbose: bool = False) -> str:
    """The report as lines of at most `width` columns (40 at least). `verbose` leaves nothing out and clips no quote."""
    return lay(outline(report, every=verbose), colour=colour, width=width, clipped=not verbose)


def lay(blocks: Iterable[Block], *, colour: bool, width: int, clipped: bool = True) -> str:
    """Blocks as text. `clipped` cuts long quotes short."""
    width = max(NARROWEST, width)
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Heading) and lines:
            lines.append("")
        lines += [_painted(line, tone, colour) for line, tone in _lines(block, width, clipped)]
    return "\n".join(lines) + "\n"


def _lines(block: Block, width: int, clipped: bool) -> list[tuple[str, Tone]]:
    if isinstance(block, Heading):
        shout = block.level == 2 and block.tone == "strong"
        said = _shouted(prose(block.text)) if shout else prose(block.text)
        return [(line, block.tone) for line in wrap(said, width)]
    if isinstance(block, Line):
        return [(line, block.tone) for line in _item(block, width)]
    if isinstance(block, Quote):
        return [(line, "faint") for line in _quote(block, width, clipped)]
    return _verbatim(block)


def _shouted(heading: str) -> str:
    """The only mark of a section where there is no colour: capitals, or brackets for a script that has none."""
    return f"【{heading}】" if any(map(is_wide, heading)) else heading.upper()


def _item(line: Line, width: int) -> list[str]:
    indent = STEP * line.depth
    marker = f"{line.marker} " if line.marker else ""
    return wrap(prose(line.text), width, indent + marker, indent + " " * len(marker))


def _quote(quote: Quote, width: int, clipped: bool) -> list[str]:
    indent = STEP * quote.depth
    place = indent + one_line(quote.place)
    above = []
    if not quote.place or columns(place) > width // 2:
        above, place = (fold(place, width) if quote.place else []), indent[:-1]
    room = width - columns(place) - len(" | ")
    said = one_line(quote.text)
    if clipped:
        said = clip(said, room * QUOTE_LINES, one_line(quote.focus))
    parts = fold(said, room, at_spaces=True)
    if clipped and len(parts) > QUOTE_LINES:
        parts = fold(said, room)
    rest = " " * columns(place)
    return [*above, *(f"{rest if index else place} | {part}".rstrip() for index, part in enumerate(parts))]


def _verbatim(block: Verbatim) -> list[tuple[str, Tone]]:
    indent = STEP * block.depth
    lines = many_lines(block.text).strip("\n").split("\n")
    return [(f"{indent}{line}".rstrip(), _tone(line) if block.kind == "diff" else "calm") for line in lines]


def _tone(line: str) -> Tone:
    return "good" if line.startswith("+") else "alarm" if line.startswith("-") else ""


def _painted(line: str, tone: Tone, colour: bool) -> str:
    return f"{CODES[tone]}{line}{RESET}" if colour and tone and line else line
