"""Standard input -> the same lines, in which half a surrogate pair is U+FFFD.

    {"params": {"name": "check", "arguments": {"symptom": "hang \\ud800"}}}   ->   … "hang \\ufffd" …

JSON can spell such a half and UTF-8 cannot, so the SDK takes the whole line for none and leaves its caller waiting for
an answer. It comes from clients that cut a text in the middle of a character.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

# an escape: a whole pair \ud83d\ude00, half of one (the group), or any other such as \\ and \n
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def mended(line: bytes) -> bytes:
    """The line without halves of pairs."""
    if b"\\ud" not in line and b"\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], line)


class Lines(io.RawIOBase):
    """What is read of a stream, line by line."""

    def __init__(self, source: BinaryIO) -> None:
        self._source, self._left = source, memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, room: bytearray) -> int:  # type: ignore[override]
        """The next bytes; none at the end."""
        if not self._left:
            self._left = memoryview(mended(self._source.readline()))
        count = min(len(room), len(self._left))
        room[:count], self._left = self._left[:count], self._left[count:]
        return count


@contextmanager
def whole_characters() -> Iterator[None]:
    """Standard input so, for what reads it in here; a process that is started reads none of it."""
    given, wire = sys.stdin, os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    # never closed: a thread may still wait for a line when all else has ended
    sys.stdin = io.TextIOWrapper(io.BufferedReader(Lines(os.fdopen(wire, "rb", closefd=False))), encoding="utf-8")
    try:
        yield
    finally:
        os.dup2(wire, 0)
        sys.stdin = given
