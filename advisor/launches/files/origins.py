"""A scalar of YAML -> where each character of its value stands in the file, whatever its quoting or folding.

    >-                            value `vllm serve m --tp 8`: characters 0..10 stand on the second line,
      vllm serve                  11..20 on the third
      m --tp 8

    "a\\"b"                        value `a"b`: its second character is two of the file

**Source:** YAML 1.2.2, chapters 7.3 (flow scalars: escapes, line folding) and 8.1 (block scalars).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from advisor.launches.files.marks import Document, Node, documents
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_WORD = Shape(r"\S+")
_ESCAPES = {"x": 4, "u": 6, "U": 10}


def inside(node: Node, text: str) -> Iterator[Document]:
    """The documents of YAML that stands in a scalar (`patch: |`, `serveConfigV2: |`), placed in the file."""
    map_ = origins(node, text)
    for one in documents(node.text):
        if one.root is not None:
            _move(one.root, map_, set())
        yield replace(one, start=map_.at(one.start), end=node.end, at=map_.at(one.at) if one.at >= 0 else -1)


def _move(node: Node, map_: Origins, done: set[int]) -> None:
    if id(node) in done:
        return
    done.add(id(node))
    node.start, node.end = map_.place(node.start, node.end)
    for key, value in node.pairs:
        _move(key, map_, done)
        _move(value, map_, done)
    for each in node.items:
        _move(each, map_, done)


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of a value that stand together in the file: `wide` is the file's count of them, escapes and folds
    making it more than the value's `length`."""

    index: int
    at: int
    length: int
    wide: int


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the characters of a value stand in the file; nowhere without runs."""

    runs: tuple[Run, ...]

    def at(self, index: int) -> int:
        """Where the character `index` of the value begins; -1 when it stands nowhere."""
        if not self.runs:
            return -1
        one = self._run(index)
        return one.at + min(index - one.index, one.wide) if index > one.index else one.at

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the file that hold `start`..`end` of the value."""
        if not self.runs or start < 0:
            return -1, -1
        if end <= start:
            return self.at(start), self.at(start)
        last = self._run(end - 1)
        past = end - last.index
        return self.at(start), last.at + (last.wide if past >= last.length else past)

    def _run(self, index: int) -> Run:
        return self.runs[max(0, bisect_right(self.runs, index, key=lambda one: one.index) - 1)]


def typed(value: str, at: int) -> Origins:
    """A value that stands in the file as it is, from character `at` on; nowhere where that is negative."""
    return Origins((Run(0, at, len(value), len(value)),) if value and at >= 0 else ())


def origins(node: Node, text: str) -> Origins:
    """Where each character of a scalar's value stands in the file's text."""
    start, end, value = node.start, node.end, node.text
    if node.style in ("'", '"'):
        start, end = start + 1, end - 1
    elif node.style:
        start = text.find("\n", start, end) + 1 or end
    if text[start:end] == value:
        return typed(value, start)
    if (node.style == '"' and "\\" in text[start:end]) or (node.style == "'" and "''" in text[start:end]):
        return Origins(tuple(_one_by_one(node.style, value, text, start, end)))
    return Origins(tuple(_by_words(value, text, start, end)))


def _by_words(value: str, text: str, start: int, end: int) -> Iterator[Run]:
    """Folding and indentation change blanks alone: the words of the value are those of the text, in order."""
    for found, there in zip(_WORD.finditer(value), _WORD.finditer(text, start, end), strict=False):
        if found.group() != there.group():
            return
        length = len(found.group())
        yield Run(found.start(), there.start(), length, length)


def _one_by_one(style: str, value: str, text: str, start: int, end: int) -> Iterator[Run]:
    """Quoted text with escapes, a character at a time; line folds stand for one blank or for line ends."""
    index, at = 0, start
    while at < end and index < len(value):
        char, wide, made = text[at], 1, 1
        if style == "'" and char == "'":
            wide = 2
        elif style == '"' and char == "\\":
            if text[at + 1 : at + 2] in "\r\n":
                at = _past_blanks(text, at + 1, end)
                continue
            wide = _ESCAPES.get(text[at + 1 : at + 2], 2)
        elif char in " \t\r\n":
            stop = _past_blanks(text, at, end)
            breaks = text.count("\n", at, stop)
            if breaks:
                made = max(1, breaks - 1)
                wide = stop - at
        yield Run(index, at, made, wide)
        index, at = index + made, at + wide


def _past_blanks(text: str, at: int, end: int) -> int:
    while at < end and text[at] in " \t\r\n":
        at += 1
    return at
