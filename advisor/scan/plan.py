"""Patterns → what the gate watches for: clauses of words, and which patterns each of them lets through.

The clauses are kept in the engine's own form in the user's cache folder, under the patterns they were made from; a
file that is not what it should be is made anew, silently.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from advisor.scan.syntax import Unread, parse
from advisor.scan.words import Clause, watched

FORMAT = 1
_MOST = 4  # files kept, the newest


@dataclass(frozen=True)
class Plan:
    """Indices of patterns: `always` to be let through, and those `behind` each clause; the clauses as `made` from."""

    always: tuple[int, ...]
    behind: tuple[tuple[int, ...], ...]
    made: bytes


def plan(patterns: Sequence[str], made_for: str, make: Callable[[Sequence[Clause]], bytes], keep: Path | None) -> Plan:
    """The plan for these patterns, out of the folder `keep` where it is there; `made_for` names the engine's form."""
    if keep is None:
        return _made(patterns, make)
    key = sha256(json.dumps([FORMAT, made_for, list(patterns)]).encode()).hexdigest()[:32]
    file = keep / f"gate-{key}.bin"
    found = _loaded(file)
    if found is None:
        found = _made(patterns, make)
        with contextlib.suppress(OSError):
            _write(file, found)
    return found


def _made(patterns: Sequence[str], make: Callable[[Sequence[Clause]], bytes]) -> Plan:
    always: list[int] = []
    behind: dict[Clause, list[int]] = {}
    for index, pattern in enumerate(patterns):
        try:
            clauses = watched(parse(pattern))
        except (Unread, RecursionError):
            clauses = None
        if clauses is None:
            always.append(index)
        for clause in dict.fromkeys(clauses or ()):
            behind.setdefault(clause, []).append(index)
    return Plan(tuple(always), tuple(map(tuple, behind.values())), make(tuple(behind)))


def _loaded(file: Path) -> Plan | None:
    """A kept plan; None when it is not there, cut short, or not ours."""
    try:
        head, _, rest = file.read_bytes().partition(b"\n")
        digest, _, body = rest.partition(b"\n")
        if sha256(head + body).hexdigest().encode() != digest:
            return None
        always, behind = json.loads(head)
        return Plan(tuple(always), tuple(map(tuple, behind)), body)
    except (OSError, ValueError, TypeError):
        return None


def _write(file: Path, found: Plan) -> None:
    """Readers see the old file or the new one, never half of one."""
    head = json.dumps([found.always, found.behind], separators=(",", ":")).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(b"\n".join((head, sha256(head + found.made).hexdigest().encode(), found.made)))
    part.replace(file)
    for old in sorted(file.parent.glob("gate-*.bin"), key=lambda one: one.stat().st_mtime)[:-_MOST]:
        old.unlink()
