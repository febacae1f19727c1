"""The pieces of a log that are within reach, by the numbers of their lines, and the tracebacks in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from advisor.evidence.tracebacks import HEADING

REACH = 4  # pieces

_HEADING = HEADING.encode()
_LONGEST = 600  # lines of a traceback, as its reader takes them
_BETWEEN = 12  # lines between two tracebacks of a chain
_FEW = 32
_REMEMBERED = 20_000
_RAISED = re.compile(rb"(?:[-*] )?(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\([\w.]+\))?(?:: |:?\s*$)")
_LEVEL = re.compile(rb"(?:INFO|DEBUG|WARNING|ERROR|CRITICAL)\b")


@dataclass(eq=False)
class Piece:
    """Whole lines of a log, from the line `base` (counted from 0) on.

    What is not `counted` stands before or after the stretch that is looked at.
    """

    base: int
    raw: bytes
    counted: bool = True

    @cached_property
    def lines(self) -> list[bytes]:
        rows = self.raw.split(b"\n")
        return rows[:-1] if self.raw.endswith(b"\n") else rows

    @cached_property
    def count(self) -> int:
        return len(self.lines)

    @property
    def end(self) -> int:
        return self.base + self.count

    def release(self) -> None:
        """Forget what can be had again: who still holds the piece may never ask."""
        vars(self).pop("lines", None)

    @cached_property
    def heads(self) -> list[int]:
        """The lines on which a traceback is headed."""
        found: list[int] = []
        counted, number = 0, self.base
        at = self.raw.find(_HEADING)
        while at >= 0:
            number += self.raw.count(b"\n", counted, at)
            counted = at
            if not found or found[-1] != number:
                found.append(number)
            at = self.raw.find(_HEADING, at + 1)
        return found


class Window:
    """The last pieces, oldest first."""

    def __init__(self) -> None:
        self.pieces: deque[Piece] = deque()
        self._ends: dict[int, int] = {}
        self._firsts: dict[int, int] = {}

    def add(self, raw: bytes, counted: bool) -> None:
        """Take the next piece; lines before the first that counts have numbers below 0."""
        piece = Piece(self.pieces[-1].end if self.pieces else 0, raw, counted)
        if not counted and not self.pieces:
            piece.base = -len(piece.lines)
        self.pieces.append(piece)

    def line(self, number: int) -> bytes | None:
        """The line of this number; None where it is out of reach."""
        for piece in reversed(self.pieces):
            if piece.base <= number < piece.end:
                return piece.lines[number - piece.base]
        return None

    def lines(self, begin: int, end: int) -> list[tuple[int, bytes]]:
        """Those of the lines from `begin` to before `end` that are within reach, with their numbers."""
        found: list[tuple[int, bytes]] = []
        for piece in self.pieces:
            first, last = max(begin, piece.base), min(end, piece.end)
            if first < last:
                found += zip(range(first, last), piece.lines[first - piece.base : last - piece.base], strict=True)
        return found

    def traceback(self, number: int) -> tuple[int, int] | None:
        """First and last line of the traceback that a line belongs to, with those that led to it; None if to none."""
        for piece in reversed(self.pieces):
            if piece.base <= number and (at := bisect_right(piece.heads, number)):
                head = piece.heads[at - 1]
                if number > self.end(head):
                    return None
                if head not in self._firsts:
                    self._firsts[head] = self._first(head)
                return self._firsts[head], self.end(head)
        return None

    def end(self, head: int) -> int:
        """The line of the exception that ends the traceback headed at `head`."""
        if head not in self._ends:
            if len(self._ends) >= _REMEMBERED:
                self._ends.clear()
                self._firsts.clear()
            self._ends[head] = self._exception(head)
        return self._ends[head]

    def _exception(self, head: int) -> int:
        first = self.line(head) or b""
        length = first.find(_HEADING)
        for number, line in self._after(head):
            rest = line[length:] if length and line[:4] == first[:4] else line
            if rest[:1].isalpha() and _RAISED.match(rest) and not _LEVEL.match(rest):
                return number
            if _HEADING in line:
                return number - 1
        return min(head + _LONGEST, self.pieces[-1].end - 1)

    def _after(self, head: int) -> Iterator[tuple[int, bytes]]:
        """The lines that may belong to a traceback, a few at a time: most are short."""
        for begin in range(head + 1, head + _LONGEST, _FEW):
            yield from self.lines(begin, begin + _FEW)

    def _first(self, head: int) -> int:
        """Where the first traceback begins of those that led to the one headed at `head`."""
        for number, line in reversed(self.lines(head - _BETWEEN, head)):
            if b"above exception" in line:
                heads = [one for piece in self.pieces for one in piece.heads if number - _LONGEST < one < number]
                return self._first(heads[-1]) if heads else head
        return head
