"""A pickle's list of dicts that differ in numbers alone -> the numbers of each, without running it opcode by opcode.

    } r 538 ( h 45 J 4820032 h 58 ... u      {"record_id": 4820032, "time_created_ns": ...}
    } r 577 ( h 45 J 4820033 h 58 ... u      the same opcodes, other numbers, the next places in the memo

A flight recorder's dump is thousands of entries of a few shapes. The machine of `plain_pickle` reads the first of each
shape; what follows is compared with it as a whole: every byte must be that of the first, but for the operands of
numbers, and for those of PUT, which must go on from the last place. What fits no shape is run as ever, so what comes
out is what `plain_pickle.load` makes of it, with a `Run` in the list where dicts stood side by side. An item that
takes from the stack what it did not put there, or from the memo what is no text, makes no shape.

**Source:** PyTorch 2.11 `torch/csrc/jit/serialization/pickler.cpp`, for how entries are written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from advisor.evidence import plain_pickle
from advisor.evidence.plain_pickle import Machine

MAX_SHAPES = 256
MAX_LENGTH = 65_536  # bytes of one
PATIENCE = 16  # times the bytes of the whole that may be compared in vain
_TRIES = 4  # shapes that came after this one before; then all are looked at
_LEAST_PUT = 256  # below, PUT has an operand of one byte
_NUMBERS = {ord("K"): "B", ord("M"): "H", ord("J"): "i", 0x8A: "q"}
_FIXED = {ord("K"): 1, ord("M"): 2, ord("J"): 4, ord("G"): 8, ord("h"): 1, ord("j"): 4, ord("r"): 4}
# opcode -> how many it takes from the stack, and leaves there
_EFFECT = {
    **dict.fromkeys(b"}])N\x88\x89KMJ\x8aGXhj", (0, 1)),
    **{ord("r"): (1, 1), ord("a"): (2, 1), ord("s"): (3, 1), 0x85: (1, 1), 0x86: (2, 1), 0x87: (3, 1)},
}
_MADE = b"}])MJ\x8aGXt\x85\x86\x87"  # what of it the machine counts
_ENDS = (b"u}", b"ue")

Path = tuple[str | int, ...]
Wanted = frozenset[str] | None


class Token(NamedTuple):
    """One opcode and where its operand begins and ends."""

    code: int
    start: int
    end: int


class Shape:
    """What items have in common: `value` is the first of them, `paths` say where in it the numbers stand."""

    def __init__(self, value: dict[str, Any], paths: list[Path | None], wanted: Wanted) -> None:
        self.value, self.wanted = value, wanted
        self.paths = tuple(path for path in paths if path is not None and self.wants(path[0]))
        self.followers: list[Any] = []  # shapes that came after this one, the latest first

    def wants(self, key: str | int) -> bool:
        """Whether the numbers at this key are kept."""
        return self.wanted is None or key in self.wanted

    def item(self, numbers: Iterable[int | str]) -> dict[str, Any]:
        """The item with these numbers, as it would be read; all else, and numbers not wanted, are the first's."""
        given = iter(numbers)
        return {key: _filled(value, given) if self.wants(key) else value for key, value in self.value.items()}


class _PickleShape(Shape):
    def __init__(
        self, item: bytes, tokens: list[Token], value: dict[str, Any], paths: list[Path | None], wanted: Wanted
    ) -> None:
        super().__init__(value, paths, wanted)
        self.length = len(item)
        mask, steps = bytearray(b"\xff" * len(item)), bytearray(len(item))
        told, layout, at = iter(paths), "<", 0
        puts = [token for token in tokens if token.code == 0x72]
        for token in tokens:
            kind = _NUMBERS.get(token.code)
            if kind and (path := next(told)) is not None:
                start = token.end - struct.calcsize("<" + kind)
                mask[start : token.end] = bytes(token.end - start)
                if self.wants(path[0]):
                    layout += f"{start - at}x{kind}"
                    at = token.end
        for token in puts:
            steps[token.start] = 1
        self.puts = len(puts)
        self.mask, self.steps = int.from_bytes(mask, "little"), int.from_bytes(steps, "little")
        first = int.from_bytes(item[puts[0].start : puts[0].end], "little")
        self.fixed = (int.from_bytes(item, "little") & self.mask) - first * self.steps
        self.numbers = struct.Struct(layout).unpack_from
        self.size, self.depth = plain_pickle.measure(value)
        self.made = sum(token.code in _MADE for token in tokens)

    def fits(self, data: bytes, at: int, stored: int) -> bool:
        """Whether the bytes from `at` on are of this shape, where the next place of the memo is `stored`."""
        found = int.from_bytes(data[at : at + self.length], "little")
        return found & self.mask == self.fixed + stored * self.steps


