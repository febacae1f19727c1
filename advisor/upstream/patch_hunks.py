"""A diff and the text it is to change -> what becomes of each hunk: it fits, it is already there, or its place changed.

    @@ -12,7 +12,7 @@ def forward(
     unchanged
    -old line
    +new line
     unchanged

A hunk fits where its unchanged and old lines stand together in the text, at any line number; it is already there where
its unchanged and new lines do. Bytes are compared as they are, line ends included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FITS, ALREADY, CHANGED = "fits", "already", "changed"

# @@ -12,7 +12,7 @@ def forward(     or @@ -1 +1 @@
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class Hunk:
    """One hunk: its heading, and the lines it expects and leaves behind, each with its line end."""

    heading: str
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]

    def in_text(self, lines: list[bytes]) -> str:
        """FITS, ALREADY or CHANGED in these lines."""
        fits, already = _stands(self.old, lines), _stands(self.new, lines)
        return FITS if fits else ALREADY if already else CHANGED


def hunks_of(diff: bytes) -> list[Hunk]:
    """The hunks of one file's diff; none for a binary one."""
    lines, found, at = lines_of(diff), [], 0
    while at < len(lines):
        head = _HUNK.match(lines[at])
        at += 1
        if head:
            body, at = _body(lines, at, int(head[1] or 1), int(head[2] or 1))
            heading = lines[at - len(body) - 1].decode("utf-8", "replace").strip()
            found.append(Hunk(heading, _side(body, b"-"), _side(body, b"+")))
    return found


def lines_of(content: bytes) -> list[bytes]:
    """Lines as git counts them, each with its line end: only a line feed ends one."""
    return re.findall(rb"[^\n]*\n|[^\n]+", content)


def _body(lines: list[bytes], start: int, old: int, new: int) -> tuple[list[bytes], int]:
    """The hunk's lines, as many as its heading counts, with the notes on a missing last line end."""
    at = start
    while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith(b"\\")):
        old -= lines[at][:1] in (b" ", b"-")
        new -= lines[at][:1] in (b" ", b"+")
        at += 1
    return lines[start:at], at


def _side(body: list[bytes], own: bytes) -> tuple[bytes, ...]:
    found: list[bytes] = []
    for number, line in enumerate(body):
        if line[:1] in (b" ", own):
            bare = number + 1 < len(body) and body[number + 1].startswith(b"\\")  # no line end here
            found.append(line[1:].removesuffix(b"\n") if bare else line[1:])
    return tuple(found)


def _stands(wanted: tuple[bytes, ...], lines: list[bytes]) -> bool:
    if not wanted:
        return not lines
    size, first = len(wanted), wanted[0]
    starts = (at for at in range(len(lines) - size + 1) if lines[at] == first)
    return any(tuple(lines[at : at + size]) == wanted for at in starts)
