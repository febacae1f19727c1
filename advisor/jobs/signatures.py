"""The rules' patterns and the readers' marks as one search over a large log, for intake to choose its lines by.

Every pattern that a judge or a verification may look for in a log is in it: what the search does not find is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property

from advisor.evidence.telling import Telling, tellings
from advisor.jobs.judging import gate_of
from advisor.patterns import PatternError, compile_pattern
from advisor.scan.gate import Gate
from advisor.scan.syntax import Characters, Either, Place, Row, Tree, Unread, parse

_DIGITS = frozenset(b"0123456789")
_WORDY = 36  # characters of a class that has letters, too
_WITHIN_LINE = re.compile(r"\[\^[^\]]*\\n[^\]]*\]")  # a class without line ends
_LINE_ENDS = ("\\n", "\n", "\\s", "[^", "(?s", "\\W", "\\D")


class Signatures:
    """A `Search` of intake's; compiled when first asked."""

    @cached_property
    def tellings(self) -> tuple[Telling, ...]:
        return tellings()

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """The patterns of all rules."""
        return self._gate.patterns

    @cached_property
    def _gate(self) -> Gate:
        return gate_of(())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {pattern: at for at, pattern in enumerate(self.rules)}

    @cached_property
    def _literals(self) -> tuple[tuple[int, bytes], ...]:
        return tuple((at, one.literal.encode()) for at, one in enumerate(self.tellings) if one.literal)

    def prepare(self) -> None:
        """Compile what is compiled once, before processes part."""
        self.possible(b"")

    def marks_in(self, line: bytes) -> frozenset[int]:
        """The readers' marks that stand in a line."""
        found = [at for at, literal in self._literals if literal in line]
        text = line.decode("utf-8", "replace")
        found += [
            at
            for at, one in enumerate(self.tellings)
            if not one.literal and compile_pattern(one.pattern).search(text) is not None
        ]
        return frozenset(found)

    def possible(self, text: bytes) -> frozenset[int]:
        """The rules' patterns that can match in a text, or in one that differs in digits alone."""
        return frozenset(self._places[pattern] for pattern in self._gate.possible(text))

    def first(self, pattern: int, text: bytes) -> int | None:
        """Where a rule's pattern first matches in the text; None where it does not."""
        found = compile_pattern(self.rules[pattern]).search(text)
        return found.start() if found else None

    def among(self, patterns: tuple[int, ...], text: bytes) -> tuple[int, ...]:
        """Those of some rules' patterns that may match in a text; none where none does."""
        if patterns not in self._unions:
            self._unions[patterns] = "|".join(f"(?:{self.rules[one]})" for one in patterns)
        return patterns if compile_pattern(self._unions[patterns]).search(text) else ()

    @cached_property
    def _unions(self) -> dict[tuple[int, ...], str]:
        return {}

    def turns_on_digits(self, pattern: int, line: str) -> bool:
        """Whether with other numbers in their places the line may match a rule's pattern, or no longer."""
        if pattern not in self._other_numbers:
            self._other_numbers[pattern] = with_any_numbers(self.rules[pattern])
        wide = self._other_numbers[pattern]
        return wide is not None and compile_pattern(wide).search(line) is not None

    @cached_property
    def _other_numbers(self) -> dict[int, str | None]:
        return {}

    def is_wide(self, pattern: int) -> bool:
        """Whether a match of a rule's pattern may span several lines."""
        return any(one in _WITHIN_LINE.sub("", self.rules[pattern]) for one in _LINE_ENDS)


@cache
def signatures() -> Signatures:
    """The search of all rules."""
    return Signatures()


def with_any_numbers(pattern: str) -> str | None:
    """The pattern with any number where it names one; None for one that names none."""
    try:
        tree = parse(pattern)
    except Unread:
        return "(?s).*"
    if not any(one.ascii & _DIGITS and len(one.ascii) < _WORDY for one in _characters(tree)):
        return None
    written = _written(tree)
    try:
        compile_pattern(written)
    except PatternError:
        return "(?s).*"
    return written


def _characters(tree: object) -> Iterator[Characters]:
    if isinstance(tree, Characters):
        yield tree
    elif isinstance(tree, tuple):
        for one in tree:
            yield from _characters(one)
    elif is_dataclass(tree):
        for field in fields(tree):
            yield from _characters(getattr(tree, field.name))


def _written(tree: Tree) -> str:
    """A tree as a pattern in which every digit stands for a number, and what may be a digit for any of its like."""
    if isinstance(tree, Characters):
        within = "".join(f"\\x{{{code:x}}}" for code in sorted(tree.ascii))
        beyond = r"\x{80}-\x{10ffff}" if tree.beyond is None else "".join(map(re.escape, tree.beyond))
        if not tree.ascii & _DIGITS:
            return f"[{within}{beyond}]"
        return "[0-9]+" if tree.ascii <= _DIGITS else f"[{within}{beyond}0-9]*"
    if isinstance(tree, Place):
        return {"word": r"\b", "start": "(?m:^)", "end": "(?m:$)"}.get(tree.kind, "")
    if isinstance(tree, Either):
        return f"(?:{'|'.join(map(_written, tree.branches))})"
    if isinstance(tree, Row):
        return "".join(map(_written, tree.parts))
    part = _written(tree.part)
    if any(one.ascii & _DIGITS for one in _characters(tree.part)):
        return f"(?:{part})*" if not tree.least else f"(?:{part})+"
    return f"(?:{part}){{{tree.least},{'' if tree.most is None else tree.most}}}"
