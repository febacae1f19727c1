"""A pattern's tree → the words one of which a text must hold for the pattern to match in it.

A *way* is one branch of the pattern's outermost choice; a *clause* is a set of words of which the way needs one. A way
may have several clauses; the one is taken whose words are least likely to stand in a log by themselves.

Words are of scanned text: small letters of ASCII, and every number is 0, so that lines which differ in their numbers
alone are one line. No word reaches over the end of a line.

    (?i)\\bkv[ _-]?cache\\b[^\\n.]{0,40}(?:full|exhaust\\w*)|H100   ->   kvcache, kv cache, kv_cache, kv-cache; h0
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from advisor.scan.syntax import Characters, Either, Place, Repeat, Row, Tree

_MOST = 16
"""Words that a clause may be spelled out into before it is cut in two."""
_CHOICES = 4
"""Characters of a class that are spelled out."""
PLAIN = bytes.maketrans(b"123456789", b"0" * 9)
"""Takes the digits' differences: `data.translate(PLAIN)`."""
_SCANNED = bytes(range(256)).translate(PLAIN).lower()

_COMMON_WORDS = """
info warn error engine request token prefill decode batch running queue usage throughput cache prefix worker rank model
server http post file line core init load start nccl cuda device memory graph time step python req reqs count accept via
all send recv stream kv using completed connection allreduce"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""What engines print in every other line, as in tests/healthy: finding one of these tells little."""


Clause = frozenset[str]


def scanned(data: bytes) -> bytes:
    """The text that words are looked for in."""
    return without_numbers(data.translate(_SCANNED))


def without_numbers(data: bytes) -> bytes:
    """Every run of digits becomes one 0."""
    data = data.translate(PLAIN)
    while b"00" in data:
        data = data.replace(b"00", b"0")
    return data


def watched(tree: Tree) -> frozenset[str] | None:
    """Words of which a text must hold one; None when there is a way without any."""
    found = [max(clauses, key=_rarity, default=None) for clauses in ways(tree)]
    if None in found:
        return None
    return _reduced(frozenset(word for clause in found for word in clause or ()))


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
        return _NOTHING
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
    codes = frozenset(bytes(one.ascii).translate(_SCANNED))
    if one.beyond is None or 10 in codes or not 0 < len(codes) + len(one.beyond) <= _CHOICES:
        return None
    return frozenset((*map(chr, codes), *one.beyond))


_NOTHING: Clause = frozenset({""})


def _joined(first: Clause, second: Clause) -> Clause:
    return frozenset(one + other for one, other in product(first, second))


def _reduced(clause: Clause) -> Clause | None:
    """Without words that hold another of the clause; None where a word is too short to be worth finding."""
    clause = frozenset(
        scanned(word.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") for word in clause
    )
    if any(len(word.encode("utf-8", "surrogatepass")) < 2 for word in clause):
        return None
    return frozenset(word for word in clause if not any(other in word for other in clause if other != word))


def _rarity(clause: Clause) -> float:
    return min(map(_rarity_of, clause)) - 0.15 * len(clause)


def _rarity_of(word: str) -> float:
    """How unlikely it stands in a log by chance. Chinese counts by the byte, what is no letter hardly."""
    if not any(map(str.isalpha, word)):
        return -9  # numbers are everywhere, the more so when every digit is 0
    size = sum(len(one.encode("utf-8", "surrogatepass")) if one.isalpha() else 0.25 for one in word)
    return min(size, 12) - 5 * any(one in _COMMON for one in _parts(word))


def _parts(word: str) -> list[str]:
    return "".join(char if char.isalpha() else " " for char in word).split()
