"""What intake needs of a search: in which lines of a huge log anything could be read.

The search is built by the job that knows the rules; intake only asks it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from advisor.evidence.telling import Telling


class Search(Protocol):
    """The readers' marks and the rules' patterns; both are called by their places in their lists."""

    @property
    def tellings(self) -> Sequence[Telling]: ...

    def prepare(self) -> None:
        """Compile what is compiled once, before processes part."""
        ...

    def marks_in(self, line: bytes) -> frozenset[int]:
        """The readers' marks that stand in a line."""
        ...

    def possible(self, text: bytes) -> Collection[int]:
        """The rules' patterns that can match in a text, or in one that differs in digits alone."""
        ...

    def first(self, pattern: int, text: bytes) -> int | None:
        """Where a rule's pattern first matches in a text; None where it does not."""
        ...

    def among(self, patterns: tuple[int, ...], text: bytes) -> Collection[int]:
        """Those of some rules' patterns that may match in a text; none where none does."""
        ...

    def turns_on_digits(self, pattern: int, line: str) -> bool:
        """Whether with other numbers in their places the line may match a rule's pattern, or no longer."""
        ...

    def is_wide(self, pattern: int) -> bool:
        """Whether a match of a rule's pattern may span several lines."""
        ...
