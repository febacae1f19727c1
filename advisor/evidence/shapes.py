"""The readers' own patterns, each compiled when first used: a run reads few kinds of artifact and starts fast."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property


class Shape:
    """A fixed, plainly linear pattern with the methods of a compiled one that the readers use."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.match(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[str]:
        """The text of each match, or of its one group."""
        return self.compiled.findall(text)

    def sub(self, replacement: str, text: str) -> str:
        return self.compiled.sub(replacement, text)
