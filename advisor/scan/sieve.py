"""Text in pieces → the lines that were not there before, without numbers: those do not make a line another one.

Engine 000: Avg generation throughput: 41.0 tokens/s   ->   Engine 0: Avg generation throughput: 0.0 tokens/s
Engine 000: Avg generation throughput: 39.5 tokens/s   ->   (nothing)
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.scan.words import without_numbers

PIECE = 1 << 20
"""Bytes looked at together: what fits the processor's cache is several times as fast."""
_MOST_BYTES = 32 << 20  # of lines remembered


class Sieve:
    """Remembers lines, up to a limit; past it lines only count as known when they were before."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        self._room = _MOST_BYTES

    def new(self, piece: bytes) -> bytes:
        """The lines of the piece that are new, in any order, their numbers 0."""
        new = set(without_numbers(piece).split(b"\n"))
        new -= self._known
        if self._room > 0:
            self._known |= new
            self._room -= sum(map(len, new)) + 64 * len(new)
        return b"\n".join(new)


def pieces(data: bytes) -> Iterator[bytes]:
    """`data` cut at ends of lines into pieces of about a megabyte; a longer line is one piece."""
    start = 0
    while start < len(data):
        end = start + PIECE
        if end < len(data):
            cut = data.rfind(b"\n", start, end) + 1 or data.find(b"\n", end) + 1 or len(data)
            end = cut
        yield data[start:end]
        start = end
