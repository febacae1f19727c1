"""A pattern's tree → the words one of which a text must hold for the pattern to match in it.

A *way* is one branch of the pattern's outermost choice; a *clause* is a set of words of which the way needs one. A way
may have several clauses; the gate watches the one whose words are least likely to stand in a log by themselves.

Words are of plain text: UTF-8 in which every digit is 0, so that lines which differ in their numbers alone are one
line. No word reaches over the end of a line.

    (?i)\\bkv[ _-]?cache\\b[^\\n.]{0,40}(?:full|exhaust\\w*)|H100   ->   {\\bkvcache\\b, \\bkv cache\\b, …}, {H000}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from advisor.scan.syntax import Characters, Either, Place, Repeat, Row, Tree

_MOST = 16
"""Words that a clause may be spelled out into before it is cut in two."""
_CHOICES = 4
"""Characters of a class that are spelled out."""
_DIGITS = frozenset(b"0123456789")
PLAIN = bytes.maketrans(b"123456789", b"0" * 9)
"""What makes text plain: `data.translate(PLAIN)`."""

_COMMON_WORDS = """
info warn error engine request token prefill decode batch running queue usage throughput cache prefix worker rank model
server http post file line core init load start nccl cuda device memory graph time step python req reqs count accept via
all send recv stream kv using completed connection allreduce"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""What engines print in every other line, as in tests/healthy: finding one of these tells little."""


@dataclass(frozen=True)
class Word:
    """Letters to be found, `folded` in either case; whether it must begin or end at the edge of a word."""

    letters: str
    folded: bool = False
    begins: bool = False
    ends: bool = False

    def expression(self) -> str:
        """The word as a regular expression over bytes, in ASCII."""
        letters = "".join(_letter(char, self.folded) for char in self.letters)
        return ("\\b" if self.begins else "") + letters + ("\\b" if self.ends else "")

    def lowered(self) -> str:
        """Its letters as they stand in text whose ASCII is in lower case."""
        return _lower(self.letters)

    def then(self, other: Word) -> Word:
        """Both in a row. An edge between letters is forgotten, their cases are the looser of both: never narrower."""
        if not other.letters:
            edge = other.begins
            return replace(self, ends=self.ends or edge) if self.letters else replace(self, begins=self.begins or edge)
        if not self.letters:
            return replace(other, begins=other.begins or self.begins)
        folded = self.folded or other.folded
        letters = self.letters + other.letters
        return Word(_lower(letters) if folded else letters, folded, self.begins, other.ends)

    def rarity(self) -> float:
        """How unlikely it stands in a log by chance. Chinese counts by the byte, what is no letter hardly."""
        if not any(map(str.isalpha, self.letters)):
            return -9  # numbers are everywhere, the more so when every digit is 0
        size = sum(len(one.encode("utf-8", "surrogatepass")) if one.isalpha() else 0.25 for one in self.letters)
        return min(size, 12) + 0.5 * (self.begins + self.ends) - 5 * any(one in _COMMON for one in _parts(self.letters))


Clause = frozenset[Word]


def watched(tree: Tree) -> list[Clause] | None:
    """A clause for each way the pattern can match; None when there is a way without any."""
    found = [max(clauses, key=_rarity, default=None) for clauses in ways(tree)]
    return None if None in found else [clause for clause in found if clause is not None]


def ways(tree: Tree) -> Iterator[list[Clause]]:
    """The clauses of each branch."""
    if isinstance(tree, Either):
        for branch in tree.branches:
            yield from ways(branch)
    else:
        yield [clause for clause in map(_reduced, _clauses(tree)) if clause]


def _clauses(tree: Tree) -> list[Clause]:
    spelled = _spelled(tree)
    if spelled is not None:
        return [spelled]
    if isinstance(tree, Repeat):
        return _clauses(tree.part) if tree.least else []
    if isinstance(tree, Either):
        return _of_branches([[one for one in map(_reduced, _clauses(branch)) if one] for branch in tree.branches])
    return _of_row(tree) if isinstance(tree, Row) else []


