"""Text → the patterns that can match in it. What the gate holds back cannot match; what it lets through may not.

    gate = Gate.of(patterns)
    gate.possible(text)

One pass over the text looks for words that the patterns need. Lines which differ in their numbers alone are looked at
once: a log of hours says few different things.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from advisor.scan import native, plain
from advisor.scan.plan import Plan, joined, planned
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
    """What is looked for, and who looks. `slow` says why that is not the native engine."""

    plan: Plan
    scanner: Scanner
    slow: str = ""

    @classmethod
    def of(cls, patterns: Iterable[str], *, without_native: str = "") -> Gate:
        """A gate for these patterns; to plan a thousand takes a second."""
        return cls.by(joined([planned(tuple(dict.fromkeys(patterns)))]), without_native=without_native)

    @classmethod
    def by(cls, plan: Plan, *, without_native: str = "") -> Gate:
        """A gate by this plan. `without_native`, a reason, has it do without the native engine as where that is not
        installed."""
        if not without_native:
            try:
                return cls(plan, native.Scanner(plan.words))
            except native.Missing as error:
                without_native = str(error)
        return cls(plan, plain.Scanner(plan.words), without_native)

    @property
    def patterns(self) -> tuple[str, ...]:
        """All that it knows, by index."""
        return self.plan.patterns

    @cached_property
    def known(self) -> frozenset[str]:
        """The same, to look one up in."""
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
