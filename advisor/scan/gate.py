"""Text → the patterns that can match in it. What the gate holds back cannot match; what it lets through may not.

    gate = Gate.of(patterns, keep=cache_folder())
    gate.possible(text)                  # for a whole text

One pass over the text looks for words that the patterns need. Lines which differ in their digits alone are looked at
once: a log of hours says few different things.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from advisor.scan import native, plain
from advisor.scan.plan import Plan, plan
from advisor.scan.sieve import Sieve, pieces
from advisor.scan.words import PLAIN

SIEVED_FROM = 16_384
"""Bytes from which it pays to look for lines that say the same."""
_FOLD_TO_ASCII = ("\u212a".encode(), "\u017f".encode())  # the Kelvin sign is a k and the long s an s under (?i)


class Scanner(Protocol):
    """Which clauses, by index, have a word in plain text."""

    def seen(self, data: bytes) -> set[int]: ...


@dataclass(frozen=True)
class Gate:
    """The patterns, what is watched for, and who watches. `slow` says why that is not the native engine."""

    patterns: tuple[str, ...]
    plan: Plan
    scanner: Scanner
    slow: str = ""

    @classmethod
    def of(cls, patterns: Sequence[str], keep: Path | None = None, *, without_native: str = "") -> Gate:
        """A gate for these patterns, its compiled form out of the folder `keep` or kept there.

        `without_native`, a reason, has it do without the native engine as where that is not installed.
        """
        patterns = tuple(dict.fromkeys(patterns))
        if not without_native:
            try:
                found = plan(patterns, native.made_for(), native.compile_clauses, keep)
                return cls(patterns, found, native.Scanner(found.made))
            except native.Missing as error:
                without_native = str(error)
        found = plan(patterns, plain.MADE_FOR, plain.compile_clauses, keep)
        return cls(patterns, found, plain.Scanner(found.made), without_native)

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.patterns)

    def possible(self, text: str | bytes) -> frozenset[str]:
        """The patterns that can match somewhere in the text."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        if any(char in data for char in _FOLD_TO_ASCII):
            return self._known
        if len(data) < SIEVED_FROM:
            return self.let_through(self.scanner.seen(data.translate(PLAIN)))
        clauses: set[int] = set()
        sieve = Sieve()
        for piece in pieces(data):
            clauses |= self.scanner.seen(sieve.new(piece))
        return self.let_through(clauses)

    def let_through(self, clauses: set[int]) -> frozenset[str]:
        """The patterns behind these clauses, and those that are always let through."""
        found = {index for clause in clauses for index in self.plan.behind[clause]}
        return frozenset(self.patterns[index] for index in (*found, *self.plan.always))
