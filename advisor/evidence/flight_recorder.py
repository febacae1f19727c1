"""PyTorch's flight-recorder dumps -> the collectives a rank posted, and how far it is in each group.

    {"version": "2.10", "pg_config": {"2": {"name": "2", "desc": "pp_broadcast", "ranks": "[0, 1]"}},
     "pg_status": {"1": {"last_enqueued_collective": 138, "last_started_collective": -1, ...}},
     "entries": [{"pg_id": 1, "process_group": ["2", "pp_broadcast"], "collective_seq_id": 126, "p2p_seq_id": 0,
                  "profiling_name": "nccl:broadcast", "input_sizes": [[60]], "input_dtypes": ["Long"],
                  "state": "scheduled", "time_created_ns": 1795959585466512844, "retired": false, "frames": [...]}]}

Dumps come as a pickle (`TORCH_FR_DUMP_TEMP_FILE`) or as JSON. `as_text` makes either into a compact JSON text in which
what many entries share is written once and each entry has a line of its own; `read` reads that text, or JSON as the
recorder writes it. `pg_status` is keyed by `pg_id`, `pg_config` by name: the entries say which is which, and the one
status left over is that of the one group left over. A group without a status was never used, unless a status is left
that nothing places: then nothing is known of its count.

Facts: `collective.*` of the first collective that is not complete, `component.nccl`. No facts: all are complete.

**Source:** PyTorch 2.11 `torch/csrc/distributed/c10d/FlightRecorder.hpp`, `FlightRecorderDetail.hpp` (format 2.10);
`torch/distributed/flight_recorder/components/builder.py` of 2.13 (formats 2.x). The dump does not name its rank.
"""

from __future__ import annotations

import gc
import json
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from advisor.evidence import alike, alike_json, plain_pickle
from advisor.evidence.alike import Run
from advisor.evidence.recorder_entries import MAX_TEXT, NUMBERS, Table, label, plain, whole
from advisor.model.collective import Collective, GroupStatus
from advisor.model.fact import Artifact, Fact, Note, Span
from advisor.model.posted import STATES, Call, Posted

MAX_BYTES = plain_pickle.MAX_BYTES
MAX_ENTRIES = 200_000
_MAX_GROUPS = 10_000
_MAX_RANKS = 100_000
_MAX_COMMAS = 3 * plain_pickle.MAX_ITEMS

_RANK_AT_END = re.compile(r"(?:^|[^\d])(\d{1,6})(?:\.(?:pkl|pickle|json|txt|bin))?$")  # nccl_trace_rank_3, dump.3.json
_CODES = {state: STATES.index(state) for state in ("completed", "scheduled", "started")}
_UNKNOWN = STATES.index("unknown")
_COUNT = re.compile(r"-?\d{1,18}$")  # "124000", "-1"
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?$")
_WATCHDOG_NAMES = {  # the recorder's word -> the watchdog's
    "all_reduce": "ALLREDUCE",
    "all_reduce_barrier": "ALLREDUCE",
    "all_gather": "ALLGATHER",
    "_all_gather_base": "_ALLGATHER_BASE",
    "all_to_all": "ALLTOALL_BASE",
}

Read = tuple[Sequence[Collective], tuple[GroupStatus, ...], tuple[Fact, ...], tuple[Note, ...]]


# bytes -> text


def artifact_of(name: str, data: bytes, rank: str | None) -> tuple[Artifact | None, str]:
    """A dump's bytes as an artifact, and ""; or None and the reason, in one line."""
    with _no_collections():
        dump, reason = _dump_of(data)
        if dump is None:
            return None, reason
        text = _written(dump)
        return Artifact(name, "recorder", text, rank=rank, parsed=_with_columns(dump)), ""


def as_text(data: bytes) -> tuple[str | None, str]:
    """A dump's bytes as compact JSON text, and ""; or None and the reason, in one line."""
    artifact, reason = artifact_of("", data, None)
    return (artifact.text if artifact else None), reason


def _dump_of(data: bytes) -> tuple[dict[str, Any] | None, str]:
    """The compact dump in these bytes, or why there is none."""
    if len(data) > MAX_BYTES:
        return None, f"larger than {MAX_BYTES >> 20} MiB"
    try:
        if data[:1] == b"\x80":
            dump = alike.load(data, "entries", NUMBERS)
        elif data.count(b"[") + data.count(b"{") > plain_pickle.MAX_ITEMS or data.count(b",") > _MAX_COMMAS:
            return None, f"more than {plain_pickle.MAX_ITEMS:,} items"
        else:
            dump = alike_json.loads(data.decode("utf-8-sig"), "entries", NUMBERS)
    except plain_pickle.Refused as refused:
        return None, f"a pickle that was not read: {refused}"
    except (ValueError, RecursionError):
        return None, "neither a pickle nor JSON"
    if not is_dump(dump):
        return None, "not a flight-recorder dump: it has no list of entries with process groups"
    return _compact(dump), ""


