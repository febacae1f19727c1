"""Text → the patterns that can match in it. What the gate holds back cannot match; what it lets through may not.

    gate = Gate.of(patterns, keep=cache_folder())
    gate.possible(text)

One pass over the text looks for words that the patterns need. Lines which differ in their numbers alone are looked at
once: a log of hours says few different things.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from advisor.scan import native, plain
from advisor.scan.plan import Plan, plan
from advisor.scan.sieve import Sieve, pieces
from advisor.scan.words import scanned

SIEVED_FROM = 16_384
"""Bytes from which it pays to look for lines that say the same."""


def folds_to_ascii(data: bytes) -> bool:
    """Whether it has a Kelvin sign or a long s, which are a k and an s under `(?i)`: RE2 alone knows that here."""
    return not data.isascii() and ("\u212a".encode() in data or "\u017f".encode() in data)


class Scanner(Protocol):
    """Which words, by index, stand in a text whose letters are small and whose numbers are 0."""

    def seen(self, data: bytes) -> set[int]: ...


@dataclass(frozen=True)
class Gate:
    """The patterns, what is looked for, and who looks. `slow` says why that is not the native engine."""

    patterns: tuple[str, ...]
    plan: Plan
    scanner: Scanner
    slow: str = ""

    @classmethod
    def of(cls, patterns: Sequence[str], keep: Path | None = None, *, without_native: str = "") -> Gate:
        """A gate for these patterns, what it looks for out of the folder `keep` or kept there.

        `without_native`, a reason, has it do without the native engine as where that is not installed.
        """
        patterns = tuple(dict.fromkeys(patterns))
        found = plan(patterns, keep)
        if not without_native:
            try:
                return cls(patterns, found, native.Scanner(found.words))
            except native.Missing as error:
                without_native = str(error)
        return cls(patterns, found, plain.Scanner(found.words), without_native)

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.patterns)

    def possible(self, text: str | bytes) -> frozenset[str]:
        """The patterns that can match somewhere in the text."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        if len(data) < SIEVED_FROM:
            found = self.indices(data)
        else:
            sieve = Sieve()
            found = {index for piece in pieces(data) for index in self.indices(sieve.new(piece))}
        return frozenset(self.patterns[index] for index in found)

    def indices(self, data: bytes) -> set[int]:
        """The same of a little UTF-8, as indices of patterns."""
        if folds_to_ascii(data):
            return set(range(len(self.patterns)))
        return self._behind(self.scanner.seen(scanned(data)))

    def _behind(self, words: Iterable[int]) -> set[int]:
        return {index for word in words for index in self.plan.behind[word]}.union(self.plan.always)
