"""What is compiled from files for people -> kept in the user's cache folder under the content it was made from.

The YAML of rules and profiles and the long tables of settings are read once; a check reads what was made of them. A
file that is not what it should be (cut short, damaged, of another version, no file at all) is made anew, silently. So
is one that somebody else could have written: only the user's own files count, and root's.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from zlib import crc32

_MOST = 4  # of one kind, the newest
_LARGEST = 256 << 20  # bytes; a hundred times what there is
_FAULTS = (OSError, ValueError, RecursionError, TypeError, AttributeError, KeyError)  # of a file that is not ours


def kept(kind: str, made_from: str, make: Callable[[], dict[str, Any]], sound: Callable[[Any], bool]) -> dict[str, Any]:
    """The compiled form: out of the cache where `sound` accepts it, else made and kept.

    `made_from` says what it is made from and in which form; a folder that cannot be written only costs the next start
    its time.
    """
    file = _file(kind, made_from, "json")
    found = loaded(file, sound) if is_own(file) else None
    if found is None:
        found = make()
        _keep(file, kind, with_sum(found))
    return found


def kept_file(kind: str, made_from: str, make: Callable[[], bytes], sound: Callable[[Any], bool]) -> Any:
    """The same of a file of which only parts are read: its bytes, mapped into memory where they are in the cache."""
    file = _file(kind, made_from, "jsonl")
    found = opened(file, sound) if is_own(file) else None
    return made_anew(kind, made_from, make) if found is None else found


def made_anew(kind: str, made_from: str, make: Callable[[], bytes]) -> bytes:
    """The same where what is in the cache turned out to be damaged, or is not there."""
    found = make()
    _keep(_file(kind, made_from, "jsonl"), kind, found)
    return found


def _file(kind: str, made_from: str, suffix: str) -> Path:
    return cache_folder() / f"{kind}-{sha256(made_from.encode()).hexdigest()[:32]}.{suffix}"


def _keep(file: Path, kind: str, content: bytes) -> None:
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, content)
        like = [one for one in file.parent.glob(f"{kind}-*.json*") if len(one.stem) == len(file.stem)]
        for old in sorted(like, key=lambda one: one.stat().st_mtime)[:-_MOST]:
            old.unlink()


def loaded(file: Path, sound: Callable[[Any], bool]) -> dict[str, Any] | None:
    """A compiled file; None when it is not there, or not what it should be."""
    try:
        with _stream(file) as stream:
            content = summed(stream.read())
        return content if isinstance(content, dict) and sound(content) else None
    except _FAULTS:
        return None


def opened(file: Path, sound: Callable[[Any], bool]) -> Any:
    """The bytes of a compiled file, mapped into memory; None when it is not there, or not what it should be."""
    try:
        with _stream(file) as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return content if sound(content) else None
    except _FAULTS:
        return None


def _stream(file: Path) -> IO[bytes]:
    """The file, open. OSError for what is none: a pipe would never begin, a device never end."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    state = os.fstat(handle)
    if not stat.S_ISREG(state.st_mode) or state.st_size > _LARGEST:
        os.close(handle)
        raise OSError("is no file of ours")
    return os.fdopen(handle, "rb")


def is_own(file: Path) -> bool:
    """Whether what is there is the user's own, or root's, and nobody else can write it."""
    try:
        state = file.stat()
    except OSError:
        return False
    return not hasattr(os, "geteuid") or (state.st_uid in (0, os.geteuid()) and not state.st_mode & 0o022)


def write(file: Path, content: bytes | dict[str, Any]) -> None:
    """Write a compiled form; readers see the old file or the new one, never half of one."""
    from advisor import whole  # which a start that finds all in the cache has no need of

    whole.keep(file, content if isinstance(content, bytes) else with_sum(content))


def with_sum(content: dict[str, Any]) -> bytes:
    """A compiled form with the sum of its text, which is JSON too: `[sum, {...}]`."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return b"[%d,%b]" % (crc32(text), text)


def summed(content: bytes) -> Any:
    """What `with_sum` wrote. Raises ValueError for anything else, and for what is not as it was written."""
    number, _, text = content.partition(b",")
    text = text[:-1]
    if int(number[1:]) != crc32(text):
        raise ValueError("is damaged")
    return json.loads(text)


def cache_folder() -> Path:
    """Where compiled forms are kept: `$XDG_CACHE_HOME/inference-advisor`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inference-advisor"
