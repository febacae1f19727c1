"""A pattern in RE2's language → its tree: what follows what, which bytes a character may have, how often.

Only as much of the language as rules use. What else RE2 knows (`\\pL`, `[[:alpha:]]`, `\\Q…\\E`) raises `Unread`, and
who asks then takes the pattern to match anything. A character is kept as a set of ASCII codes and, apart, what it may
be beyond ASCII, since the tree is for engines that look at bytes of UTF-8.

    (?i)\\bkv[ _-]?cache\\b|缓存[^\\n。]{0,8}满
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

ASCII = frozenset(range(128))
_FEW = 16  # characters beyond ASCII that are told one by one
DIGITS = frozenset(b"0123456789")
_WORD = DIGITS | frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE = frozenset(b"\t\n\f\r ")  # RE2's \s has no vertical tab
_CONTROL = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7}
_CLASSES = {"d": DIGITS, "w": _WORD, "s": _SPACE}
_ASSERTIONS = {"b": "word", "B": "", "A": "start", "z": "end"}


class Unread(ValueError):
    """A pattern whose syntax is not read here."""


@dataclass(frozen=True)
class Characters:
    """One character: `ascii` codes; `beyond` ASCII any of those, where None is whichever."""

    ascii: frozenset[int]
    beyond: tuple[str, ...] | None = ()


@dataclass(frozen=True)
class Place:
    """Nothing but a place: at a `word`'s edge, `start` or `end` of a line or of the text; empty for anywhere."""

    kind: str = ""


@dataclass(frozen=True)
class Repeat:
    """`part` at least `least` times and at most `most`, None for no limit."""

    part: Tree
    least: int
    most: int | None


@dataclass(frozen=True)
class Row:
    """Parts one after another; none of them is the empty text."""

    parts: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Either:
    """One of the branches."""

    branches: tuple[Tree, ...]


Tree = Characters | Place | Repeat | Row | Either


def nodes(tree: Tree) -> Iterator[Tree]:
    """The tree and all below it."""
    yield tree
    below = tree.parts if isinstance(tree, Row) else tree.branches if isinstance(tree, Either) else ()
    for part in (tree.part,) if isinstance(tree, Repeat) else below:
        yield from nodes(part)


def parse(pattern: str) -> Tree:
    """The tree of a pattern that RE2 takes. Raises `Unread` for what is not read here."""
    reader = _Reader(pattern)
    tree = reader.either(frozenset())
    if reader.at < len(pattern):
        raise Unread(pattern)
    return tree


