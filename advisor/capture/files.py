"""A file -> its head and tail within a cap. Only regular files are opened, so that no pipe or device can hold us up."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Read:
    """The bytes read, the file's whole size, and why nothing was read."""

    content: bytes = b""
    size: int = 0
    problem: str = ""

    @property
    def cut(self) -> bool:
        """Whether some of it was left out."""
        return self.size > len(self.content)


def ends(path: str | Path, head: int, tail: int) -> Read:
    """The first `head` and the last `tail` bytes, cut at line ends, with a line between that says what was left out."""
    try:
        with opened(path) as handle:
            size = os.fstat(handle).st_size
            if size <= head + tail:
                return Read(_all(handle, head + tail), size)
            first = _all(handle, head)
            os.lseek(handle, size - tail, os.SEEK_SET)
            last = _all(handle, tail)
    except (OSError, ValueError) as error:
        return Read(problem=getattr(error, "strerror", None) or str(error))
    first = first[: first.rfind(b"\n") + 1] or first
    last = last[last.find(b"\n") + 1 :] or last
    left = size - len(first) - len(last)
    return Read(first + f"# advisor: {left} bytes of the file were left out here\n".encode() + last, size)


def start(path: str | Path, cap: int) -> Read:
    """The first `cap` bytes of a file, also of one of /proc, which has no size."""
    try:
        with opened(path) as handle:
            content = _all(handle, cap)
            return Read(content, max(os.fstat(handle).st_size, len(content)))
    except (OSError, ValueError) as error:
        return Read(problem=getattr(error, "strerror", None) or str(error))


def text(path: str | Path, cap: int = 1 << 20) -> str:
    """The start of a file as text; "" when it cannot be read."""
    return start(path, cap).content.decode("utf-8", "replace")


@contextlib.contextmanager
def opened(path: str | Path) -> Iterator[int]:
    """The descriptor of a regular file. Raises OSError, and ValueError for anything else."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("not a regular file")
        yield handle
    finally:
        os.close(handle)


def _all(handle: int, cap: int) -> bytes:
    """At most `cap` bytes from where the file stands."""
    found = bytearray()
    while len(found) < cap and (chunk := os.read(handle, min(1 << 20, cap - len(found)))):
        found += chunk
    return bytes(found)
