"""Text -> lines no wider than a terminal, counting columns rather than characters.

Chinese and Japanese characters take two columns and may be parted anywhere, but no line starts with a closing mark
or ends with an opening one. URLs are never broken: a link in two pieces is no link.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_NOT_FIRST = frozenset("，。、；：！？）」』】》〉〕’”,.;:!?)]}%…")
_NOT_LAST = frozenset("（「『【《〈〔‘“([{{")
_NARROWEST = 8


def columns(text: str) -> int:
    """The columns a terminal gives to this text."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if is_wide(character) else 1


def is_wide(character: str) -> bool:
    """Whether a terminal gives the character two columns."""
    return unicodedata.east_asian_width(character) in ("W", "F")


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of at most `width` columns; the first line starts with `first`, the others with `rest`.

    White space is where lines break and is not kept. A word wider than a whole line is cut, a URL is not.
    """
    return list(_wrapped(text, width, first, rest))


@lru_cache(maxsize=2048)  # over many files the same is said many times
def _wrapped(text: str, width: int, first: str, rest: str) -> tuple[str, ...]:
    room = max(_NARROWEST, width - columns(rest))
    lines: list[str] = []
    line, used = "", 0
    for piece, spaced in _pieces(text, room):
        size = columns(piece)
        gap = 1 if spaced and line else 0
        if line and used + gap + size > (max(_NARROWEST, width - columns(first)) if not lines else room):
            lines.append(line)
            line, used, gap = "", 0, 0
        line += " " * gap + piece
        used += gap + size
    lines.append(line)
    return tuple((rest if index else first) + one for index, one in enumerate(lines))


def _pieces(text: str, room: int) -> Iterator[tuple[str, bool]]:
    """What must stay together, and whether a space stood before it."""
    for word in text.split():
        spaced = True
        for piece in _unbroken(word):
            for part in [piece] if "://" in piece else _folded(piece, room):
                yield part, spaced
                spaced = False


def _folded(piece: str, room: int) -> list[str]:
    """The piece in lines; wide closing marks at its end take the character before them along."""
    parts = fold(piece, room)
    while len(parts) > 1 and len(parts[-2]) > 1 and is_wide(parts[-1][0]) and parts[-1][0] in _NOT_FIRST:
        parts[-2:] = [parts[-2][:-1], parts[-2][-1] + parts[-1]]
    return parts


def _unbroken(word: str) -> Iterator[str]:
    """A word without wide characters is one piece; beside a wide character it may be parted."""
    if word.isascii():
        yield word
        return
    start = 0
    for at in range(1, len(word)):
        before, after = word[at - 1], word[at]
        if (is_wide(before) or is_wide(after)) and after not in _NOT_FIRST and before not in _NOT_LAST:
            yield word[start:at]
            start = at
    yield word[start:]


def fold(text: str, width: int, at_spaces: bool = False) -> list[str]:
    """The text cut into lines of at most `width` columns, every character kept.

    `at_spaces` cuts behind a space where one stands in the second half of a line.
    """
    width = max(2, width)
    if len(text) <= width and text.isascii():
        return [text]
    lines: list[str] = []
    start = used = 0
    for at, character in enumerate(text):
        size = _columns_of(character)
        if used + size > width:
            space = text.rfind(" ", (start + at) // 2, at) if at_spaces else -1
            cut = space + 1 if space > start else at
            lines.append(text[start:cut])
            start, used = cut, columns(text[cut:at])
        used += size
    return [*lines, text[start:]]


def clip(text: str, width: int, focus: str = "") -> str:
    """The text in at most `width` columns: its beginning, or as much as holds `focus`, with `…` where it is cut."""
    if columns(text) <= width:
        return text
    end = text.find(focus) + len(focus) if focus in text else 0
    if focus and columns(text[:end]) > width - 1:
        start = max(0, min(text.find(focus), end - width // 2))
        return "…" + clip(text[start:], width - 1)
    return fold(text, max(2, width - 1))[0].rstrip() + "…"
