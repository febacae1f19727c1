"""A pickle -> the plain data in it, and nothing else: nothing is imported, called or looked up by name.

A pickle is a program for a small stack machine. This is that machine without the opcodes that can reach code: what is
left makes None, bool, int, float, str, bytes, list, tuple and dict. Any other opcode is refused by name, with its
position. So are input that breaks off, nesting deeper than 64, and more data than a flight recorder can hold, counted
both as stored and as it would be when every shared part is written out.

**Source:** CPython 3.12 `Lib/pickletools.py`; PyTorch 2.11 `torch/csrc/jit/serialization/pickler.cpp`, which writes the
dumps this is for (protocol 2).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any

MAX_BYTES = 256 << 20
MAX_DEPTH = 64
MAX_ITEMS = 5_000_000
MAX_MARKS = 1_000  # open at once
MAX_STEPS = 20_000_000
MAX_STRING = 1 << 20
MAX_WRITTEN = 512 << 20  # characters of all strings, each counted as often as it is used
_FIRST = tuple(bytes([byte]) for byte in b"(]})cVSUTX")  # containers, names and strings: what is handed over begins so
_NAMING = frozenset({"GLOBAL", "INST", "PERSID"})
_PEEK = 4096
_MAX_LONG = 255  # bytes of one integer
_LARGEST_KEY = 1 << 60  # larger integers can be chosen to share one hash


class Refused(ValueError):
    """What stood in the way: `opcode` is its name, "" when none is to blame; `position` the byte where it stands."""

    def __init__(self, reason: str, opcode: str = "", position: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.opcode, self.position = reason, opcode, position

    def __str__(self) -> str:
        where = f"opcode {self.opcode} at byte {self.position}" if self.opcode else f"at byte {self.position}"
        return f"{self.reason} ({where})"


def load(data: bytes) -> Any:
    """The value that the pickle `data` holds. Raises Refused, and nothing else."""
    return value_of(Machine(data))


def value_of(machine: Machine) -> Any:
    """The value that a machine makes, which is no larger than it may be. Raises Refused."""
    if len(machine.data) > MAX_BYTES:
        raise Refused(f"larger than {MAX_BYTES >> 20} MiB")
    value = machine.run()
    _Written(machine.weight).measure(value, 1)
    return value


def measure(value: Any) -> tuple[int, int]:
    """Size with every shared part written out, in characters and items, and depth. Raises Refused."""
    return _Written(_one).measure(value, 1)


def is_pickle(data: bytes) -> bool:
    """Whether these bytes begin as a pickle does. Protocols 0 and 1 have no mark, so their first opcodes must all be
    such and either number what they make from 0 or 1 on, as every pickler does, or name something and end there."""
    if data[:1] == b"\x80":
        return data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if data[:1] not in _FIRST:
        return False
    import pickletools

    names: list[str] = []
    stored: list[Any] = []
    ends = False
    with suppress(ValueError, LookupError, ArithmeticError):  # where it is cut, or is no pickle
        for one, value, at in islice(pickletools.genops(data[:_PEEK]), 64):
            names.append(one.name)
            stored += [value] if one.name in ("PUT", "BINPUT", "LONG_BINPUT") else []
            ends = one.name == "STOP" and at == len(data.rstrip()) - 1
    named = ends and not _NAMING.isdisjoint(names)
    return len(names) >= 3 and (stored[:1] in ([0], [1]) or named)


def opcode_name(code: int) -> str:
    """`GLOBAL` for 0x63; the number itself for a byte that is no opcode."""
    import pickletools

    return next((one.name for one in pickletools.opcodes if one.code == chr(code)), f"0x{code:02x}")


class Machine:
    """The stack machine. `stack` holds what came since the last mark, `below` what lies under each mark."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.made = 0
        self.began = 0  # where the opcode being run stands

    def run(self) -> Any:
        data, handlers = self.data, self.handlers()
        try:
            for _ in range(MAX_STEPS):
                self.began = at = self.at
                code = data[at]
                if code == 0x2E:  # STOP
                    return self.stop()
                self.at = at + 1
                handler = handlers[code]
                if handler is None:
                    raise self.refusal("not plain data")
                handler()
        except IndexError:
            raise self.refusal("breaks off" if self.at >= len(data) else "malformed: nothing on the stack") from None
        except KeyError:
            raise self.refusal("malformed: names what was never stored") from None
        raise self.refusal(f"more than {MAX_STEPS:,} steps")

    def weight(self, value: object) -> tuple[int, int]:
        """Size and depth of what is neither a container nor a string."""
        return _one(value)

    def refusal(self, reason: str) -> Refused:
        name = opcode_name(self.data[self.began]) if self.began < len(self.data) else ""
        return Refused(reason, name, self.began)

    def stop(self) -> Any:
        if self.below or len(self.stack) != 1:
            raise self.refusal("malformed: does not end in one value")
        return self.stack[0]

    def handlers(self) -> list[Callable[[], None] | None]:
        """The handler of each opcode that is admitted, by its byte."""
        table: list[Callable[[], None] | None] = [None] * 256
        for code, name in _ADMITTED.items():
            table[code] = getattr(self, name)
        return table

    # what the opcodes share

    def take(self, count: int) -> bytes:
        start = self.at
        end = self.at = start + count
        if end > len(self.data):
            raise self.refusal("breaks off")
        return self.data[start:end]

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "little")

    def line(self) -> bytes:
        end = self.data.find(b"\n", self.at, self.at + MAX_STRING)
        if end < 0:
            raise self.refusal("breaks off")
        start, self.at = self.at, end + 1
        return self.data[start:end]

    def push(self, value: Any) -> None:
        self.made += 1
        if self.made > MAX_ITEMS:
            raise self.refusal(f"more than {MAX_ITEMS:,} items")
        self.stack.append(value)

    def string(self, count: int) -> bytes:
        if count > MAX_STRING:
            raise self.refusal(f"a string longer than {MAX_STRING >> 10} KiB")
        return self.take(count)

    def keep(self, index: int) -> None:
        if len(self.memo) >= MAX_ITEMS or index > 0xFFFFFFFF:
            raise self.refusal(f"more than {MAX_ITEMS:,} items stored")
        self.memo[index] = self.stack[-1]

    def since_mark(self) -> list[Any]:
        items, self.stack = self.stack, self.below.pop()
        return items

    def onto(self, kind: type) -> Any:
        target = self.stack[-1]
        if type(target) is not kind:
            raise self.refusal(f"malformed: no {kind.__name__} to add to")
        return target

    def fill(self, target: dict[Any, Any], items: list[Any]) -> None:
        if len(items) % 2:
            raise self.refusal("malformed: a key without a value")
        for index in range(0, len(items), 2):
            key = items[index]
            if type(key) is not str and not self.good_key(key):
                raise self.refusal("a key that is neither text nor a small number")
            target[key] = items[index + 1]

    @staticmethod
    def good_key(key: Any) -> bool:
        return key is None or type(key) in (bool, bytes) or (type(key) is int and abs(key) < _LARGEST_KEY)

    # numbers and constants

    def none(self) -> None:
        self.stack.append(None)

    def true(self) -> None:
        self.stack.append(True)

    def false(self) -> None:
        self.stack.append(False)

    def binint1(self) -> None:
        self.stack.append(self.data[self.at])
        self.at += 1

    def binint2(self) -> None:
        self.push(self.number(2))

    def binint(self) -> None:
        self.push(int.from_bytes(self.take(4), "little", signed=True))

    def long1(self) -> None:
        self.push(int.from_bytes(self.take(self.number(1)), "little", signed=True))

    def long4(self) -> None:
        count = self.number(4)
        if count > _MAX_LONG:
            raise self.refusal(f"an integer of more than {_MAX_LONG} bytes")
        self.push(int.from_bytes(self.take(count), "little", signed=True))

    def binfloat(self) -> None:
        self.push(struct.unpack(">d", self.take(8))[0])

    def printed_int(self) -> None:
        text = self.line().rstrip(b"L")
        if text in (b"00", b"01"):
            self.push(text == b"01")
            return
        try:
            if len(text) > 2 * _MAX_LONG:
                raise ValueError
            self.push(int(text))
        except ValueError:
            raise self.refusal("malformed: no integer") from None

    def printed_float(self) -> None:
        try:
            self.push(float(self.line()))
        except ValueError:
            raise self.refusal("malformed: no number") from None

    # strings

    def unicode1(self) -> None:
        self.push(self.string(self.number(1)).decode("utf-8", "replace"))

    def unicode4(self) -> None:
        self.push(self.string(self.number(4)).decode("utf-8", "replace"))

    def unicode8(self) -> None:
        self.push(self.string(self.number(8)).decode("utf-8", "replace"))

    def printed_unicode(self) -> None:
        self.push(self.line().decode("raw-unicode-escape", "replace"))

    def bytes1(self) -> None:
        self.push(self.string(self.number(1)))

    def bytes4(self) -> None:
        self.push(self.string(self.number(4)))

    def bytes8(self) -> None:
        self.push(self.string(self.number(8)))

    # containers

    def empty_list(self) -> None:
        self.push([])

    def empty_tuple(self) -> None:
        self.push(())

    def empty_dict(self) -> None:
        self.push({})

    def append(self) -> None:
        value = self.stack.pop()
        self.onto(list).append(value)

    def appends(self) -> None:
        items = self.since_mark()
        self.onto(list).extend(items)

    def setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.fill(self.onto(dict), [key, value])

    def setitems(self) -> None:
        items = self.since_mark()
        self.fill(self.onto(dict), items)

    def marked_list(self) -> None:
        self.push(self.since_mark())

    def marked_tuple(self) -> None:
        self.push(tuple(self.since_mark()))

    def marked_dict(self) -> None:
        items = self.since_mark()
        self.push({})
        self.fill(self.stack[-1], items)

    def last(self, count: int) -> None:
        if len(self.stack) < count:
            raise IndexError
        items = tuple(self.stack[-count:])
        del self.stack[-count:]
        self.push(items)

    def tuple1(self) -> None:
        self.last(1)

    def tuple2(self) -> None:
        self.last(2)

    def tuple3(self) -> None:
        self.last(3)

    # the stack and the memo

    def mark(self) -> None:
        self.below.append(self.stack)
        self.stack = []
        if len(self.below) > MAX_MARKS:
            raise self.refusal(f"more than {MAX_MARKS:,} marks open")

    def pop(self) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self.since_mark()

    def pop_mark(self) -> None:
        self.since_mark()

    def dup(self) -> None:
        self.stack.append(self.stack[-1])

    def memoize(self) -> None:
        self.keep(len(self.memo))

    def put1(self) -> None:
        self.keep(self.number(1))

    def put4(self) -> None:
        self.keep(self.number(4))

    def printed_put(self) -> None:
        self.keep(self.index())

    def get1(self) -> None:
        self.stack.append(self.memo[self.data[self.at]])
        self.at += 1

    def get4(self) -> None:
        self.stack.append(self.memo[self.number(4)])

    def printed_get(self) -> None:
        self.stack.append(self.memo[self.index()])

    def index(self) -> int:
        text = self.line()
        if not text.isdigit() or len(text) > 10:
            raise self.refusal("malformed: no place in the memo")
        return int(text)

    def proto(self) -> None:
        if self.number(1) > 5:
            raise self.refusal("a protocol newer than 5")

    def frame(self) -> None:
        self.take(8)


