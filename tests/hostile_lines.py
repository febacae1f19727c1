"""A regular expression → lines that are hard for it: what comes before each repeat, the repeat many times over, and an
end that it does not want. And how long it takes over them."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from re import _constants as codes
from re import _parser as parser
from typing import Any

ENDS = ("\x00", "!\n", "")
LIMIT_S = 0.25  # of a processor, for one line
MANY = 300  # a repeat of fewer is a constant
UNITS = 6
_TRIED = [*"a1 -_./\"'\t\nx=:é中A([{])},`$<\\*#@!|;>%~^&+?0Z"]
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)

Part = tuple[Any, Any]


def lines(pattern: str, flags: int, length: int) -> Iterator[str]:
    """Lines of about this length that are hard for the pattern."""
    for before, unit in sorted(_attacks(parser.parse(pattern, flags), "")):
        body = unit * (length // len(unit))
        yield from (before + body + end for end in ENDS)


def seconds(find: Callable[[str], object], line: str) -> float:
    """Processor time that it takes, `LIMIT_S` where it is not done by then."""

    def over(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
    began = time.process_time()
    try:
        find(line)
    except TimeoutError:
        return LIMIT_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - began


def _attacks(parts: Sequence[Part], before: str) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for op, of in parts:
        for inner in _within(op, of):
            found |= _attacks(inner, before)
        if op in _REPEATS and (of[1] is codes.MAXREPEAT or of[1] >= MANY):
            for unit in filter(None, _units(of[2])):
                found |= {(before, unit), ("", before + unit)}
            found |= {("", before)} if before else set()
        before += _sample(op, of)
    return found


def _within(op: Any, of: Any) -> list[Sequence[Part]]:
    if op in _REPEATS:
        return [of[2]]
    if op is codes.SUBPATTERN:
        return [of[3]]
    if op is codes.BRANCH:
        return list(of[1])
    return [of[1]] if op in (codes.ASSERT, codes.ASSERT_NOT) else [of] if op is codes.ATOMIC_GROUP else []


def _units(parts: Sequence[Part]) -> list[str]:
    """What may be repeated."""
    if len(parts) == 1:
        op, of = parts[0]
        if op is codes.IN:
            return _members(of)[:UNITS]
        if op is codes.BRANCH:
            return [unit for branch in of[1] for unit in _units(branch)[:2]]
        if op is codes.SUBPATTERN:
            return _units(of[3])
        if op in (codes.ANY, codes.NOT_LITERAL):
            return ["a", " ", '"', "-"]
    return [_sampled(parts)]


def _members(of: list[Part]) -> list[str]:
    """Characters of a class, those that others are made of first."""
    named = [chr(one) for op, one in of if op is codes.LITERAL] + [chr(one[0]) for op, one in of if op is codes.RANGE]
    tree = parser.SubPattern(parser.State())
    tree.append((codes.IN, of))
    matches = re._compiler.compile.__globals__["_code"](tree, 0)  # type: ignore[attr-defined]
    member = __import__("_sre").compile(None, 0, matches, 0, {}, (None,))
    return [one for one in dict.fromkeys([*_TRIED, *named]) if member.fullmatch(one)]


def _sampled(parts: Sequence[Part]) -> str:
    return "".join(_sample(op, of) for op, of in parts)


def _sample(op: Any, of: Any) -> str:
    """Something that a part of a pattern matches; "" where nothing is found."""
    if op is codes.LITERAL:
        return chr(of)
    if op is codes.NOT_LITERAL:
        return "b" if of == ord("a") else "a"
    if op is codes.ANY:
        return "a"
    if op is codes.IN:
        return next(iter(_members(of)), "")
    if op in _REPEATS:
        return _sampled(of[2]) * min(of[0], 50)
    if op is codes.BRANCH:
        return _sampled(of[1][0])
    return _sampled(of[3]) if op is codes.SUBPATTERN else _sampled(of) if op is codes.ATOMIC_GROUP else ""
