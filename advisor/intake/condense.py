"""A large log, piece by piece -> the lines of it that anything can be read from, with their numbers.

    INFO 08-02 10:44:31 [loggers.py:248] Engine 000: Avg prompt throughput: …     1,400,000 of these: the last 2,000
    (APIServer pid=1) INFO:     10.0.0.3:40112 - "GET /health HTTP/1.1" 200 OK    the first 3
    RuntimeError: CUDA error: an illegal memory access was encountered            the first, the last, with tracebacks

The shape of a line is what is left of it without digits and the letters of hexadecimal numbers. The first lines of each
shape are kept, of those that a reader's mark stands in more of them, by each rank, and the last. Rules' patterns are
looked for in the first lines of each shape; those that name digits, `exit code 137`, in all lines of the shapes that
they can match in. The first lines where a pattern matches are kept. Past `_SHAPES` shapes the patterns are looked for
in every line of a new shape. Head and tail are kept whole, tracebacks and stacks as blocks, the last throughput lines
as many as the readers ever count. The tables' limits bound the memory, not the log.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from itertools import compress
from typing import NamedTuple

from advisor.evidence.assertion import printed
from advisor.evidence.heartbeat import MAX_BEATS
from advisor.intake import texts
from advisor.intake.condensed import STACKS, Condensed, Rows, newest
from advisor.intake.raw import overlong, searchable, short
from advisor.intake.searching import Search
from advisor.intake.window import REACH, Piece, Window

ENDS = 256 << 10  # bytes kept whole at the head and at the tail

_VARIES = b"0123456789abcdef"
_FIRST, _FIRST_OF_RANK, _CLOSELY = 3, 4, 64  # lines of a shape
_FIRST_OF_PATTERN = 2
_SHAPES, _SHAPE_BYTES = 20_000, 8 << 20
_PLAIN_BYTES, _TELLING_BYTES = 512 << 10, 2 << 20
_LATE, _MANY_BEATS = 256 << 10, 100  # bytes at the end of a piece, and throughput lines in them
_STACK_BEFORE, _STACK_AFTER = 25, 60  # lines around the heading of a stack, as its reader takes them
_BEFORE, _AFTER, _WIDE = 3, 6, 12  # lines around one that is kept
_BACK = 200  # lines in which one that bears a time is looked for
_LABELS = 300

_RANK = re.compile(rb"\[rank\d+\]|\b(?:TP|PP|DP|EP)\d+(?:[ _](?:TP|PP|EP)\d+)*|\[\d+,\d+\]<std|\[pod/[^\[\]\s]+\]")
_TIME = re.compile(rb"\d\d:\d\d:\d\d")


class _Seen(NamedTuple):
    """A piece, and its bytes as patterns are looked for in them."""

    piece: Piece
    seen: bytes


class Condenser:
    """Takes pieces of whole lines in order; each is looked at when the next is there, so that blocks are whole."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.roles = tuple(one.role for one in search.tellings)
        self.literals = tuple(one.literal.encode() for one in search.tellings)
        self.numbered = [
            (at, bare)
            for at, one in enumerate(self.literals)
            if (bare := one.translate(None, _VARIES)) != one and any(48 <= char < 58 for char in one)
        ]
        self.found = Condensed()
        self.window = Window()
        self.count: dict[bytes, int] = {}  # shape -> lines of it that were looked at
        self.known = 0  # bytes of all shapes
        self.open: set[bytes] = set()  # shapes of which more lines are wanted
        self.telling: dict[bytes, frozenset[int]] = {}  # shape -> the marks in it
        self.likely: dict[bytes, tuple[int, ...]] = {}  # open shape -> the patterns that can match in it
        self.digits: dict[bytes, tuple[int, ...]] = {}  # shape -> those of them that name digits
        self.numbers: dict[bytes, tuple[int, ...]] = {}  # shape -> the marks that name digits and may be in it
        self.by_rank: dict[tuple[bytes, bytes], int] = {}
        self.matched: dict[int, int] = {}  # pattern -> its lines that are kept
        self.last: dict[bytes, tuple[Piece, int]] = {}
        self.labels: set[bytes] = set()  # the ranks' names
        self.silent: set[bytes] = set()  # those that the last piece does not have
        self.late: dict[int, deque[tuple[int, Rows | _Seen]]] = {}  # periodic mark -> its last lines
        self.spent = {"plain": 0, "telling": 0, "stack": 0}

    def feed(self, raw: bytes, counted: bool = True) -> None:
        """Take the next piece. What is not counted stands before or after the stretch, for the blocks at its ends."""
        if not raw:
            return
        self.window.add(raw, counted)
        pieces = self.window.pieces
        if len(pieces) > 1:
            self._look(pieces[-2])
        if len(pieces) > REACH:
            self._settle(pieces[0])
            pieces.popleft().release()

    def finish(self) -> Condensed:
        """What was kept."""
        pieces = self.window.pieces
        if pieces:
            self._look(pieces[-1])
        self.found.tail = self._tail()
        for mark, late in self.late.items():
            literal = self.literals[mark]
            rows = [row for _, one in late for row in (one if isinstance(one, list) else _rows(one, literal))]
            self.found.beats[mark] = rows[-MAX_BEATS:]
        for piece in pieces:
            self._settle(piece)
        return self.found

    def _tail(self) -> Rows:
        size = 0
        rows: Rows = []
        for piece in reversed([one for one in self.window.pieces if one.counted]):
            for index in range(len(piece.lines) - 1, -1, -1):
                if size > ENDS:
                    return rows
                size += len(piece.lines[index]) + 1
                rows.append((piece.base + index, short(piece.lines[index])))
        return rows

    # one piece

    def _look(self, piece: Piece) -> None:
        if not piece.counted:
            return
        self._count(piece)
        seen = searchable(piece.raw)
        self.found.cut += overlong(seen)
        lines = piece.lines if seen is piece.raw else seen.split(b"\n")[: len(piece.lines)]
        shapes = seen.translate(None, _VARIES).split(b"\n")[: len(lines)]
        last = dict(zip(shapes, range(len(shapes)), strict=True))
        for shape in self._fresh(last):
            self._admit(shape, lines[last[shape]])
        if wanted := last.keys() & self.open:
            for at in [at for at, shape in enumerate(shapes) if shape in wanted]:
                self._pick(piece, at, shapes[at], lines[at])
        told = last.keys() & self.telling.keys()
        for shape in told:
            self.last[shape] = piece, last[shape]
        for mark in {mark for shape in told for mark in self.telling[shape] if self.roles[mark] == "periodic"}:
            self._beats(piece, seen, mark)
        self._stacks(piece, shapes, told)
        self._numbers(piece, shapes, lines, last)
        if len(last) > len(told) and self._is_full():
            self._strangers(piece, shapes, lines, last)
        self._ranks(piece)

    def _count(self, piece: Piece) -> None:
        """Count the piece's lines, and keep those of the head."""
        found = self.found
        size = ENDS - found.size
        for line in piece.lines if size > 0 else ():
            if size <= 0:
                break
            size -= len(line) + 1
            found.head.append(short(line))
        found.lines, found.size, found.ended = piece.end, found.size + len(piece.raw), piece.raw.endswith(b"\n")

    def _is_full(self) -> bool:
        return len(self.count) >= _SHAPES or self.known >= _SHAPE_BYTES

    def _fresh(self, last: dict[bytes, int]) -> list[bytes]:
        """The shapes that were never seen, in order, as many as may still be known."""
        if self._is_full():
            return []
        return sorted(last.keys() - self.count.keys(), key=last.__getitem__)[: _SHAPES - len(self.count)]

    def _admit(self, shape: bytes, line: bytes) -> None:
        """Learn what can stand in lines of a new shape."""
        if self._is_full():
            return
        line = short(line)
        self.count[shape] = 0
        self.known += len(shape)
        self.open.add(shape)
        if marks := self.search.marks_in(line):
            self.telling[shape] = marks
        self.likely[shape] = tuple(self._wanted(self.search.possible(line)))
        text = line.decode("utf-8", "replace")
        if digits := tuple(one for one in self.likely[shape] if self.search.turns_on_digits(one, text)):
            self.digits[shape] = digits
        if numbers := tuple(at for at, bare in self.numbered if bare in shape):
            self.numbers[shape] = numbers

    def _wanted(self, patterns: Iterable[int]) -> list[int]:
        return [one for one in patterns if self.matched.get(one, 0) < _FIRST_OF_PATTERN]

    def _pick(self, piece: Piece, at: int, shape: bytes, line: bytes) -> None:
        """Look at a line of which more are wanted, and keep it where it is one of the first."""
        if shape not in self.open:
            return
        number = piece.base + at
        self.count[shape] += 1
        count, marks = self.count[shape], self.telling.get(shape)
        if count <= _FIRST:
            self._judge(number, line, shape)
        if marks is None:
            if self.spent["plain"] < _PLAIN_BYTES:
                self._keep_block(number, "plain", around=False)
            if count >= _FIRST:
                self._close(shape)
            return
        rank = self._rank(number)
        mine = self.by_rank[shape, rank] = self.by_rank.get((shape, rank), 0) + 1
        if mine <= _FIRST_OF_RANK and (self.spent["telling"] < _TELLING_BYTES or mine == count == 1):
            self._keep_block(number, "telling")
        if count >= _CLOSELY:
            self._close(shape)

    def _close(self, shape: bytes) -> None:
        self.open.discard(shape)
        self.likely.pop(shape, None)

    def _rank(self, number: int) -> bytes:
        """Who speaks, as the line says or the head of its traceback."""
        found = _RANK.search(self.window.line(number) or b"", 0, 400)
        if found is None and (block := self.window.traceback(number)):
            found = _RANK.search(self.window.line(block[0]) or b"", 0, 400)
        if found is None:
            return b""
        if len(self.labels) < _LABELS:
            self.labels.add(found[0])
        return found[0]

    # patterns

    def _judge(self, number: int, line: bytes, shape: bytes) -> None:
        """Look for the patterns that can match in a line; the text is the one that a judge would search."""
        patterns = self._wanted(self.likely.get(shape, ()))
        if not patterns:
            return
        asked = self._is_request(shape)
        alone = _text([line], asked)
        for pattern in patterns:
            if self.search.is_wide(pattern):
                rows = self.window.lines(number - _WIDE, number + _WIDE + 1)
                place = self.search.first(pattern, text := _text([row for _, row in rows], asked))
                if place is not None:
                    self._keep_match(pattern, rows[text.count(b"\n", 0, place)][0])
            elif self.search.first(pattern, alone) is not None:
                self._keep_match(pattern, number)

    def _is_request(self, shape: bytes) -> bool:
        return any(self.roles[mark] == "request" for mark in self.telling.get(shape, ()))

    def _keep_match(self, pattern: int, number: int) -> None:
        self.matched[pattern] = self.matched.get(pattern, 0) + 1
        around = _WIDE if self.search.is_wide(pattern) else _BEFORE
        self._keep_block(number, "telling")
        self._keep(self.window.lines(number - around, number + around + 1))

    def _numbers(self, piece: Piece, shapes: list[bytes], lines: list[bytes], last: dict[bytes, int]) -> None:
        """Look for what names digits in all lines of the shapes that it can stand in."""
        digits, numbers = last.keys() & self.digits.keys(), last.keys() & self.numbers.keys()
        groups: dict[tuple[tuple[int, ...], tuple[int, ...], bool], set[bytes]] = {}
        for shape in digits | numbers:
            key = self.digits.get(shape, ()), self.numbers.get(shape, ()), self._is_request(shape)
            groups.setdefault(key, set()).add(shape)
        matches: dict[int, int] = {}
        for (patterns, marks, asked), group in groups.items():
            raw = b"\n".join(compress(lines, map(group.__contains__, shapes)))
            text = _without_requests(raw) if asked and patterns else raw
            for pattern in self.search.among(patterns, text) if patterns else ():
                place = self.search.first(pattern, text)
                if place is not None:
                    at = _places(shapes, group)[text.count(b"\n", 0, place)]
                    matches[pattern] = min(at, matches.get(pattern, at))
            for mark in marks:
                if (at := raw.rfind(self.literals[mark])) >= 0:
                    self._number(piece, mark, raw, at, _places(shapes, group))
        for pattern, at in sorted(matches.items()):
            self._keep_match(pattern, piece.base + at)
        for shape in digits if matches else ():
            self.digits[shape] = tuple(self._wanted(self.digits[shape]))
            if not self.digits[shape]:
                del self.digits[shape]

    def _number(self, piece: Piece, mark: int, raw: bytes, at: int, mine: list[int]) -> None:
        """Keep the first lines and the last of a mark that names digits."""
        key = -1 - mark
        if self.matched.get(key, 0) < _FIRST_OF_PATTERN:
            self.matched[key] = self.matched.get(key, 0) + 1
            self._keep_block(piece.base + mine[raw.count(b"\n", 0, raw.find(self.literals[mark]))], "telling")
        number = piece.base + mine[raw.count(b"\n", 0, at)]
        self.found.lasts[b"mark " + self.literals[mark]] = [(number, short(piece.lines[number - piece.base]))]

    def _strangers(self, piece: Piece, shapes: list[bytes], lines: list[bytes], last: dict[bytes, int]) -> None:
        """Look for patterns and marks in the lines whose shapes are too many to be known."""
        strange = last.keys() - self.count.keys()
        places = [at for at, shape in enumerate(shapes) if shape in strange] if strange else []
        if not places:
            return
        raw = b"\n".join([short(lines[at]) for at in places])
        marks = self.search.marks_in(raw)
        text = _without_requests(raw) if any(self.roles[mark] == "request" for mark in marks) else raw
        for pattern in self._wanted(self.search.possible(raw)):
            place = self.search.first(pattern, text)
            if place is not None:
                self._keep_match(pattern, piece.base + places[text.count(b"\n", 0, place)])
        for mark in marks:
            if self.roles[mark] == "mark" and self.literals[mark]:
                self._number(piece, mark, raw, raw.rfind(self.literals[mark]), places)

    # blocks

    def _keep(self, rows: Rows) -> int:
        """Keep these lines; how many bytes that adds."""
        added = 0
        for number, line in rows:
            if number not in self.found.kept:
                self.found.kept[number] = short(line)
                added += len(self.found.kept[number])
        return added

    def _keep_block(self, number: int, purse: str, around: bool = True) -> None:
        """Keep a line with the traceback it stands in, and the lines around it."""
        begin, end = number, number
        block = self.window.traceback(number)
        if block:
            begin, end = block[0], max(number, block[1])
        if around or block:
            begin, end = begin - _BEFORE, end + _AFTER
        self.spent[purse] += self._keep(self.window.lines(begin, end + 1))
        for one, line in reversed(self.window.lines(begin - _BACK, begin + 1) if around else []):
            if _TIME.search(line, 0, 200):
                self._keep([(one, line)])
                return

    def _stacks(self, piece: Piece, shapes: list[bytes], told: set[bytes]) -> None:
        """The stacks in a piece: the first of the log, and of the rest the last."""
        mine = {shape for shape in told if any(self.roles[mark] == "stack" for mark in self.telling[shape])}
        if not mine:
            return
        numbers: set[int] = set()
        for at, shape in enumerate(shapes):
            if shape in mine:
                numbers.update(range(piece.base + at - _STACK_BEFORE, piece.base + at + _STACK_AFTER))
        lines = self.window.lines(min(numbers), max(numbers) + 1)
        rows = [(number, short(line)) for number, line in lines if number in numbers]
        if self.spent["stack"] < STACKS:
            self.spent["stack"] += self._keep(rows)
        else:
            self.found.stacks = newest([*self.found.stacks, *rows])

    # what is wanted of the end

    def _settle(self, piece: Piece) -> None:
        """Take the last lines that stand in a piece which goes out of reach."""
        kept = self.found.kept
        for shape in [shape for shape, (of, _) in self.last.items() if of is piece]:
            _, at = self.last.pop(shape)
            before = set(kept)
            self._keep_block(piece.base + at, "telling")
            self.found.lasts[shape] = [
                (piece.base + at, short(piece.lines[at])),
                *((one, kept.pop(one)) for one in sorted(kept.keys() - before)),
            ]

    def _beats(self, piece: Piece, seen: bytes, mark: int) -> None:
        """Remember a piece for the last lines of a periodic mark: where there are many the piece, else the lines."""
        literal, found = self.literals[mark], _Seen(piece, seen)
        late = self.late.setdefault(mark, deque())
        count = seen.count(literal, max(0, len(seen) - _LATE))  # of many some are counted: enough to know which go
        if count >= _MANY_BEATS:
            late.append((count, found))
        else:
            late.append((len(rows := _rows(found, literal)), rows))
        newer = sum(count for count, _ in late)
        while newer - late[0][0] >= MAX_BEATS:
            newer -= late.popleft()[0]

    def _ranks(self, piece: Piece) -> None:
        """The last line of each rank whose name is known."""
        if self.silent and re.search(b"|".join(map(re.escape, sorted(self.silent))), piece.raw):
            self.silent = set()
        for label in self.labels - self.silent:
            at = _rfind(piece.raw, label)
            if at < 0:
                self.silent.add(label)
                continue
            index = len(piece.lines) - 1 - piece.raw.count(b"\n", at, len(piece.raw) - piece.raw.endswith(b"\n"))
            self.found.lasts[b"rank " + label] = [(piece.base + index, short(piece.lines[index]))]


