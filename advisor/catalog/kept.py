"""What is compiled from files for people -> kept in the user's cache folder under the content it was made from.

The YAML of rules and profiles and the long tables of settings are read once; a check reads what was made of them. A
file that is not what it should be (cut short, of another version, somebody else's) is made anew, silently.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

_MOST = 4  # of one kind, the newest
_FAULTS = (OSError, ValueError, RecursionError, TypeError, AttributeError, KeyError)  # of a file that is not ours


def kept(kind: str, made_from: str, make: Callable[[], dict[str, Any]], sound: Callable[[Any], bool]) -> dict[str, Any]:
    """The compiled form: out of the cache where `sound` accepts it, else made and kept.

    `made_from` says what it is made from and in which form; a folder that cannot be written only costs the next start
    its time.
    """
    file = _file(kind, made_from, "json")
    found = loaded(file, sound)
    if found is None:
        found = make()
        _keep(file, kind, _json(found))
    return found


def kept_file(kind: str, made_from: str, make: Callable[[], bytes], sound: Callable[[Any], bool]) -> Any:
    """The same of a file of which only parts are read: its bytes, mapped into memory where they are in the cache."""
    found = opened(_file(kind, made_from, "jsonl"), sound)
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
        content = json.loads(file.read_bytes())
        return content if isinstance(content, dict) and sound(content) else None
    except _FAULTS:
        return None


def opened(file: Path, sound: Callable[[Any], bool]) -> Any:
    """The bytes of a compiled file, mapped into memory; None when it is not there, or not what it should be."""
    try:
        with file.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return content if sound(content) else None
    except _FAULTS:
        return None


def write(file: Path, content: bytes | dict[str, Any]) -> None:
    """Write a compiled form; readers see the old file or the new one, never half of one."""
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(content if isinstance(content, bytes) else _json(content))
        part.replace(file)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def cache_folder() -> Path:
    """Where compiled forms are kept: `$XDG_CACHE_HOME/inference-advisor`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inference-advisor"
