"""What a page is made of, before anyone decides how it looks. Texts are raw: each layout makes them safe itself."""

from __future__ import annotations

from typing import Literal

from advisor.model.late import dataclass

Tone = Literal["", "alarm", "warn", "calm", "good", "faint", "strong"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the conclusion, 2 a section, 3 a part of one."""

    text: str
    level: int = 2
    tone: Tone = "strong"


@dataclass(frozen=True)
class Line:
    """A paragraph, or an item when it has a marker (`-`, `1.`). `depth` is how deep it is nested."""

    text: str
    marker: str = ""
    depth: int = 0
    tone: Tone = ""


@dataclass(frozen=True)
class Quote:
    """Text of the user's own, with the place it stands at. `focus` is the part that matters, kept when it is cut."""

    place: str
    text: str
    depth: int = 0
    focus: str = ""


@dataclass(frozen=True)
class Verbatim:
    """Lines to be copied as they are: a diff or a command. Never wrapped."""

    text: str
    kind: Literal["diff", "sh"]
    depth: int = 0


Block = Heading | Line | Quote | Verbatim


def item(text: str, depth: int = 0, tone: Tone = "") -> Line:
    """An unnumbered item."""
    return Line(text, "-", depth, tone)


def paragraphs(text: str, depth: int = 0) -> list[Line]:
    """A block of prose as paragraphs and items: blank lines part paragraphs, lines starting with `- ` are items.

    An empty line stands between two paragraphs.
    """
    lines: list[Line] = []
    open_line = False
    for raw in text.splitlines():
        said = raw.strip()
        if said.startswith(("- ", "* ")):
            lines.append(item(said[2:], depth))
        elif said and open_line:
            last = lines[-1]
            lines[-1] = Line(f"{last.text} {said}", last.marker, last.depth)
        elif said:
            lines += [*([Line("")] if lines else []), Line(said, depth=depth)]
        open_line = bool(said)
    return lines
