"""The entries of a recorder's dump -> the calls that they share, and each entry in short: call, place, state, time.

    {"process_group": ["2", "pp_broadcast"], "profiling_name": "nccl:broadcast", "input_sizes": [[60]], "frames": [...],
     "collective_seq_id": 126, "state": "scheduled", "time_created_ns": 1795959585466512844, ...}     -> (0, 126,
    "scheduled", 1795959585466512844), where call 0 is ("pp_broadcast", "2", "broadcast", (60,), ...)

Entries that are alike (`alike`) are not made for that: their call is looked up by the numbers that are part of it.

**Source:** as in `flight_recorder`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from advisor.evidence.alike import Run, Shape

MAX_FRAMES = 6
MAX_TENSORS = 64
MAX_TEXT = 200

_PLUMBING = ("torch/distributed/", "torch/utils/", "torch/_dynamo/", "torch/autograd/")
TOP = 1 << 63
_OF_CALL = frozenset(  # what `_call` looks at
    {"pg_id", "process_group", "pg_name", "pg_desc", "profiling_name", "frames", "timeout_ms"}
    | {"input_sizes", "input_dtypes"}
)
_WORDS = frozenset({"state", "is_p2p", "profiling_name"})  # which are no numbers
NUMBERS = _OF_CALL | _WORDS | {"collective_seq_id", "p2p_seq_id", "seq_id", "time_created_ns"}
"""The keys of an entry of which a number counts here."""


class Table:
    """The calls that entries share, the entries in short, and the group of each `pg_id`."""

    def __init__(self) -> None:
        self.calls: dict[tuple[Any, ...], int] = {}
        self.entries: list[tuple[int, int, str, int | None]] = []
        self.names: dict[str, tuple[str, str]] = {}
        self.plans: dict[Shape, _Plan | None] = {}

    def add(self, entry: dict[str, Any]) -> None:
        created = whole(entry.get("time_created_ns"))
        self.entries.append((self.called(entry), _seq(entry), plain(entry.get("state")), created))

    def called(self, entry: dict[str, Any]) -> int:
        """The number of an entry's call."""
        call = _call(entry)
        self.names.setdefault(plain(entry.get("pg_id")), (call[0], call[1]))
        return self.calls.setdefault(call, len(self.calls))

    def add_run(self, run: Run) -> None:
        """Entries that differ from one before in numbers alone: the call is looked up by those that are of it."""
        plans, add = self.plans, self.entries.append
        for shape, numbers in run.rows:
            plan = plans[shape] if shape in plans else plans.setdefault(shape, _plan(shape))
            if plan is None:
                self.add(shape.item(numbers))
                continue
            key = plan.key(numbers)
            index = plan.calls.get(key)
            if index is None:
                index = plan.calls[key] = self.called(shape.item(numbers))
            seq, created = int(numbers[plan.seq]), int(numbers[plan.created])
            add((index, seq if 0 <= seq < TOP else -1, plan.state, created if 0 <= created < TOP else None))


class _Plan(NamedTuple):
    """Where the numbers of a shape stand: those that make the call, and those that are kept of each entry."""

    key: Callable[[tuple[Any, ...]], object]
    seq: int
    created: int
    state: str
    calls: dict[object, int]


def _plan(shape: Shape) -> _Plan | None:
    """None for a shape whose place or time is no number of its own, or whose words are numbers."""
    at = {path: index for index, path in enumerate(shape.paths)}
    seq, created = at.get((_seq_name(shape.value),)), at.get(("time_created_ns",))
    if seq is None or created is None or any(type(shape.value.get(name)) is int for name in _WORDS):
        return None
    places = [index for path, index in at.items() if path[0] in _OF_CALL]
    key = itemgetter(*places) if places else _nothing
    return _Plan(key, seq, created, plain(shape.value.get("state")), {})


def _nothing(_: object) -> None:
    return None


def _call(entry: dict[str, Any]) -> tuple[Any, ...]:
    """Group, its name, op, sizes, dtypes, frames, timeout; hashable."""
    group, name = _group_of(entry)
    sizes, dtypes = entry.get("input_sizes"), entry.get("input_dtypes")
    return (
        group,
        name,
        plain(entry.get("profiling_name")).partition(":")[2] or plain(entry.get("profiling_name")),
        tuple(map(_numel, sizes[:MAX_TENSORS])) if isinstance(sizes, list) else (),
        tuple(map(plain, dtypes[:MAX_TENSORS])) if isinstance(dtypes, list) else (),
        _frames(entry.get("frames")),
        whole(entry.get("timeout_ms")),
    )


def _group_of(entry: dict[str, Any]) -> tuple[str, str]:
    """The group's description, or its name when it has none, and its name, "" when only this rank's number is said."""
    pair = entry.get("process_group")
    if isinstance(pair, list | tuple) and pair:
        name, desc = plain(pair[0]), plain(pair[1]) if len(pair) > 1 else ""
    else:
        name, desc = plain(entry.get("pg_name")), plain(entry.get("pg_desc"))
    return label(name or plain(entry.get("pg_id")), desc), name


def label(name: str, desc: str) -> str:
    """How a group is called: `pp_broadcast`; `7` when it was made without a description."""
    return name if desc in ("", "undefined", "default") and name else desc


def _seq(entry: dict[str, Any]) -> int:
    """The place in the group; point-to-point operations count on their own."""
    number = entry.get(_seq_name(entry))
    return number if type(number) is int and 0 <= number < TOP else -1


def _seq_name(entry: dict[str, Any]) -> str:
    point = entry.get("is_p2p") or plain(entry.get("profiling_name")).partition(":")[2].startswith(("send ", "recv "))
    return "p2p_seq_id" if point else "collective_seq_id" if "collective_seq_id" in entry else "seq_id"


def _numel(shape: object) -> int:
    """The number of elements of a shape; -1 when it is no shape."""
    if not isinstance(shape, list) or len(shape) > MAX_TENSORS:
        return -1
    if not all(type(side) is int and 0 <= side < 1 << 48 for side in shape):
        return -1
    return math.prod(shape)


def _frames(frames: object) -> tuple[str, ...]:
    """The innermost frames that are not PyTorch's own plumbing, as `function (file:line)`."""
    if not isinstance(frames, list):
        return ()
    found: list[str] = []
    for frame in frames[:200]:
        if isinstance(frame, dict) and len(found) < MAX_FRAMES:
            file = plain(frame.get("filename"), 4096)
            if not any(part in file for part in _PLUMBING):
                short = "/".join(file.split("/")[-2:])[-MAX_TEXT:]
                found.append(f"{plain(frame.get('name'))} ({short}:{whole(frame.get('line')) or 0})")
    return tuple(found)


def plain(value: object, limit: int = MAX_TEXT) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if type(value) is int:
        return str(value) if abs(value) < TOP else ""
    return " ".join(value[:limit].split()) if isinstance(value, str) else ""


def whole(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < TOP else None
