"""Patterns → what the gate looks for: words, and which patterns each of them lets through.

Kept in the user's cache folder under the patterns it was made from; a file that is not what it should be is made anew,
silently.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from advisor.scan import syntax, words
from advisor.scan.syntax import Unread, parse
from advisor.scan.words import watched

_MOST = 4  # files kept, the newest


@dataclass(frozen=True)
class Plan:
    """Indices of patterns: `always` to be let through, and those `behind` each of the words."""

    always: tuple[int, ...]
    words: tuple[bytes, ...]
    behind: tuple[tuple[int, ...], ...]


def plan(patterns: Sequence[str], keep: Path | None) -> Plan:
    """The plan for these patterns, out of the folder `keep` where it is there."""
    if keep is None:
        return _plan(_made(patterns))
    key = sha256(_code() + json.dumps(list(patterns)).encode()).hexdigest()[:32]
    file = keep / f"gate-{key}.json"
    found = _loaded(file)
    if found is None:
        made = _made(patterns)
        with contextlib.suppress(OSError):
            _write(file, made)
        found = _plan(made)
    return found


def _made(patterns: Sequence[str]) -> dict[str, Any]:
    """The plan as it is kept."""
    always = []
    behind: dict[str, set[int]] = {}
    for index, pattern in enumerate(patterns):
        try:
            needed = watched(parse(pattern))
        except (Unread, RecursionError):
            needed = None
        if needed is None:
            always.append(index)
        for word in needed or ():
            behind.setdefault(word, set()).add(index)
    return {"always": always, "behind": {word: sorted(behind[word]) for word in sorted(behind)}}


def _plan(kept: dict[str, Any]) -> Plan:
    every = tuple(word.encode("utf-8", "surrogatepass") for word in kept["behind"])
    return Plan(tuple(kept["always"]), every, tuple(map(tuple, kept["behind"].values())))


@cache
def _code() -> bytes:
    """What a plan depends on besides the patterns: a plan of another version of this would hold back what matches."""
    return b"".join(Path(str(module)).read_bytes() for module in (syntax.__file__, words.__file__, __file__))


def _loaded(file: Path) -> Plan | None:
    """A kept plan; None when it is not there, cut short, or another's."""
    try:
        digest, _, body = file.read_bytes().partition(b"\n")
        return _plan(json.loads(body)) if sha256(body).hexdigest().encode() == digest else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write(file: Path, made: dict[str, Any]) -> None:
    """Readers see the old file or the new one, never half of one."""
    body = json.dumps(made, separators=(",", ":")).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)
    part.replace(file)
    for old in sorted(file.parent.glob("gate-*.json"), key=lambda one: one.stat().st_mtime)[:-_MOST]:
        old.unlink()
