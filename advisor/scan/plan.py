"""Patterns → what the gate looks for: words, and which patterns each of them lets through.

Reading a thousand patterns takes a second, so a plan is made where the catalogue is compiled, and kept as plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    """Patterns, and indices of them: `always` to be let through, and those `behind` each of the words."""

    patterns: tuple[str, ...]
    always: tuple[int, ...]
    words: tuple[bytes, ...]
    behind: tuple[tuple[int, ...], ...]


def planned(patterns: Sequence[str]) -> dict[str, Any]:
    """The plan for these patterns as plain data: `patterns`, `always`, and by each word the patterns `behind` it."""
    from advisor.scan.syntax import Unread, parse
    from advisor.scan.words import watched

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
    return {
        "patterns": list(patterns), "always": always, "behind": {word: sorted(behind[word]) for word in sorted(behind)},
    }  # fmt: skip


def joined(kept: Iterable[dict[str, Any]]) -> Plan:
    """One plan of several that were made apart."""
    patterns: list[str] = []
    always: list[int] = []
    behind: dict[str, list[int]] = {}
    for one in kept:
        start = len(patterns)
        patterns += one["patterns"]
        always += [start + index for index in one["always"]]
        for word, indices in one["behind"].items():
            behind.setdefault(word, []).extend([start + index for index in indices])
    words = tuple(word.encode("utf-8", "surrogatepass") for word in behind)
    return Plan(tuple(patterns), tuple(always), words, tuple(map(tuple, behind.values())))