_ADMITTED = {
    **{ord("N"): "none", 0x88: "true", 0x89: "false"},
    **{ord("K"): "binint1", ord("M"): "binint2", ord("J"): "binint", 0x8A: "long1", 0x8B: "long4"},
    **{ord("G"): "binfloat", ord("I"): "printed_int", ord("L"): "printed_int", ord("F"): "printed_float"},
    **{0x8C: "unicode1", ord("X"): "unicode4", 0x8D: "unicode8", ord("V"): "printed_unicode"},
    **{ord("U"): "unicode1", ord("T"): "unicode4", ord("C"): "bytes1", ord("B"): "bytes4", 0x8E: "bytes8"},
    **{ord("]"): "empty_list", ord("a"): "append", ord("e"): "appends", ord("l"): "marked_list"},
    **{ord(")"): "empty_tuple", ord("t"): "marked_tuple", 0x85: "tuple1", 0x86: "tuple2", 0x87: "tuple3"},
    **{ord("}"): "empty_dict", ord("s"): "setitem", ord("u"): "setitems", ord("d"): "marked_dict"},
    **{ord("("): "mark", ord("0"): "pop", ord("1"): "pop_mark", ord("2"): "dup"},
    **{0x94: "memoize", ord("q"): "put1", ord("r"): "put4", ord("p"): "printed_put"},
    **{ord("h"): "get1", ord("j"): "get4", ord("g"): "printed_get", 0x80: "proto", 0x95: "frame"},
}
"""Opcode -> the method that runs it. STRING is not here, since its escapes are Python source; sets are no JSON."""