def _of_branches(branches: list[list[Clause]]) -> list[Clause]:
    """One clause for a choice inside of a pattern: the words of the best clause of each branch."""
    if not all(branches):
        return []
    return [frozenset(word for clauses in branches for word in max(clauses, key=_rarity))]


def _of_row(row: Row) -> list[Clause]:
    found: list[Clause] = []
    so_far: Clause = _NOTHING
    for part in row.parts:
        spelled = _spelled(part)
        if spelled is not None and len(so_far) * len(spelled) <= _MOST:
            so_far = _joined(so_far, spelled)
            continue
        found += [so_far]
        so_far = _NOTHING if spelled is None else spelled
        if spelled is None:
            found += _clauses(part)
    return [*found, so_far]


def _spelled(tree: Tree) -> Clause | None:
    """Every text that the tree can be, when they are few."""
    if isinstance(tree, Characters):
        return _of_characters(tree)
    if isinstance(tree, Place):
        return frozenset({Word("", begins=tree.kind == "word")})
    if isinstance(tree, Repeat):
        return _of_repeat(tree)
    if isinstance(tree, Either):
        branches = [_spelled(branch) for branch in tree.branches]
        joined = frozenset(word for branch in branches for word in branch or ())
        return None if None in branches or len(joined) > 4 * _MOST else joined
    so_far = _NOTHING
    for part in tree.parts:
        spelled = _spelled(part)
        if spelled is None or len(so_far) * len(spelled) > _MOST:
            return None
        so_far = _joined(so_far, spelled)
    return so_far


def _of_repeat(repeat: Repeat) -> Clause | None:
    most = repeat.most
    part = _spelled(repeat.part) if most is not None and most <= _CHOICES else None
    if part is None or most is None or len(part) ** most > _MOST:
        return None
    rows = [_NOTHING]
    for _ in range(most):
        rows.append(_joined(rows[-1], part))
    return frozenset().union(*rows[repeat.least :])


def _of_characters(one: Characters) -> Clause | None:
    codes = one.ascii if not one.ascii & _DIGITS else one.ascii - _DIGITS | {ord("0")}
    if one.beyond is None or 10 in codes:
        return None
    if one.folded:
        return frozenset({Word(chr(min(codes)).lower(), folded=True)})
    if not 0 < len(codes) + len(one.beyond) <= _CHOICES:
        return None
    return frozenset(Word(char) for char in (*map(chr, codes), *one.beyond))


_NOTHING: Clause = frozenset({Word("")})


def _joined(first: Clause, second: Clause) -> Clause:
    return frozenset(one.then(other) for one, other in product(first, second))


def _reduced(clause: Clause) -> Clause | None:
    """Without words that hold another of the clause; None where a word is too short to be worth finding."""
    if any(len(word.letters.encode("utf-8", "surrogatepass")) < 2 for word in clause):
        return None
    return frozenset(word for word in clause if not any(_holds(word, other) for other in clause if other != word))


def _holds(word: Word, other: Word) -> bool:
    """Whether wherever `word` stands `other` does too."""
    if other.begins or other.ends or (word.folded and not other.folded):
        return False
    return other.letters in (_lower(word.letters) if other.folded else word.letters)


def _rarity(clause: Clause) -> float:
    return min(word.rarity() for word in clause) - 0.15 * len(clause)


def _lower(letters: str) -> str:
    """In lower case as bytes are: what is beyond ASCII stays."""
    return "".join(char.lower() if char.isascii() else char for char in letters)


def _parts(letters: str) -> list[str]:
    return "".join(char if char.isalpha() else " " for char in letters.lower()).split()


def _letter(char: str, folded: bool) -> str:
    if not char.isascii():
        return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    if char.isalpha():
        return f"[{char.upper()}{char.lower()}]" if folded else char
    return f"\\x{ord(char):02x}"
