"""Linear-time regular expressions; the only module that imports the engine.

RE2 syntax: no back-references and no look-around, so no pattern can blow up on a hostile line.
`compile_pattern` raises `PatternError` with the engine's own words when a pattern is outside that language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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

    @property
    def groupindex(self) -> Mapping[str, int]: ...
    def search(self, text: str | bytes) -> Match | None: ...
    def match(self, text: str) -> Match | None: ...
    def fullmatch(self, text: str) -> Match | None: ...
    def finditer(self, text: str | bytes) -> Iterator[Match]: ...
    def sub(self, replacement: str, text: str) -> str: ...


REFUSED: type[Exception] = re2.error
"""What the engine raises for a pattern that it does not take; `compile` says it as an error of a rule."""


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


def found_in(pattern: str, value: object) -> bool:
    """Whether a pattern is found in a value that was typed. Unlike a text that was read, it may hold half a character,
    out of an escape or of bytes that are no UTF-8. Raises PatternError."""
    return _found_in(pattern, str(value))


@lru_cache(maxsize=4096)  # many rules ask of the same model, and of a fleet's cases many have the same
def _found_in(pattern: str, text: str) -> bool:
    return compile_pattern(pattern).search(text.encode("utf-8", "replace").decode()) is not None


class PatternSet:
    """Several patterns that are looked for at once. Raises PatternError as `compile_pattern`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self._count = len(self.patterns)
        self._set = re2.Set.SearchSet(_options())
        for pattern in self.patterns:
            try:
                self._set.Add(pattern)
            except re2.error:
                compile_pattern(pattern)  # says why
                raise
        self._set.Add("")  # always found: without it, none matching and the engine out of memory would look alike
        self._set.Compile()

    def found(self, text: str) -> list[int]:
        """The numbers of those that the text shows, ascending."""
        numbers: list[int] = self._set.Match(text) or []
        if len(numbers) == 1 and numbers[0] == self._count:
            return []
        if numbers:
            return sorted(numbers)[:-1]
        return [number for number, one in enumerate(self.patterns) if compile_pattern(one).search(text)]
