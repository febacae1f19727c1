"""Which patterns the texts of a case show, and where. A line that a person denies in prose does not count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from advisor.model.fact import Artifact
from advisor.model.late import cached_property
from advisor.patterns import compile_pattern

if TYPE_CHECKING:
    from advisor.scan.gate import Gate

SEARCHED = ("log", "text", "stack", "machine", "metrics", "health")
_NEGATED = r"(?i)(?:\b(?:no|not|without|never|nor)\b|n't\b|没有|无|未见|没)[^.;:,(。；：，（\n]{0,24}$"
_IN_WORD, _WORD_BEFORE, _WORD_AFTER = re.compile(r"\w"), re.compile(r"[A-Za-z0-9_]+\Z"), re.compile(r"[A-Za-z0-9_]+")
_PLAIN = re.compile(r"[A-Z]?[a-z]+|[\u3400-\u9fff]{1,4}")  # timeout, 超时; not NumelIn, pp_broadcast
_PHRASE_BEFORE = re.compile(r"(?:[\w'-]+ ){0,3}[\w'-]*\Z")
_PHRASE_AFTER = re.compile(r"[\w'-]*(?: [\w'-]+){0,3}")

Place = tuple[Artifact, int, int]
"""A text, and the characters of it that show a pattern."""


class Shown:
    """The texts of one case. `gate` gives what tells at once which patterns a text can show; without it each pattern is
    tried."""

    def __init__(self, artifacts: tuple[Artifact, ...], gate: Callable[[], Gate] | None) -> None:
        self.searched = tuple(one for one in artifacts if one.kind in SEARCHED)
        self._make_gate = gate
        self._let_through: dict[int, frozenset[str]] = {}
        self._bytes: dict[int, str | bytes] = {}
        self._places: dict[str, Place | None] = {}

    @cached_property
    def is_covered(self) -> bool:
        """Whether the logs span the whole run: what they do not show was not."""
        logs = [one for one in self.searched if one.kind == "log"]
        return bool(logs) and all(one.covered for one in logs)

    @cached_property
    def possible(self) -> frozenset[str] | None:
        """The patterns that the gate lets through to some text; None where there is none to tell."""
        return None if self._gate is None else frozenset().union(*map(self._through, self.searched))

    def place(self, pattern: str) -> Place | None:
        """Where a text shows the pattern first without denying it; None where none does."""
        if pattern not in self._places:
            self._places[pattern] = next(self._all(pattern), None)
        return self._places[pattern]

    @cached_property
    def _gate(self) -> Gate | None:
        return self._make_gate() if self._make_gate is not None and self.searched else None

    @cached_property
    def known(self) -> frozenset[str]:
        """The patterns of which the gate can tell."""
        return frozenset() if self._gate is None else self._gate.known

    def _through(self, artifact: Artifact) -> frozenset[str]:
        key = id(artifact)
        if key not in self._let_through and self._gate is not None:
            self._let_through[key] = self._gate.possible(self._read(artifact))
        return self._let_through[key]

    def _read(self, artifact: Artifact) -> str | bytes:
        """The text for the engine, which reads bytes: encoded once for all patterns where a character is a byte."""
        key = id(artifact)
        if key not in self._bytes:
            self._bytes[key] = artifact.text.encode() if artifact.text.isascii() else artifact.text
        return self._bytes[key]

    def _all(self, pattern: str) -> Iterator[Place]:
        for artifact in self.searched:
            if pattern in self.known and pattern not in self._through(artifact):
                continue
            for found in compile_pattern(pattern).finditer(self._read(artifact)):
                start, end = found.start(), found.end()
                if artifact.kind != "text" or not _negated(artifact.text, start):
                    yield artifact, start, end


def _negated(text: str, start: int) -> bool:
    return compile_pattern(_NEGATED).search(text[max(0, start - 48) : start]) is not None


def quoted(text: str, start: int, end: int) -> str:
    """What a pattern matched, in words that a reader knows again: `watchdog_timeout`, not the `_timeout` that matched.

    A lone plain word is told with its neighbours up to the next mark: `Scheduler watchdog timeout` for `timeout`.
    """
    before, found, after = text[max(0, start - 60) : start], text[start:end], text[end : end + 60]
    head = _WORD_BEFORE.search(before) if _IN_WORD.match(found[:1]) else None
    tail = _WORD_AFTER.match(after) if _IN_WORD.match(found[-1:]) else None
    whole = f"{head.group() if head else ''}{found}{tail.group() if tail else ''}"
    if _PLAIN.fullmatch(whole):
        near, far = _PHRASE_BEFORE.search(before), _PHRASE_AFTER.match(after)
        whole = f"{near.group() if near else ''}{found}{far.group() if far else ''}".strip()
    return whole[:200]