@contextmanager
def _no_collections() -> Iterator[None]:
    """Nothing made here refers back to itself, and to look for that at every thousand of a million tuples is dear."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def is_dump(dump: object) -> bool:
    """Whether a value has the shape of a dump; one without entries is one when it lists its groups."""
    if not isinstance(dump, dict) or not isinstance(dump.get("entries", []), list):
        return False
    entries = dump.get("entries", [])
    if "calls" in dump:
        return isinstance(dump["calls"], list)
    if not entries:
        return isinstance(dump.get("pg_config"), dict) or isinstance(dump.get("pg_status"), dict)
    return any(isinstance(one, dict) and "profiling_name" in one for one in entries[:100])


def _written(dump: dict[str, Any]) -> str:
    """The compact dump as JSON, one entry on a line."""
    text = [f'"{key}": {json.dumps(dump.get(key))}' for key in ("version", "comm_lib_version", "rank", "cut")]
    for key in ("groups", "status", "calls", "entries"):
        rows = dump.get(key) or []
        lines = _lines(rows) if key == "entries" else ",\n".join(map(_line, rows))
        text.append(f'"{key}": [\n{lines}\n]')
    return "{" + ",\n".join(text) + "}\n"


def _lines(entries: list[Any]) -> str:
    """As `_line` writes them; at once, where what stands between two cannot stand in one."""
    if not entries or type(entries[0]) is not tuple or any("],[" in state for state in {row[2] for row in entries}):
        return ",\n".join([_line(row) for row in entries])
    return _line(entries)[1:-1].replace("],[", "],\n[")


def _line(row: Any) -> str:
    return json.dumps(row, separators=(",", ":"))


def _compact(dump: dict[str, Any]) -> dict[str, Any]:
    """The dump with what many entries share written once: an entry is [call, seq, state, time created]."""
    if isinstance(dump.get("calls"), list):
        return dump
    table = Table()
    given = dump.get("entries") or []
    cut = max(0, sum(len(one.rows) if isinstance(one, Run) else 1 for one in given) - MAX_ENTRIES)
    for entry in islice(_flat(given), cut, None) if cut else given:
        if isinstance(entry, Run):
            table.add_run(entry)
        elif isinstance(entry, dict):
            table.add(entry)
    groups = list(_groups(dump.get("pg_config")))
    listed = [(group[0], group[1]) for group in groups]
    return {
        "version": plain(dump.get("version")),
        "comm_lib_version": plain(dump.get("comm_lib_version") or dump.get("nccl_version")),
        "rank": _rank(dump),
        "cut": cut,
        "groups": groups,
        "status": list(_statuses(dump.get("pg_status"), table.names, listed)),
        "calls": list(table.calls),
        "entries": table.entries,
    }


def _flat(given: list[Any]) -> Iterator[Any]:
    for one in given:
        yield from one.items() if isinstance(one, Run) else (one,)


def _with_columns(dump: dict[str, Any]) -> dict[str, Any]:
    """The dump as `read` takes it beside its text: the entries as columns."""
    entries = dump["entries"]
    if not entries or type(entries[0]) is not tuple:  # somebody's compact dump
        return {}
    which, seqs, said, created = zip(*entries, strict=True)
    codes = {state: _CODES.get(state, _UNKNOWN) for state in set(said)}
    times = array("q", [-1 if when is None else when for when in created])
    columns = array("I", which), array("q", seqs), bytes(map(codes.__getitem__, said)), times
    return {**dump, "entries": [], "columns": columns}


def _rank(dump: dict[str, Any]) -> int | None:
    """The rank where a dump says it: PyTorch's own do not, tools that collect them do."""
    host = dump.get("host")
    places = [dump.get("rank"), dump.get("global_rank"), host.get("global_rank") if isinstance(host, dict) else None]
    return next((number for place in places if (number := whole(place)) is not None), None)


