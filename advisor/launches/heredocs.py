"""Where here-documents close: a text -> for a word, the next line that holds it alone.

    cat <<EOF        asked for EOF, after this line
    …
    EOF              its place

The lines are gone over once for a whole text, not once for each `<<` in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import NamedTuple

from advisor.model.shape import Shape

_ALONE = Shape(r"[ \t]*+([A-Za-z_]\w*+)[ \t]*+(\r?)\Z")


class Closing(NamedTuple):
    """A line that holds one word alone: which line, its first character, that of the word, and its end."""

    line: int
    start: int
    word: int
    end: int


class Closings:
    """The lines of a text that hold one word alone; with `\\r` at the end only where `returns` says so."""

    def __init__(self, text: str, *, returns: bool = False) -> None:
        self._by_word: dict[str, list[Closing]] = defaultdict(list)
        self._starts = [0]
        for number, line in enumerate(text.split("\n")):
            start = self._starts[-1]
            self._starts.append(start + len(line) + 1)
            if (found := _ALONE.match(line)) and (returns or not found[2]):
                self._by_word[found[1]].append(Closing(number, start, start + found.start(1), start + len(line)))

    def after(self, word: str, at: int) -> Closing | None:
        """The first line that closes `word`, of those that begin behind `at`."""
        held = self._by_word.get(word, [])
        first = bisect_left(held, at, key=lambda one: one.start)
        return held[first] if first < len(held) else None

    def line_of(self, at: int) -> int:
        """The number of the line that this character is in, from 0."""
        return bisect_left(self._starts, at + 1) - 1
