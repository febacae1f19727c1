"""Files in and out for the faces: read whole, written whole or not at all, every failure one line."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from advisor.errors import UsageError
from advisor.jobs.request import HELD, File

STDIN = "<stdin>"
_BEGINNING = 1 << 20  # bytes of a large file that tell what it is


def read(name: str, kind: str = "") -> File:
    """The file called `name`; `-` is standard input. Raises UsageError when it cannot be read."""
    if name == "-":
        return File(STDIN, sys.stdin.buffer.read() if sys.stdin else b"", kind)
    try:
        return File(name, Path(name).read_bytes(), kind)
    except FileNotFoundError:
        raise UsageError("no such file", name, "check the path; - reads standard input") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot be read: {getattr(error, 'strerror', None) or error}", name, None) from None


def evidence(name: str, kind: str = "") -> File:
    """As `read`, but of a file too large to be held the beginning alone: its rest is read from where it lies.

    Standard input is put into a temporary file when it is that large, which goes when the process ends.
    """
    if name == "-":
        head = sys.stdin.buffer.read(HELD + 1) if sys.stdin else b""
        return File(STDIN, head, kind) if len(head) <= HELD else File(STDIN, head[:_BEGINNING], kind, _spooled(head))
    path = Path(name)
    if not path.is_file() or path.stat().st_size <= HELD:
        return read(name, kind)
    try:
        with path.open("rb") as file:
            return File(name, file.read(_BEGINNING), kind, str(path.absolute()))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", name, None) from None


def _spooled(head: bytes) -> str:
    """The name of a temporary file with what was read of standard input and the rest of it."""
    import atexit
    import shutil

    from advisor import own_folders

    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    try:
        place = stack.enter_context(own_folders.temporary("advisor-stdin-")) / "stdin"
        with place.open("xb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        return str(place)
    except OSError as error:
        raise UsageError(f"cannot be kept while it is read: {error.strerror or error}", "-", None) from None


def write(content: str, output: Path | None, inputs: Iterable[str] = (), option: str = "--output") -> None:
    """Write to `output`, or to standard output. Raises UsageError when it cannot be written, or is an input.

    `option` is the one that named the output.
    """
    content = content if content.endswith("\n") else content + "\n"
    if output is None:
        known = _encoding()  # a file's name may hold what is no text, a terminal may know less
        _to_stdout(content.encode(known, "backslashreplace"), known)
        return
    from advisor import whole

    where = f"{option} {output}"
    target = _target(output, where, inputs)
    try:
        if target.exists() and not target.is_file():
            target.write_text(content, encoding="utf-8")  # a device or a pipe is written to, never replaced
        else:
            whole.put(target, content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where, None) from None


def write_lines(content: bytes) -> None:
    """Write lines in UTF-8, but for the last line end, to standard output. Raises UsageError when it cannot be
    written."""
    known = _encoding()
    in_utf8 = codecs.lookup(known).name == "utf-8"
    _to_stdout(content + b"\n" if in_utf8 else f"{content.decode()}\n".encode(known, "backslashreplace"), known)


def _target(output: Path, where: str, inputs: Iterable[str]) -> Path:
    if str(output) in ("", "."):
        raise UsageError("needs the name of a file", where.split()[0], None)
    target = output.resolve() if output.is_symlink() else output
    if target.is_dir():
        raise UsageError("is a folder", where, "name a file in it")
    if any(
        name not in ("-", STDIN) and Path(name).exists() and target.exists() and target.samefile(name)
        for name in inputs
    ):
        raise UsageError("is one of the inputs", where, "name another file")
    return target


def write_whole(target: Path, content: bytes) -> None:
    """A file of our own, for its owner alone. Raises UsageError when it cannot be written."""
    from advisor import whole

    try:
        whole.put(target, content, mode=0o600)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", str(target), None) from None


def _encoding() -> str:
    return (sys.stdout.encoding if sys.stdout else None) or "utf-8"


def _to_stdout(content: bytes, encoding: str) -> None:
    if sys.stdout is None:
        raise UsageError("standard output is closed", None, "use --output FILE")
    below = getattr(sys.stdout, "buffer", None) if os.linesep == "\n" else None
    try:
        if below is None:
            sys.stdout.write(content.decode(encoding))
        else:  # as it is: decoded and encoded once more it takes three times as long
            sys.stdout.flush()
            below.write(content)
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise BrokenPipeError from None
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise UsageError(f"standard output cannot be written: {error.strerror or error}", None, None) from None
