r"""Python patterns that are mostly not there → those worth trying on a text, told in one pass.

    Several([r"(?<!\w)tp\d", r"(?i)\bnodes\b(?! only)"]).numbers("two nodes")    -> [1]

Each is loosened into RE2's language: what looks ahead or behind, edges of words, back-references and high counts are
left out, so the loose one matches wherever the pattern does, and elsewhere too. A pattern is compiled when it is first
worth trying.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.patterns import PatternSet

_ANY = "(?s:.*)"
_BEYOND = r"\x0b\x1c-\x1f\x{80}-\x{10FFFF}"  # what for Python alone may be \w, \d or \s
_ATOM = (
    r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\(.)|\(\?(P=\w+\)|<?[=!]|\(|#|>)|\{(\d*),?(\d*)\}|\[\^?\]?"
    r"|[^\\()\[{$^]+|."
)
_POSSESSIVE = re.compile(r"([*+?])\+")
_DROPPED = frozenset("bBAZ")
_MANY = 4  # a count from which on it is any number: counting is dear for an automaton


class Several:
    """The patterns, all with the same flags of `re` (IGNORECASE, MULTILINE and DOTALL are known).

    With `parts`, those are told that may match in a part of the text, cut out.
    """

    def __init__(self, patterns: Sequence[str], flags: int = 0, *, parts: bool = False) -> None:
        self._patterns, self._flags, self._parts = tuple(patterns), flags, parts
        self._compiled: list[re.Pattern[str] | None] = [None] * len(self._patterns)

    @cached_property
    def _loose(self) -> PatternSet:
        from advisor.patterns import PatternSet  # a check of flags looks for nothing, and starts without RE2

        return PatternSet(loose(pattern, self._flags, parts=self._parts) for pattern in self._patterns)

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._patterns

    def __getitem__(self, number: int) -> re.Pattern[str]:
        compiled = self._compiled[number]
        if compiled is None:
            compiled = self._compiled[number] = re.compile(self._patterns[number], self._flags)
        return compiled

    def among(self, text: str) -> frozenset[str]:
        """Those that may match somewhere in the text: surely each that does."""
        return frozenset(self._patterns[number] for number in self.numbers(text))

    def numbers(self, text: str) -> Sequence[int]:
        """The numbers of those that may match somewhere in the text, ascending: surely each that does."""
        if not text.isascii() and ("ı" in text or "İ" in text):
            return range(len(self._patterns))  # each is an i for Python alone, where case is ignored
        try:
            return self._loose.found(text)
        except UnicodeEncodeError:  # a lone surrogate, which RE2 does not know
            return range(len(self._patterns))

    def finditer(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Every match in the text with its pattern's number, pattern by pattern."""
        for number in self.numbers(text):
            for found in self[number].finditer(text):
                yield number, found


def loose(pattern: str, flags: int = 0, *, parts: bool = False) -> str:
    """A pattern of RE2 that matches wherever `pattern`, one of `re` or of RE2, does; with `parts`, also in a text of
    which `pattern` matches only a part, cut out."""
    known = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
    switched = "".join(letter for flag, letter in known.items() if flags & flag)
    if flags & ~sum(known):
        raise ValueError(f"flags {flags} are not known here")
    return (f"(?{switched})" if switched else "") + "".join(_loosened(pattern, parts))


@cache
def _atom() -> re.Pattern[str]:
    return re.compile(_ATOM, re.S)


def _loosened(pattern: str, parts: bool) -> Iterator[str]:
    at = 0
    while at < len(pattern):
        found = _atom().match(pattern, at)
        assert found  # the last branches take any character, plain ones as many as there are
        wide, narrow, escaped, group, least, most = found.groups()
        at = found.end()
        if wide or narrow:
            yield rf"\x{{{wide or narrow}}}"
        elif escaped:
            yield _escaped(escaped)
        elif group in ("=", "!", "<=", "<!"):
            at = _group_end(pattern, at)
        elif group == ">":  # an atomic group takes less
            yield "(?:"
        elif group:
            if not group.startswith("P="):
                raise ValueError(f"`(?{group}` is not known here: {pattern}")
            yield _ANY
        elif least or most:
            at += pattern.startswith("+", at)  # possessive, which takes less
            some = "+" if int(least or 0) else "*"
            yield found[0] if least and int(most or _MANY) < _MANY else some
        elif found[0].startswith("["):
            end = _class_end(pattern, at)
            yield _class(pattern[found.start() : end])
            at = end
        elif found[0] != "$" and not (
            parts and found[0] == "^"
        ):  # the first for Python is also in front of a last line end
            yield _POSSESSIVE.sub(r"\1", found[0])


def _escaped(char: str) -> str:
    if char in _DROPPED:
        return ""
    if char.isdigit():  # a back-reference
        return _ANY
    return rf"[\{char}{_BEYOND}]" if char in "wds" else f"\\{char}"


def _class(text: str) -> str:
    """A class of characters, from bracket to bracket."""
    inner = re.sub(r"\\u([0-9a-fA-F]{4})", r"\\x{\1}", text[1:-1])
    if not inner.startswith("^"):
        return f"[{_BEYOND}{inner}]" if re.search(r"\\[wds]", inner) else f"[{inner}]"
    return "(?s:.)" if re.search(r"\\[WDS]", inner) else f"[{inner}]"


def _class_end(pattern: str, at: int) -> int:
    """Just past the bracket that closes the class whose inside goes on at `at`."""
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _group_end(pattern: str, at: int) -> int:
    """Just past the bracket that closes the group whose inside begins at `at`."""
    depth = 1
    while depth:
        found = _atom().match(pattern, at)
        assert found
        at = found.end()
        if found[0].startswith("["):
            at = _class_end(pattern, at)
        depth += found[0].startswith("(") - (found[0] == ")")
        if found[0].startswith("(?P="):  # closed already
            depth -= 1
    return at
