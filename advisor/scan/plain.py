"""Words → which of them stand in a text, without a native engine: each looked for by itself.

Slower in proportion to the words, and it lets a little more through: cases and the edges of words are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from advisor.scan.words import Clause

MADE_FOR = "plain"


class Scanner:
    """Which clauses have a word in a text."""

    def __init__(self, compiled: bytes) -> None:
        self._clauses = [[word.encode("utf-8", "surrogatepass") for word in clause] for clause in json.loads(compiled)]

    def seen(self, data: bytes) -> set[int]:
        """The indices of the clauses of which a word stands in `data`."""
        data = data.lower()
        return {index for index, clause in enumerate(self._clauses) if any(word in data for word in clause)}


def compile_clauses(clauses: Sequence[Clause]) -> bytes:
    """The words, as bytes in lower case are looked for."""
    return json.dumps([sorted({word.lowered() for word in clause}) for clause in clauses]).encode()