@dataclass
class _Reader:
    pattern: str
    at: int = 0
    flags: frozenset[str] = field(default_factory=frozenset)

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self, text: str = "") -> str:
        """The next character, or `text` where it stands next and else nothing."""
        if text and not self.peek(text):
            return ""
        taken = text or self.pattern[self.at : self.at + 1]
        if not taken:
            raise Unread(self.pattern)
        self.at += len(taken)
        return taken

    def either(self, flags: frozenset[str]) -> Tree:
        """Branches up to the end of the group; flags set in one hold for those after it, as RE2 has it."""
        self.flags = flags
        branches = [self.row()]
        while self.take("|"):
            branches.append(self.row())
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def row(self) -> Tree:
        parts: list[Tree] = []
        while self.at < len(self.pattern) and not self.peek("|") and not self.peek(")"):
            part = self.repeated(self.one())
            parts += [] if part == Row() else [part]
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def one(self) -> Tree:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            return self.bracket()
        if char == ".":
            return Characters(ASCII if "s" in self.flags else ASCII - {10}, None)
        if char in "^$":
            return Place("start" if char == "^" else "end")
        if char == "\\":
            return self.escaped()
        return self.letter(char)

    def letter(self, char: str) -> Characters:
        if "i" not in self.flags:
            return Characters(frozenset({ord(char)})) if char.isascii() else Characters(frozenset(), (char,))
        if not char.isascii():  # what else folds to it may be ASCII, as of the Kelvin sign
            return Characters(frozenset(), (char,)) if _is_caseless(char) else Characters(ASCII, None)
        return Characters(_both_cases(frozenset({ord(char)})))

    def group(self) -> Tree:
        outer = flags = self.flags
        if self.take("?"):
            if self.take("P<") or self.take("<"):
                while self.take() != ">":
                    pass
            else:
                flags = self.switches()
                if self.take(")"):
                    self.flags = flags
                    return Row()
                if self.take() != ":":
                    raise Unread(self.pattern)
        tree = self.either(flags)
        if not self.take(")"):
            raise Unread(self.pattern)
        self.flags = outer
        return tree

    def switches(self) -> frozenset[str]:
        flags, on = set(self.flags), True
        while not self.peek(":") and not self.peek(")"):
            char = self.take()
            if char == "-":
                on = False
            elif char in "ismU":
                (flags.add if on else flags.discard)(char)
            else:
                raise Unread(self.pattern)
        return frozenset(flags)

    def repeated(self, part: Tree) -> Tree:
        while True:
            if self.take("*"):
                part = Repeat(part, 0, None)
            elif self.take("+"):
                part = Repeat(part, 1, None)
            elif self.take("?"):  # of a lazy repeat too: it then repeats at most once what may be empty or not
                part = part if isinstance(part, Repeat) and self.pattern[self.at - 2] in "*+?}" else Repeat(part, 0, 1)
            elif self.peek("{") and (bounds := self.bounds()):
                part = Repeat(part, *bounds)
            else:
                return part

    def bounds(self) -> tuple[int, int | None] | None:
        """`{3}`, `{3,}`, `{3,5}`; None where the brace is a letter."""
        inside, closed, _ = self.pattern[self.at + 1 :].partition("}")
        least, comma, most = inside.partition(",")
        if not closed or not least.isdecimal() or (most and not most.isdecimal()):
            return None
        self.at += len(inside) + 2
        return int(least), int(most) if most else None if comma else int(least)

    def escaped(self) -> Tree:
        char = self.take()
        if char in _ASSERTIONS:
            return Place(_ASSERTIONS[char])
        if char.lower() in _CLASSES:
            return self.folded(*self.named(char))
        return self.letter(chr(self.code(char)))

    def named(self, char: str) -> tuple[frozenset[int], tuple[str, ...] | None]:
        """`\\d` and its like."""
        inside = _CLASSES[char.lower()]
        return (inside, ()) if char.islower() else (ASCII - inside, None)

    def code(self, char: str) -> int:
        """The character that an escape stands for."""
        if char in _CONTROL:
            return _CONTROL[char]
        if char != "x":
            if char.isalnum():
                raise Unread(self.pattern)
            return ord(char)
        digits = ""
        if self.take("{"):
            while (one := self.take()) != "}":
                digits += one
        else:
            digits = self.take() + self.take()
        try:
            return int(digits, 16)
        except ValueError:
            raise Unread(self.pattern) from None

    def bracket(self) -> Tree:
        """A class, past its opening bracket."""
        negated = bool(self.take("^"))
        inside: set[int] = set()
        beyond: set[str] | None = set()
        first = True
        while first or not self.peek("]"):
            first = False
            if self.peek("[:"):
                raise Unread(self.pattern)
            char = self.take()
            if char == "\\" and self.pattern[self.at : self.at + 1].lower() in _CLASSES:
                some, more = self.named(self.take())
                inside |= some
                beyond = None if more is None else beyond
                continue
            low = self.code(self.take()) if char == "\\" else ord(char)
            high = low
            if self.peek("-") and not self.peek("-]"):
                self.take()
                char = self.take()
                high = self.code(self.take()) if char == "\\" else ord(char)
            inside |= set(range(low, min(high, 127) + 1))
            if high > 127 and beyond is not None:
                beyond = (
                    None if high - max(low, 128) > 16 else beyond | {chr(one) for one in range(max(low, 128), high + 1)}
                )
        self.take("]")
        return self.folded(frozenset(inside), None if beyond is None else tuple(sorted(beyond)), negated)

    def folded(self, inside: frozenset[int], beyond: tuple[str, ...] | None, negated: bool = False) -> Characters:
        """A class under the flags: what folds in is taken in; of a negated one nothing is sure beyond ASCII."""
        if "i" in self.flags:
            if beyond is None or not all(map(_is_caseless, beyond)):
                inside, beyond = (inside if negated else inside | frozenset(b"kKsS")), None
            inside = _both_cases(inside)
        if negated:
            return Characters(ASCII - inside, None)
        return Characters(inside, beyond)


def _both_cases(codes: frozenset[int]) -> frozenset[int]:
    return codes | {ord(turned) for code in codes if (turned := chr(code).swapcase()).isascii()}


def _is_caseless(char: str) -> bool:
    return char == char.lower() == char.upper() == char.casefold()