class Run:
    """Items side by side that are each like one before: the shape of each, and its numbers (as text where it was)."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, tuple[Any, ...]]] = []

    def items(self) -> Iterator[dict[str, Any]]:
        """The items as they would have been read."""
        return (shape.item(numbers) for shape, numbers in self.rows)


class _Passed(Run):
    """A run of a pickle, and where it began: in the bytes, and in the memo."""

    def __init__(self, at: int, stored: int) -> None:
        super().__init__()
        self.at, self.stored = at, stored

    def weight(self) -> tuple[int, int]:
        """Its size with everything written out, and its depth."""
        shapes = [shape for shape, _ in self.rows]
        return sum(shape.size for shape in shapes), max((shape.depth for shape in set(shapes)), default=0)


def load(data: bytes, key: str, wanted: Wanted = None) -> Any:
    """The value in the pickle `data`, with a `Run` for items of the list at `key` that are alike. Raises Refused.

    `wanted` are the keys of an item at which its numbers are kept: all, when it is None.
    """
    try:
        return plain_pickle.value_of(_Skimmer(data, key, wanted))
    except _Shared:
        return plain_pickle.load(data)


class _Shared(Exception):
    """A container that a run passed over is used again, and may be added to: then all must be read in turn."""


class _Memo(dict[int, Any]):
    """What was stored; what a run passed over is read when it is asked for."""

    def __init__(self, reader: _Skimmer) -> None:
        super().__init__()
        self.reader = reader

    def __missing__(self, index: int) -> Any:
        self.reader.read_passed(index)
        if index not in self:
            raise KeyError(index)
        return self[index]


class _Skimmer(Machine):
    """The machine, which at the items of one list looks first whether it has read their like."""

    def __init__(self, data: bytes, key: str, wanted: Wanted = None) -> None:
        super().__init__(data)
        self.wanted = wanted
        self.key: str | None = key  # None when it is no longer worth while
        self.left = PATIENCE * len(data)
        self.memo = _Memo(self)
        self.stored = 0  # the place after the highest in the memo
        self.shapes: list[_PickleShape] = []
        self.runs: list[_Passed] = []
        self.learning: tuple[int, int, list[Token]] | None = None  # where the item begins and ends

    def weight(self, value: object) -> tuple[int, int]:
        return value.weight() if type(value) is _Passed else super().weight(value)

    def keep(self, index: int) -> None:
        if index < self.stored:  # it may be what a shape refers to
            self.shapes.clear()
        else:
            self.stored = index + 1
        super().keep(index)

    def memoize(self) -> None:
        self.keep(self.stored)

    def empty_dict(self) -> None:
        below = self.below[-1][-2:] if self.below else []
        if len(below) == 2 and below[0] == self.key and type(below[1]) is list:
            if self.learning:
                self.learn(*self.learning)
            if self.shapes and self.skim():
                return
            start = self.at - 1
            tokens = _tokens(self.data, start) if len(self.shapes) < MAX_SHAPES else []
            self.learning = (start, tokens[-1].end, tokens) if tokens else None
        super().empty_dict()

    def learn(self, start: int, end: int, tokens: list[Token]) -> None:
        """Make a shape of the item that was just read, where it is one."""
        self.learning = None
        value = self.stack[-1] if self.stack else None
        if self.at - 1 != end or type(value) is not dict:
            return
        item = self.data[start:end]
        tokens = [Token(one.code, one.start - start, one.end - start) for one in tokens]
        paths = self.paths(item, tokens, value)
        if paths is not None:
            self.shapes.append(_PickleShape(item, tokens, value, paths, self.wanted))

    def paths(self, item: bytes, tokens: list[Token], value: dict[str, Any]) -> list[Path | None] | None:
        """Where in `value` the numbers stand; None where the item makes no shape."""
        puts = [int.from_bytes(item[one.start : one.end], "little") for one in tokens if one.code == 0x72]
        if not puts or puts[0] < _LEAST_PUT or puts != list(range(puts[0], puts[0] + len(puts))):
            return None
        gets = {int.from_bytes(item[one.start : one.end], "little") for one in tokens if one.code in b"hj"}
        if puts[-1] + 1 != self.stored or any(type(self.memo.get(index)) is not str for index in gets):
            return None
        numbers = [_number(item, one) for one in tokens if one.code in _NUMBERS]
        found = list(numbers_of(value))
        return [path for path, _ in found] if [number for _, number in found] == numbers else None

    def skim(self) -> bool:
        """Read the items from here on that are like one before; whether there is any."""
        data, at, stored, number = self.data, self.at - 1, self.stored, int.from_bytes
        run = _Passed(at, stored)
        add = run.rows.append
        last: _PickleShape | None = None
        followers: list[_PickleShape] = []
        while True:
            for shape in followers:  # as `fits` has it: a call for each item would be a tenth of the whole
                end = at + shape.length
                if number(data[at:end], "little") & shape.mask == shape.fixed + stored * shape.steps:
                    break
            else:
                found = self.fitting(at, stored)
                if found is None:
                    break
                if last is not None:
                    last.followers = [found, *last.followers][:_TRIES]
                shape = found
            if followers and followers[0] is not shape:
                forward(followers, shape)
            add((shape, shape.numbers(data, at)))
            at += shape.length
            stored += shape.puts
            last, followers = shape, shape.followers
        if last is None:
            return False
        self.made += sum(shape.made for shape, _ in run.rows)
        self.at, self.stored = at, stored
        self.runs.append(run)
        self.push(run)
        return True

    def fitting(self, at: int, stored: int) -> _PickleShape | None:
        """The shape of what begins at `at`; None where none fits."""
        for shape in self.shapes:
            end = at + shape.length
            if self.data[end - 1 : end + 1] in _ENDS:
                if shape.fits(self.data, at, stored):
                    return shape
                self.left -= shape.length
        if self.left < 0:
            self.key = None
            self.shapes.clear()
        return None

    def read_passed(self, index: int) -> None:
        """Store the string that stands at this place of the memo, in an item that a run passed over."""
        for run in self.runs:
            at, stored = run.at, run.stored
            for shape, _ in run.rows:
                if stored <= index < stored + shape.puts:
                    inner = Machine(self.data[at : at + shape.length] + b".")
                    inner.memo = dict(self.memo)
                    inner.run()
                    if type(inner.memo[index]) is not str:
                        raise _Shared
                    self.memo[index] = inner.memo[index]
                    return
                at, stored = at + shape.length, stored + shape.puts


def forward(followers: list[Any], shape: Shape) -> None:
    """Look at this one a place earlier next time: those that come often gather in front."""
    at = followers.index(shape) if shape in followers else 0
    followers[max(0, at - 1) : at + 1] = followers[max(0, at - 1) : at + 1][::-1]


def _tokens(data: bytes, at: int) -> list[Token]:
    """The opcodes of the dict that begins at `at`; none where it holds one that makes no shape."""
    found: list[Token] = []
    levels, end = [0], min(len(data), at + MAX_LENGTH)
    while at < end:
        code = data[at]
        start = at + 1
        size = _FIXED.get(code, 0)
        if code == 0x8A:
            size = 9 if data[start : start + 1] == b"\x08" else end
        elif code == 0x58:
            size = 4 + int.from_bytes(data[start : start + 4], "little")
        if start + size > end or not _moves(code, levels):
            return []
        at = start + size
        found.append(Token(code, start, at))
        if levels == [1] and code in b"us":
            return found
    return []


def _moves(code: int, levels: list[int]) -> bool:
    """Do to the stack's heights between marks what an opcode does; False where it is none of a shape's."""
    if code == 0x28:
        levels.append(0)
        return True
    if code in b"uet" and len(levels) > 1:
        levels.pop()
        levels[-1] += code == 0x74
        return levels[-1] > 0
    takes, leaves = _EFFECT.get(code, (1 << 30, 0))
    levels[-1] += leaves - takes
    return levels[-1] >= leaves


def _number(item: bytes, token: Token) -> int:
    size = struct.calcsize("<" + _NUMBERS[token.code])
    return int(struct.unpack_from("<" + _NUMBERS[token.code], item, token.end - size)[0])


def numbers_of(value: dict[str, Any]) -> Iterator[tuple[Path | None, int]]:
    """Every integer of an item in the order in which it is written, and where it stands; None where it must stay as
    it is: in a dict of the item, or as a key."""
    return _numbers(value, (), False)


def _numbers(value: object, path: Path, stays: bool) -> Iterator[tuple[Path | None, int]]:
    if type(value) is int:
        yield None if stays else path, value
    elif isinstance(value, list | tuple):
        for index, one in enumerate(value):
            yield from _numbers(one, (*path, index), stays)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _numbers(key, path, True)
            yield from _numbers(one, (*path, key), bool(path) or stays)


def _filled(value: Any, numbers: Iterator[int | str]) -> Any:
    if type(value) is int:
        return int(next(numbers))
    if type(value) is list or type(value) is tuple:
        return type(value)(_filled(one, numbers) for one in value)
    return value
