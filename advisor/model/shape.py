"""The readers' own patterns, each compiled when first used: a run reads few kinds of artifact and starts fast.

For patterns that are fixed and plainly linear; those that come from outside, as a rule's do, go to `advisor.patterns`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_OF_A_PATTERN = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split", "groups", "groupindex")

if TYPE_CHECKING:
    Shape = re.compile
else:

    class Shape:
        """As `re.compile`, which its first use calls; from then on its methods are those of the compiled pattern."""

        def __init__(self, pattern: str, flags: int = 0) -> None:
            self.pattern, self._flags = pattern, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(self.pattern, self._flags)
            self.__dict__.update({each: getattr(compiled, each) for each in _OF_A_PATTERN})
            return getattr(compiled, name)
