"""A piece of prose -> one line to judge, with the place of each of its characters.

Sample: "we get `DeepEP error: timeout`" and, on its next line, "every night" become "we get ¤¤¤… every night": what
is quoted is hidden, so that the words of an error message are not taken for the words about it. White space and
Markdown's emphasis count as one blank. An empty line means that the piece has no words.

**Source:** no tool prints this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from advisor.model.late import dataclass
from advisor.model.shape import Shape

HIDDEN = "¤"
# `x`, "x", “x”, 「x」, 'x' where the apostrophe of "ranks' sizes" opens nothing
_QUOTED = Shape(
    r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|‘[^’\n]{1,300}’"
    r"|(?<![\w'])'(?=\S)[^\n]{1,300}?(?<=[\S])'(?![\w'])"
)
_MARK = Shape("[`\"“「‘']")  # what a quotation begins with
_APOSTROPHE = str.maketrans({"’": "'", "？": "?", "！": "!", "；": ";", "：": ":", "，": ",", "（": "(", "）": ")"})


@dataclass(frozen=True, slots=True)
class Line:
    """The words on one line; character `i` of them stands at `places[i]` of the text."""

    words: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the words `start`..`end` stand in the text."""
        if start >= end or not self.places:
            return (0, 0)
        return self.places[start], self.places[end - 1] + 1


def _hide(found: re.Match[str]) -> str:
    return HIDDEN * len(found.group())


def flatten(text: str, start: int, end: int) -> Line:
    """The words of `text` from `start` to `end`."""
    return _flat(text[start:end], start)


@lru_cache(maxsize=64)  # of a text, and of what is left of it, most pieces are the same
def _flat(piece: str, start: int) -> Line:
    if _MARK.search(piece):
        piece = _QUOTED.sub(_hide, piece)
    if not piece.isascii():
        piece = piece.translate(_APOSTROPHE)
    bare = piece.strip()
    if "*" not in piece and "`" not in piece and " ".join(bare.split()) == bare:  # as it stands, one line
        start += len(piece) - len(piece.lstrip())
        return Line(bare, range(start, start + len(bare)))
    words: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(piece, start):
        if sign.isspace() or sign in "*`":
            if not words or words[-1] == " ":
                continue
            sign = " "
        words.append(sign)
        places.append(place)
    while words and words[-1] == " ":
        words.pop()
        places.pop()
    return Line("".join(words), tuple(places))