def _one(_: object) -> tuple[int, int]:
    return 1, 0


class _Written:
    """How large a value is with every shared part written out where it is used, and how deep."""

    def __init__(self, other: Callable[[object], tuple[int, int]]) -> None:
        self.other = other
        self.known: dict[int, tuple[int, int]] = {}  # container -> characters and items, depth
        self.open: set[int] = set()

    def measure(self, value: Any, level: int) -> tuple[int, int]:
        """Size and depth of `value`, which stands `level` deep. Raises Refused."""
        kind = type(value)
        if kind is str or kind is bytes:
            return len(value) + 1, 0
        if kind not in (list, tuple, dict):
            return self.other(value)
        key = id(value)
        if key in self.open:
            raise Refused("contains itself")
        size, depth = self.known.get(key) or self.container(value, key, level)
        if level + depth > MAX_DEPTH + 1:
            raise Refused(f"nested deeper than {MAX_DEPTH}")
        return size, depth

    def container(self, value: Any, key: int, level: int) -> tuple[int, int]:
        if level > MAX_DEPTH:
            raise Refused(f"nested deeper than {MAX_DEPTH}")
        self.open.add(key)
        size, depth = 1, 0
        for part in [*value, *value.values()] if type(value) is dict else value:
            more, deeper = self.measure(part, level + 1)
            size += more
            if deeper > depth:
                depth = deeper
        if size > MAX_WRITTEN:
            raise Refused(f"more than {MAX_WRITTEN >> 20} MiB when written out")
        self.open.discard(key)
        self.known[key] = (size, depth + 1)
        return self.known[key]
