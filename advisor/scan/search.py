"""Text in pieces → the first match of each pattern, where RE2 has it on the whole text, in memory of a few pieces.

    search = Search(gate)
    for piece in file_in_pieces:                  # UTF-8, of any size; best about a megabyte that ends with a line
        for found in search.feed(piece): ...      # as they become certain: found.pattern, found.start, found.end
    for found in search.finish(): ...

A pattern is asked about the text from the first piece on that holds its words and in which it could match with other
numbers; until then lines that say the same are not looked at again. A match, with all that decides it, is taken to
reach no further than `REACH`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from advisor.patterns import PatternError, spans
from advisor.scan.gate import Gate, folds_to_ascii
from advisor.scan.levelled import levelled
from advisor.scan.sieve import Sieve

REACH = 65_536
"""Bytes from the start of a match on that may matter to it."""
_TOGETHER = 16
"""Patterns asked about at once: RE2 takes hardly longer than for one of them, until its states grow too many."""


@dataclass(frozen=True)
class Found:
    """The first match of a pattern, in bytes from the beginning of the text."""

    pattern: str
    start: int
    end: int


class Search:
    """The state of one pass over one text."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._open = set(range(len(gate.patterns)))
        self._asked: set[int] = set()
        self._sieve = Sieve()
        self._kept = b""  # the end of what came, in which no match was taken yet
        self._at = 0  # where that begins in the text
        self._cut = False  # whether what came ends within a line

    def feed(self, piece: bytes) -> list[Found]:
        """The first matches that are certain with this piece."""
        begun, self._cut = self._cut, bool(piece) and not piece.endswith(b"\n")
        window = self._kept + piece
        if begun or self._cut:  # lines longer than the piece: no line is known
            self._asked |= self._gate.indices(window)
        else:
            self._look_at(self._sieve.new(piece))
        certain = max(0, len(window) - REACH)
        found = self._in_window(window, certain)
        self._at += certain
        self._kept = window[certain:]
        return found

    def finish(self) -> list[Found]:
        """The matches at the very end."""
        return self._in_window(self._kept, len(self._kept) + 1)

    def _look_at(self, lines: bytes) -> None:
        """Which patterns are to be asked because of these lines, whose numbers are 0."""
        let = (self._gate.indices(lines) & self._open) - self._asked
        self._asked |= let if folds_to_ascii(lines) else {one for one in let if self._may_match(one, lines)}

    def _may_match(self, index: int, lines: bytes) -> bool:
        pattern = levelled(self._gate.patterns[index])
        return pattern is None or next(spans(pattern, lines), None) is not None

    def _in_window(self, window: bytes, certain: int) -> list[Found]:
        """The first match of each that starts before `certain`."""
        wanted = sorted(self._asked & self._open)
        some = [wanted[at : at + _TOGETHER] for at in range(0, len(wanted), _TOGETHER)]
        found = []
        for index in (one for group in some if self._any(group, window) for one in group):
            match = next(spans(self._gate.patterns[index], window), None)
            if match is not None and match[0] < certain:
                found.append(self._close(index, self._at + match[0], self._at + match[1]))
        return found

    def _any(self, wanted: list[int], window: bytes) -> bool:
        """Whether one of the patterns matches: asked of all at once, which takes hardly longer than of one."""
        together = "|".join(f"(?:{self._gate.patterns[index]})" for index in wanted)
        try:
            return next(spans(together, window), None) is not None
        except PatternError:  # too large together
            return True

    def _close(self, index: int, start: int, end: int) -> Found:
        self._open.discard(index)
        return Found(self._gate.patterns[index], start, end)


def first_matches(gate: Gate, pieces: Iterable[bytes]) -> dict[str, tuple[int, int]]:
    """Every pattern's first match in a text that comes in pieces."""
    search = Search(gate)
    found = [one for piece in pieces for one in search.feed(piece)]
    return {one.pattern: (one.start, one.end) for one in (*found, *search.finish())}
