"""Flight-recorder dumps of many ranks, made as PyTorch writes them: the pickle of its C++ pickler, and its JSON.

A step is eight all-reduces of a TP group of eight, a broadcast and an all-gather of all ranks. Of a run that serves well
every rank holds the same; in one that hangs, one never posts the last all-gather; in one that differs one posts
another size in the middle and goes on. As in the dumps of `evidence/data`: protocol 2, strings stored once but
for names of files, every container stored, frames written out at every entry; JSON without frames, its keys in order,
on one line, and counts as text.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

Kind = Literal["healthy", "missing", "size"]
MISSING = 37
TP = 8
FIRST_SEQ = 480_000  # the ring has gone round many times
_BATCHES = (8, 8, 8, 9, 300, 8, 8, 12)
_TORCH = "/opt/venv/lib/python3.12/site-packages/torch/distributed/"


class Entry(NamedTuple):
    """One entry: where it is posted, into which group, and of what size."""

    op: str
    line: int
    pg_id: int
    group: tuple[str, str]
    record: int
    seq: int
    sizes: tuple[int, int]
    created: int
    completed: int | None


def make(
    folder: Path,
    ranks: int = 64,
    entries: int = 20_000,
    kind: Kind = "healthy",
    form: Literal["pickle", "json"] = "pickle",
    odd: int = MISSING,
) -> list[Path]:
    """Write the dumps of `ranks` ranks with that many entries each, and return their paths; `odd` is the odd rank."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for rank in range(ranks):
        path = folder / (f"nccl_trace_rank_{rank}" + (".json" if form == "json" else ""))
        made = list(posted(entries, rank, kind if rank == odd or kind == "missing" else "healthy", rank == odd))
        path.write_bytes((_json if form == "json" else _pickled)(rank, ranks, made))
        paths.append(path)
    return paths