def _groups(config: object) -> Iterator[list[Any]]:
    """[group, name, ranks] of each group that the dump lists."""
    if isinstance(config, dict):
        for key, one in list(config.items())[:_MAX_GROUPS]:
            if isinstance(one, dict):
                name = plain(one.get("name")) or plain(key)
                yield [label(name, plain(one.get("desc"))), name, _folded(_ranks(one.get("ranks")))]


def _ranks(ranks: object) -> list[int]:
    """`"[0, 1]"` or a list -> numbers."""
    if isinstance(ranks, list):
        return [rank for rank in ranks[:_MAX_RANKS] if type(rank) is int and 0 <= rank < _MAX_RANKS]
    words = re.findall(r"\d{1,5}", ranks[: 8 * _MAX_RANKS]) if isinstance(ranks, str) else []
    return [int(word) for word in words]


def _folded(ranks: list[int]) -> str:
    """`0-7,16`: a line of the text must stay short, whatever the size of the world."""
    runs: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if runs and runs[-1][1] == rank - 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _unfolded(text: str) -> tuple[str, ...]:
    """`0-1,4` -> `("0", "1", "4")`."""
    found: list[str] = []
    for first, last in re.findall(r"(\d{1,5})(?:-(\d{1,5}))?", text[: 8 * _MAX_RANKS]):
        found += map(str, range(int(first), int(last or first) + 1))
        if len(found) > _MAX_RANKS:
            return ()
    return tuple(found)


def _statuses(status: object, names: dict[str, tuple[str, str]], listed: list[tuple[str, str]]) -> Iterator[list[Any]]:
    """[group, enqueued, started, completed, name] of each group whose count is known."""
    if not isinstance(status, dict):
        return
    counts = {plain(key): one for key, one in list(status.items())[:_MAX_GROUPS] if isinstance(one, dict)}
    used = set(names.values())
    unplaced = [key for key in counts if key not in names]
    rest = [group for group in listed if group not in used or len(listed) == 1]
    if used.issubset(listed) and len(rest) == len(unplaced) == 1:
        names = {**names, unplaced[0]: rest[0]}
    elif used.issubset(listed) and counts and not unplaced:
        yield from ([group, -1, -1, -1, name] for group, name in rest if (group, name) not in used)
    for key, one in counts.items():
        if key in names:
            group, name = names[key]
            counted = (_count(one.get(f"last_{word}_collective")) for word in ("enqueued", "started", "completed"))
            yield [group, *counted, name]


def _count(value: object) -> object:
    """PyTorch's JSON has these numbers as text."""
    return int(value) if isinstance(value, str) and _COUNT.match(value) else value


# text -> nouns


def read(artifact: Artifact) -> Read:
    """Collectives, statuses, facts and notes of a dump given as JSON text. Never raises on odd text."""
    try:
        dump: Any = artifact.parsed or json.loads(artifact.text)
    except (ValueError, RecursionError):
        return (), (), (), (Note("unreadable", "a flight-recorder dump that is no JSON", Span(artifact.name)),)
    if not is_dump(dump):
        return (), (), (), (Note("unreadable", "no flight-recorder dump", Span(artifact.name)),)
    own = "calls" in dump
    dump = _compact(dump)
    rank = artifact.rank or _stated(dump.get("rank")) or _rank_of_name(artifact.name)
    collectives = _posted(artifact, dump, rank, own)
    statuses = tuple(_reported(artifact, dump, rank))
    facts = tuple(_facts(dump, collectives, statuses, Span(artifact.name, artifact.first_line)))
    return collectives, statuses, facts, tuple(_notes(artifact, dump, rank))


def _stated(rank: object) -> str:
    return str(rank) if whole(rank) is not None else ""


def _rank_of_name(name: str) -> str:
    """`nccl_trace_rank_3`, `dump3`, `fr.3.json` -> `3`."""
    found = _RANK_AT_END.search(name.rpartition("/")[2])
    return found[1] if found else ""


def _posted(artifact: Artifact, dump: dict[str, Any], rank: str, own: bool) -> Posted:
    """The collectives of a compact dump; a row that is none is left out."""
    calls = tuple(_called(row) for row in dump["calls"])
    marker = artifact.text.find('"entries": [\n') if own else -1
    first = artifact.first_line + artifact.text.count("\n", 0, marker) + 1 if marker >= 0 else 0
    head = Span(artifact.name, first)
    if "columns" in dump:
        which, seqs, states, times = dump["columns"]
        return Posted(rank, calls, which, seqs, states, times, head, range(first, first + len(which)))
    rows: list[Any] = dump.get("entries") or []
    lines: Sequence[int] = range(first, first + len(rows))
    if not _are_sound(rows, len(calls)):
        kept = [(line, row) for line, row in zip(lines, rows, strict=True) if _are_sound([row], len(calls))]
        lines, rows = [line for line, _ in kept], [row for _, row in kept]
    which, seqs, said, created = zip(*rows, strict=True) if rows else ((), (), (), ())
    states = bytes([_CODES.get(state, _UNKNOWN) if type(state) is str else _UNKNOWN for state in said])
    times = [when if type(when) is int else -1 for when in created]
    return Posted(rank, calls, which, seqs, states, times, head, lines if first else ())


