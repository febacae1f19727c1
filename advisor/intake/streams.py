"""A large input, on disk or in memory -> its bytes in chunks, unpacked where it is one packed file.

    serve.log            as it is            serve.log.gz, .zst, .bz2, .xz        unpacked on the way, never as a whole

What unpacks to too many times what was read of it is left there, and said. Damage ends the stream, and is said.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from advisor.intake import archives
from advisor.intake.texts import wide

CHUNK = 1 << 20
STREAMS = ("gzip", "bzip2", "xz", "zstd")
_SLACK = 1 << 20  # bytes; the first of a file may be packed better than the rest


@dataclass(frozen=True)
class Large:
    """An input that is read in pieces: in memory, or of the file at `path`, of which `data` is then the beginning."""

    name: str
    data: bytes
    path: str = ""

    @property
    def size(self) -> int:
        """How many bytes it has, as it lies there."""
        return Path(self.path).stat().st_size if self.path else len(self.data)

    def open(self) -> IO[bytes]:
        """Its bytes as they lie there. Raises OSError."""
        return open(self.path, "rb") if self.path else io.BytesIO(self.data)

    def ends(self, size: int) -> bytes:
        """The first and the last `size` bytes, or all where there are no more. Raises OSError."""
        with self.open() as file:
            head = file.read(size)
            file.seek(max(len(head), self.size - size))
            return head + file.read(size)


@dataclass
class Stream:
    """The bytes of an input, and what was said of them on the way."""

    large: Large
    said: list[tuple[Literal["limit", "unreadable"], str]] = field(default_factory=list)

    def chunks(self) -> Iterator[bytes]:
        """The text's bytes; UTF-16 comes as UTF-8. Raises OSError."""
        with self.large.open() as file:
            kind = archives.packing(self.large.data[:512])
            found = self._unpacked(kind, file) if kind else iter(lambda: file.read(CHUNK), b"")
            first = next(found, b"")
            if encoding := wide(first):
                yield from _as_utf8(encoding, first, found)
                return
            yield first
            yield from found

    def _unpacked(self, kind: str, file: IO[bytes]) -> Iterator[bytes]:
        size, out = self.large.size, 0
        try:
            for chunk in archives.unpacked(kind, file):
                out += len(chunk)
                yield chunk
                if out > archives.RATIO_FROM and out > archives.MAX_RATIO * min(size, file.tell() + _SLACK):
                    self.said.append(("limit", archives.too_much(out)))
                    return
        except archives.DAMAGE as error:
            self.said.append(("unreadable", archives.damaged(error)))


def _as_utf8(encoding: str, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first).removeprefix("\ufeff").encode("utf-8", "replace")
    for chunk in rest:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
