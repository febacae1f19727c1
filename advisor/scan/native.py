"""Words → which of them stand in a text, by Hyperscan: all in one pass. The only module that imports it.

`Scanner` raises `Missing` where the library is not installed, or has no code for this processor.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from threading import local
from typing import Any

from advisor.scan.words import Clause


class Missing(Exception):
    """The native engine cannot be had here; the message says why."""


def engine() -> Any:
    """The library. Raises `Missing`."""
    try:
        import hyperscan
    except ImportError as error:
        raise Missing(f"hyperscan is not installed ({error})") from error
    return hyperscan


def made_for() -> str:
    """What a compiled form depends on besides the words."""
    return f"hyperscan {engine().__version__} {platform.machine()} {platform.system()}"


class Scanner:
    """Which clauses have a word in a text. Threads may share it: each has a working space of its own."""

    def __init__(self, compiled: bytes) -> None:
        self._library = engine()
        self._spaces = local()
        try:
            self._database = self._library.loadb(compiled, self._library.HS_MODE_BLOCK)
            self._space()
        except self._library.error as error:
            raise Missing(f"hyperscan does not take what it compiled ({error})") from error

    def seen(self, data: bytes) -> set[int]:
        """The indices of the clauses of which a word stands in `data`."""
        found: set[int] = set()
        add = found.add
        self._database.scan(data, match_event_handler=lambda index, *_: add(index), scratch=self._space())
        return found

    def _space(self) -> Any:
        space = getattr(self._spaces, "one", None)
        if space is None:
            space = self._spaces.one = self._library.Scratch(self._database)
        return space


def compile_clauses(clauses: Sequence[Clause]) -> bytes:
    """The engine's own form of the words. Raises `Missing`."""
    library = engine()
    words = [(word.expression().encode(), index) for index, clause in enumerate(clauses) for word in clause]
    database = library.Database(mode=library.HS_MODE_BLOCK)
    try:
        database.compile(
            expressions=[expression for expression, _ in words],
            ids=[index for _, index in words],
            elements=len(words),
            flags=library.HS_FLAG_SINGLEMATCH,
        )
        return bytes(library.dumpb(database))
    except library.error as error:
        raise Missing(f"hyperscan does not work here ({error})") from error
