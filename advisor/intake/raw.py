"""Bytes of a log as they come -> whole lines in pieces, and each piece as patterns may be looked for in it.

    …\r\n, ESC[36m(EngineCore pid=1)ESC[0m ERROR …, {"log":"File \\"a.py\\"\\n"}   ->   the same number of lines, plain
    Capturing:  3%|…\rCapturing: 100%|…                                             what was drawn last

`texts` says what a line reads like in the end; this is as much of it as a search needs, and costs nothing where there
is nothing odd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake import texts

PIECE = 1 << 20  # bytes
LONGEST = 4 * texts.MAX_LINE  # bytes of a line that can be in its first characters

_ANSI = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_BARE = re.compile(rb"\[(?:[01];)?(?:0|1|3[0-7]|9[0-7])m(?!\])")  # as pastes lose the ESC
_INNER = "\u2028".encode()


def pieces(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of whole lines of about `PIECE`; of a line too long for one, its beginning.

    Of a line that was drawn over with carriage returns, what was drawn last.
    """
    rest = b""
    for chunk in chunks:
        rest += chunk
        if len(rest) < PIECE:
            continue
        if end := rest.rfind(b"\n") + 1:
            yield rest[:end]
            rest = rest[end:]
        else:
            line, rest = _longer(rest, chunks)
            yield line
    if rest:
        yield rest


def _longer(begun: bytes, chunks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """What is kept of a line too long for a piece, with its end, and what came after it."""
    kept = _drawn(begun)
    for chunk in chunks:
        end = chunk.find(b"\n")
        part = chunk if end < 0 else chunk[:end]
        if kept.endswith(b"\r") and part.strip(b"\r"):
            kept = b""
        if b"\r" in part or len(kept) < PIECE:
            kept = _drawn(kept + part)
        if end >= 0:
            return kept + b"\n", chunk[end + 1 :]
    return kept, b""


def _drawn(line: bytes) -> bytes:
    """A line without what was drawn over; a carriage return at its end may not be the end, and stays."""
    state = line.rstrip(b"\r")
    return (state.rpartition(b"\r")[2] + line[len(state) :])[:PIECE]


def searchable(raw: bytes) -> bytes:
    """The bytes as patterns may be looked for in them, line for line; the same bytes where nothing is odd."""
    if not raw.isascii():
        try:
            raw.decode()
        except UnicodeDecodeError:
            raw = texts.decode(raw).encode("utf-8", "replace")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
        if b"\r" in raw:
            raw = b"\n".join([row.rstrip(b"\r").rpartition(b"\r")[2] for row in raw.split(b"\n")])
    if b"\x1b" in raw:
        raw = _ANSI.sub(b"", raw)
    if b"[0m" in raw[: 1 << 16]:
        raw = _BARE.sub(b"", raw)
    if b"\\" in raw and b'{"' in raw:  # records of a log that is written as JSON
        raw = raw.replace(b'\\"', b'"').replace(b"\\n", _INNER).replace(b"\\t", b"\t")
    return raw


def short(line: bytes) -> bytes:
    """A line as long as any part of it can be read: of one that was drawn over the last state, of a record all."""
    if len(line) <= LONGEST or line.lstrip()[:2] == b'{"':
        return line
    return line.rstrip(b"\r").rpartition(b"\r")[2][:LONGEST]


def overlong(seen: bytes) -> int:
    """How many lines are longer than is read."""
    start = 0
    while start + texts.MAX_LINE < len(seen):
        start = seen.rfind(b"\n", start, start + texts.MAX_LINE + 1) + 1
        if not start:
            return sum(
                len(row) > texts.MAX_LINE and len(row.decode("utf-8", "replace")) > texts.MAX_LINE
                for row in seen.split(b"\n")
            )
    return 0