def _are_sound(rows: list[Any], calls: int) -> bool:
    """Whether each row is of four cells, of which the first is a call's number and the second a place."""
    if not all(type(row) in (list, tuple) and len(row) == 4 for row in rows):
        return False
    return all(type(row[0]) is int and 0 <= row[0] < calls and type(row[1]) is int for row in rows)


def _called(row: object) -> Call:
    """A row of the table of calls, with anything odd left out."""
    cells = row if isinstance(row, list | tuple) and len(row) == 7 else ["", "", "", [], [], [], None]
    group, name, op, sizes, dtypes, frames, _ = cells
    return Call(
        plain(group),
        plain(name),
        plain(op),
        tuple(size for size in sizes if type(size) is int) if isinstance(sizes, list | tuple) else (),
        tuple(map(plain, dtypes)) if isinstance(dtypes, list | tuple) else (),
        tuple(plain(frame, 2 * MAX_TEXT) for frame in frames) if isinstance(frames, list | tuple) else (),
    )


def _reported(artifact: Artifact, dump: dict[str, Any], rank: str) -> Iterator[GroupStatus]:
    """A status for each group that the dump lists or counts."""
    span = Span(artifact.name, artifact.first_line)
    members = {
        (plain(row[0]), plain(row[1])): _unfolded(row[2])
        for row in _rows(dump, "groups")
        if len(row) == 3 and isinstance(row[2], str)
    }
    counted = {(plain(row[0]), plain(row[4])): row[1:4] for row in _rows(dump, "status") if len(row) == 5}
    for group, guid in {**members, **counted}:
        numbers = counted.get((group, guid), [None, None, None])
        enqueued, started, completed = map(whole, numbers)
        if type(numbers[0]) is int and numbers[0] == -1:
            enqueued = 0
        ranks = members.get((group, guid), ())
        yield GroupStatus(rank, group, enqueued, started, completed, ranks, "flight_recorder", span, guid)


def _rows(dump: dict[str, Any], key: str) -> list[list[Any]]:
    rows = dump.get(key)
    return [row for row in rows if isinstance(row, list) and row] if isinstance(rows, list) else []


def _facts(dump: dict[str, Any], collectives: Posted, statuses: tuple[GroupStatus, ...], head: Span) -> Iterator[Fact]:
    version = plain(dump.get("comm_lib_version"))
    if _VERSION.match(version):
        yield Fact("component.nccl", version, "observed", head, f'"comm_lib_version": "{version}"')
    open_ = (collectives[index] for index in collectives.open())
    waiting = next((one for one in open_ if one.state in ("scheduled", "started")), None)
    if waiting is None:
        return
    quote = f'"{waiting.op}" #{waiting.seq} of {waiting.group}, {list(waiting.sizes)} elements: "{waiting.state}"'
    status = next((one for one in statuses if (one.group, one.guid) == (waiting.group, waiting.guid)), None)
    values = {
        "group": waiting.group,
        "op": _WATCHDOG_NAMES.get(waiting.op, waiting.op.upper()),
        "numel": sum(waiting.sizes) if waiting.sizes else None,
        "seq": waiting.seq if waiting.seq >= 0 else None,
        "rank": waiting.rank or None,
        "last_enqueued": status.last_enqueued if status else None,
        "last_completed": status.last_completed if status else None,
    }
    for short, value in values.items():
        if value is not None:
            yield Fact(f"collective.{short}", value, "observed", waiting.span or head, quote, waiting.rank or None)


def _notes(artifact: Artifact, dump: dict[str, Any], rank: str) -> Iterator[Note]:
    span = Span(artifact.name)
    if cut := whole(dump.get("cut")):
        yield Note("limit", f"the first {cut} of more than {MAX_ENTRIES} entries were not read", span)
    if not rank:
        yield Note("hint", "the dump does not say which rank wrote it, and neither does its name", span)