def posted(entries: int, rank: int, kind: Kind, is_odd: bool) -> Iterator[Entry]:
    """What one rank posted, the last all-gather included where it did."""
    tp = str(1 + rank // TP)
    world = FIRST_SEQ // 4
    in_tp = FIRST_SEQ
    at = 1_795_959_000_000_000_000 + rank * 1_777
    for number in range(entries):
        step, place = divmod(number, 10)
        at += 9_000_000 + 11 * rank
        last = number == entries - 1
        batch = _BATCHES[step % len(_BATCHES)]
        if place < 8 and not last:
            in_tp += 1
            made = ("all_reduce", 36 + place % 2, 1, (tp, "tp"), in_tp, (batch, 4096))
        elif place == 8 and not last:
            world += 1
            made = ("broadcast", 46, 0, ("0", "default_pg"), world, (1, 60))
        else:
            world += 1
            odd = kind == "size" and is_odd and step == entries // 20
            made = ("_all_gather_base", 31, 0, ("0", "default_pg"), world, (batch + odd, 1024))
        if last and kind == "missing" and is_odd:
            return
        op, line, pg_id, group, seq, sizes = made
        waits = last and kind == "missing"
        yield Entry(op, line, pg_id, group, FIRST_SEQ * 10 + number, seq, sizes, at, None if waits else at + 40_000_000)


def _config(rank: int, ranks: int) -> dict[str, dict[str, str]]:
    first = rank // TP * TP
    members = {"0": ("default_pg", range(ranks)), str(1 + rank // TP): ("tp", range(first, min(first + TP, ranks)))}
    return {
        name: {"name": name, "desc": desc, "ranks": str(list(ranks_of))} for name, (desc, ranks_of) in members.items()
    }


def _status(entries: list[Entry]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for one in entries:
        status = counts.setdefault(str(one.pg_id), {})
        status["last_enqueued_collective"] = one.seq
        status["last_started_collective"] = -1
        status["last_completed_collective"] = one.seq if one.completed else one.seq - 1
    return dict(sorted(counts.items()))


def _json(rank: int, ranks: int, entries: list[Entry]) -> bytes:
    """As `dump_json` of `FlightRecorderDetail.hpp` writes it."""
    status = {key: {name: str(number) for name, number in counts.items()} for key, counts in _status(entries).items()}
    head = {
        "comm_lib_version": "2.28.9", "pg_config": _config(rank, ranks), "pg_status": status, "version": "2.10",
    }  # fmt: skip
    rows = [
        {
            "collective_seq_id": one.seq, "input_dtypes": ["BFloat16"], "input_sizes": [one.sizes], "is_p2p": False,
            "op_id": one.seq, "output_dtypes": ["BFloat16"], "output_sizes": [one.sizes], "p2p_seq_id": 0,
            "pg_id": one.pg_id, "process_group": one.group, "profiling_name": f"nccl:{one.op}",
            "record_id": one.record, "retired": bool(one.completed),
            "state": "completed" if one.completed else "scheduled", "thread_id": str(139_831_845_261_632 + rank),
            "thread_name": "python3", "time_created_ns": one.created,
            "time_discovered_completed_ns": one.completed or 0, "time_discovered_started_ns": 0, "timeout_ms": 600_000,
        }
        for one in entries
    ]  # fmt: skip
    return json.dumps(
        {"comm_lib_version": head.pop("comm_lib_version"), "entries": rows, **head}, separators=(",", ":")
    ).encode()


# the pickle


def _pickled(rank: int, ranks: int, entries: list[Entry]) -> bytes:
    pickler = _Pickler(rank)
    head = {
        "version": "2.10", "pg_config": _config(rank, ranks), "comm_lib_version": "2.28.9",
        "pg_status": _status(entries),
    }  # fmt: skip
    pickler.out = [b"\x80\x02", b"}", pickler.put(), b"("]
    for key, value in head.items():
        pickler.text(key)
        pickler.value(value)
    pickler.text("entries")
    pickler.out += [b"]", pickler.put(), b"("]
    for one in entries:
        pickler.entry(one)
    pickler.out += [b"e", b"u", b"."]
    return b"".join(pickler.out)


class _Pickler:
    """PyTorch's pickler, as far as a recorder's dump needs it."""

    def __init__(self, rank: int) -> None:
        self.out: list[bytes] = []
        self.rank = rank
        self.stored = 0
        self.texts: dict[str, int] = {}
        self.known: dict[object, tuple[list[bytes], list[int], list[int]]] = {}

    def put(self) -> bytes:
        number, self.stored = self.stored, self.stored + 1
        return b"q%c" % number if number < 256 else b"r" + struct.pack("<I", number)

    def text(self, text: str, keep: bool = True) -> None:
        if keep and text in self.texts:
            number = self.texts[text]
            self.out.append(b"h%c" % number if number < 256 else b"j" + struct.pack("<I", number))
            return
        data = text.encode()
        self.texts.setdefault(text, self.stored)
        self.out += [b"X", struct.pack("<I", len(data)), data, self.put()]

    def value(self, value: Any) -> None:
        if value is None or isinstance(value, bool):
            self.out.append({None: b"N", True: b"\x88", False: b"\x89"}[value])
        elif isinstance(value, int):
            self.out.append(_integer(value))
        elif isinstance(value, str):
            self.text(value)
        elif isinstance(value, tuple):
            for part in value:
                self.value(part)
            self.out += [b"\x86", self.put()]
        elif isinstance(value, list):
            self.out += [b"]", self.put()]
            self.several([(part,) for part in value], b"a", b"e")
        else:
            self.out += [b"}", self.put()]
            self.several(list(value.items()), b"s", b"u")

    def several(self, items: list[Any], one: bytes, many: bytes) -> None:
        if items:
            self.out += [b"("] if len(items) > 1 else []
            for item in items:
                for part in item[:-1]:
                    self.text(part)
                if type(item[-1]) is str:
                    self.text(item[-1], item[0] != "filename")
                else:
                    self.value(item[-1])
            self.out.append(many if len(items) > 1 else one)

    def entry(self, one: Entry) -> None:
        """One entry. One that differs from another in numbers alone is written from that one's pieces."""
        numbers = (one.record, one.seq, one.seq, one.created, one.completed)
        key = (one.op, one.line, one.group, one.sizes, one.completed is None, *(len(_integer(n)) for n in numbers if n))
        if key in self.known:
            pieces, puts, places = self.known[key]
            pieces = pieces.copy()
            for place, number in zip(places, numbers, strict=False):
                pieces[place] = _integer(number) if number else b"N"
            stored = self.stored
            for place, piece in zip(puts, _puts(stored, len(puts)), strict=True):
                pieces[place] = piece
            self.stored += len(puts)
            self.out += pieces
            return
        before, self.out, at, stored = self.out, [], self.stored, self.stored
        self.value(_dict(one, self.rank))
        made, self.out = self.out, before
        before += made
        puts = [place for place, piece in enumerate(made) if piece[:1] == b"r" and len(piece) == 5]
        fresh = len(puts) == self.stored - stored and at >= 256
        keys = ("record_id", "collective_seq_id", "op_id", "time_created_ns", "time_discovered_completed_ns")
        references = [b"h%c" % self.texts[name] for name in keys]
        if fresh and len(self.texts) == len(set(self.texts)):
            places = [made.index(reference) + 1 for reference in references]
            if all(self.texts[name] < 256 for name in keys):
                self.known[key] = (made, puts, places)


@cache
def _puts(first: int, count: int) -> list[bytes]:
    return [b"r" + struct.pack("<I", number) for number in range(first, first + count)]


def _integer(number: int) -> bytes:
    if 0 <= number < 256:
        return b"K%c" % number
    if 0 <= number < 65_536:
        return b"M" + struct.pack("<H", number)
    if -(1 << 31) <= number < 1 << 31:
        return b"J" + struct.pack("<i", number)
    return b"\x8a\x08" + struct.pack("<q", number)


def _dict(one: Entry, rank: int) -> dict[str, Any]:
    frames = [
        (one.op.strip("_"), _TORCH + "distributed_c10d.py", 3068),
        ("wrapper", _TORCH + "c10d_logger.py", 83),
        (f"{one.op}_hidden", "/srv/app/wedge.py", one.line),
        ("step", "/srv/app/wedge.py", 52),
        ("<module>", "/srv/app/wedge.py", 64),
    ]
    done = one.completed is not None
    return {
        "frames": [{"name": name, "filename": file, "line": line} for name, file, line in frames],
        "record_id": one.record, "pg_id": one.pg_id, "process_group": one.group, "thread_name": "python3",
        "thread_id": str(139_831_845_261_632 + rank), "collective_seq_id": one.seq, "p2p_seq_id": 0, "op_id": one.seq,
        "profiling_name": f"nccl:{one.op}", "time_created_ns": one.created, "input_sizes": [list(one.sizes)],
        "input_dtypes": ["BFloat16"], "output_sizes": [list(one.sizes)], "output_dtypes": ["BFloat16"],
        "state": "completed" if done else "scheduled", "time_discovered_started_ns": None,
        "time_discovered_completed_ns": one.completed, "retired": done, "timeout_ms": 600_000, "is_p2p": False,
    }  # fmt: skip