def _places(shapes: list[bytes], group: set[bytes]) -> list[int]:
    """Where the lines of some shapes stand."""
    return [at for at, shape in enumerate(shapes) if shape in group]


def _rfind(raw: bytes, label: bytes) -> int:
    """Where a rank's name stands last; TP1 does not stand in TP10."""
    at = raw.rfind(label)
    while at >= 0 and label[-1:].isdigit() and raw[at + len(label) : at + len(label) + 1].isdigit():
        at = raw.rfind(label, 0, at)
    return at


def _rows(of: _Seen, literal: bytes) -> Rows:
    """The last lines of a piece that a literal stands in."""
    piece, seen = of
    places: list[int] = []
    at = seen.rfind(literal)
    while at >= 0 and len(places) < MAX_BEATS:
        start = seen.rfind(b"\n", 0, at) + 1
        places.append(start)
        at = seen.rfind(literal, 0, start)
    found: Rows = []
    counted = index = 0
    for start in reversed(places):
        index += seen.count(b"\n", counted, start)
        counted = start
        found.append((piece.base + index, short(piece.lines[index])))
    return found


def _text(lines: list[bytes], asked: bool) -> bytes:
    """Lines as they come, as a judge would search them."""
    text, _ = texts.text_of(b"\n".join(map(short, lines)))
    return (printed(text, paste=False).text if asked else text).encode("utf-8", "replace")


def _without_requests(seen: bytes) -> bytes:
    """The same lines without what clients asked."""
    return printed(seen.decode("utf-8", "replace"), paste=False).text.encode("utf-8", "replace")
