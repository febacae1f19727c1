"""Linear-time regular expressions; the only module that imports the engine.

RE2 syntax: no back-references and no look-around, so no pattern can blow up on a hostile line.
`compile_pattern` raises `PatternError` with the engine's own words when a pattern is outside that language.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

import re2


class PatternError(ValueError):
    """A pattern the linear-time engine refuses; the message says why."""


class Match(Protocol):
    """The part of a match object that the house relies on."""

    def start(self, group: int | str = 0) -> int: ...
    def end(self, group: int | str = 0) -> int: ...
    def group(self, *groups: int | str) -> str: ...
    def groups(self) -> tuple[str | None, ...]: ...
    def groupdict(self) -> dict[str, str | None]: ...


class Pattern(Protocol):
    """The part of a compiled pattern that the house relies on."""

    def search(self, text: str) -> Match | None: ...
    def match(self, text: str) -> Match | None: ...
    def fullmatch(self, text: str) -> Match | None: ...
    def finditer(self, text: str) -> Iterator[Match]: ...
    def sub(self, replacement: str, text: str) -> str: ...


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20
    return options


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Pattern:
    """Compile `pattern`, or raise `PatternError` naming the reason."""
    try:
        compiled: Pattern = re2.compile(pattern, _options())
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise PatternError(reason) from error
    return compiled
