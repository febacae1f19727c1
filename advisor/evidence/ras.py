"""What NCCL's RAS answers -> how many operations each rank has launched in each communicator, and where ranks differ.

    NCCL version 2.28.9 compiled with CUDA 13.0
    Communicators... (0.000s)
        #  in group  per comm  per node  per comm  in group
        0         1         1         2         2         2   RUNNING  MISMATCH
    #0-0 (7728f2f3d3dde87b) MISMATCH
      Communicator ranks have different Broadcast operation counts
      Rank 0 has launched up to operation 138 -- GPU 0 managed by process 946 on node 192.0.2.2
      30 ranks have launched up to operation 640
      Rank 12 -- GPU 4 managed by process 323032 on node 192.0.2.2
    {"nccl_version": "2.29.1", ..., "communicators": [{"hash": "0xae94423cfbb2ef4a", "ranks": [...]}]}   ncclras -f json

Facts: `component.nccl`; `ras.mismatch`, one for each operation whose counts differ (`collective` before NCCL 2.26,
which does not tell them apart; `status` when the ranks' states differ); `ras.advancing` when the text holds two
answers: whether the counts that differ moved; `ras.missing`, the ranks that did not answer. Statuses: one for each
rank and operation that is told, the last answer alone; `group` is `hash operation`, for RAS counts by kind of
operation. Ranks are numbered within the communicator. A mismatch in a job that works is ordinary when the counts
move. Empty: all counts are equal, or RAS has nothing to tell (in text it names ranks only where they differ).

**Source:** NCCL v2.24.3-1, v2.26.2-1, v2.28.9-1, v2.29.7-1, v2.30.7-1 `src/ras/client_support.cc`
(`rasClientRunComms`, `jsonWrite…`),
https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html (read 2026-11-29).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import field

from advisor.evidence.devices import Reading
from advisor.evidence.lines import lines
from advisor.evidence.sighting import once, sighting, span_of
from advisor.model.collective import GroupStatus
from advisor.model.fact import Artifact, Fact, FactKind, Note
from advisor.model.late import dataclass
from advisor.model.shape import Shape

FACTS = (
    FactKind(
        "ras.mismatch",
        "str",
        "the operation of which ranks have launched different numbers, says NCCL RAS",
        "Does NCCL RAS report ranks with different operation counts?",
        "ncclras -v (or nc localhost 28028)",
    ),
    FactKind(
        "ras.advancing",
        "bool",
        "whether the operation counts that differ moved between two answers of NCCL RAS",
        "Do the operation counts of NCCL RAS move when asked twice, half a minute apart?",
        "ncclras -v; sleep 30; ncclras -v",
    ),
    FactKind(
        "ras.missing",
        "str",
        "the ranks that did not answer NCCL RAS",
        "Does NCCL RAS report ranks or processes that do not answer?",
        "ncclras -v (or nc localhost 28028)",
    ),
)

MAX_RANKS = 4096
MAX_ANSWERS = 200

_START = Shape(r"NCCL version (\d+\.\d+\.\d++)\S*+ compiled with CUDA")
_MINE = Shape(
    r"^NCCL version \S+ compiled with CUDA[^\n]*\nCUDA runtime version |^Communicators\.\.\.|^SERVER PROTOCOL \d|"
    r"^#\d+-\d+ \([0-9a-f]{8,16}\) (?:MISMATCH|INCOMPLETE|ERROR)|\"communicators_count\" *:",
    8,  # re.M
)
_ROW = Shape(r" *(\d{1,9}) +\d+ +\d+ +[\d-]+ +(\d{1,9}) +\d+ +[A-Z,]+ +[A-Z,]+ *$")
_COMM = Shape(r"#(\d{1,9})-\d+ \(([0-9a-f]{8,16})\) ([A-Z]+)")
_COUNTS = Shape(r" +Communicator ranks have different (\w+) operation counts")
_STATES = Shape(r" +Communicator ranks have different status")
_MANY = Shape(r" +(\d{1,9}) ranks have (?:launched up to operation (\d{1,18})|not launched any operations)")
_ONE = Shape(r" +Rank (\d{1,9}) has (?:launched up to operation (\d{1,18})|not launched any operations)")
_LISTED = Shape(r" +Rank (\d{1,9}) -- ")
_MISSING = Shape(r" +(?:The missing ranks?: ([\d, -]{1,2000})|Missing communicator data from \d+ (?:job process|rank))")
_JSON = Shape(r"^\{ *$|^\{ *\"nccl_version\"", 8)


Key = tuple[str, str]
"""A communicator's hash and an operation."""


@dataclass(slots=True)
class Answer:
    """One answer: where each communicator and operation is told of, the count of each rank that is named, the counts
    where they differ, in a form to compare, and what else it complains of.
    """

    places: dict[Key, int] = field(default_factory=dict)
    counts: dict[Key, dict[int, int]] = field(default_factory=dict)
    differing: dict[Key, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    states: list[int] = field(default_factory=list)
    missing: list[tuple[str, int]] = field(default_factory=list)


def mine(text: str) -> bool:
    """Whether this is an answer of RAS, by its first and last 64 KiB."""
    head = text if len(text) <= 131072 else text[:65536] + "\n" + text[-65536:]
    return _MINE.search(head) is not None


def read(artifact: Artifact) -> Reading:
    """Everything that the answers say."""
    answers = [*_texts(artifact.text), *_jsons(artifact.text)]
    facts = once([*_versions(artifact), *_facts(artifact, answers)])
    cut = not answers and not facts
    notes = (
        (Note("unreadable", "an answer of NCCL RAS that is empty or cut short", span_of(artifact, 0)),) if cut else ()
    )
    return Reading(facts, (), _statuses(artifact, answers[-1]) if answers else (), notes)


def _versions(artifact: Artifact) -> Iterator[Fact]:
    for shape in (_START, Shape(r"\"nccl_version\" *: *\"(\d+\.\d+\.\d+)")):
        for found in shape.finditer(artifact.text):
            yield sighting(artifact, "component.nccl", found[1], found.start())


def _facts(artifact: Artifact, answers: list[Answer]) -> Iterator[Fact]:
    for answer in answers:
        for key in answer.differing:
            yield sighting(artifact, "ras.mismatch", key[1], answer.places[key])
        for at in answer.states:
            yield sighting(artifact, "ras.mismatch", "status", at)
        for ranks, at in answer.missing:
            yield sighting(artifact, "ras.missing", ranks, at)
    if len(answers) > 1:
        yield from _advancing(artifact, answers[-2], answers[-1])


def _advancing(artifact: Artifact, before: Answer, after: Answer) -> Iterator[Fact]:
    """Whether what differs in both answers moved; two answers without a common difference say nothing of it."""
    first, last = before.differing, after.differing
    shared = [key for key in last if key in first]
    if shared:
        moved = any(first[key] != last[key] for key in shared)
        why = (
            "the counts that differ moved between two answers"
            if moved
            else "two answers show the same counts; how far apart they are is not said"
        )
        yield sighting(artifact, "ras.advancing", moved, after.places[shared[0]], why=why).but(origin="derived")


def _statuses(artifact: Artifact, answer: Answer) -> tuple[GroupStatus, ...]:
    return tuple(
        GroupStatus(
            str(rank),
            f"{comm} {operation}",
            last_enqueued=count,
            members=tuple(str(one) for one in range(min(answer.sizes.get(comm, 0), MAX_RANKS))),
            source="ras",
            span=span_of(artifact, answer.places[comm, operation]),
        )
        for (comm, operation), counts in answer.counts.items()
        for rank, count in sorted(counts.items())
    )


def _texts(text: str) -> Iterator[Answer]:
    """The answers given as text. Ranks that stand in no list are those of the one count that has none."""
    reader = _Text()
    for line in lines(text) if _MINE.search(text) else ():
        if _START.match(line.text) and not reader.is_new:
            yield reader.done()
            reader = _Text()
        reader.take(line.text, line.start)
    if not reader.is_new:
        yield reader.done()


class _Text:
    """One answer as text, line after line."""

    def __init__(self) -> None:
        self.answer, self.sizes, self.is_new = Answer(), dict[str, int](), True
        self.comm, self.operation, self.count = "", "", 0
        self.groups: list[tuple[int, int, list[int]]] = []  # ranks, their count, those listed

    def take(self, row: str, at: int) -> None:
        table, comm = _ROW.match(row), _COMM.match(row)
        if table or comm or row.startswith("Communicators..."):
            self.is_new = False
        if table:
            self.sizes[table[1]] = int(table[2])
        elif comm:
            self._close()
            self.comm = comm[2]
            self.answer.sizes[self.comm] = self.sizes.get(comm[1], 0)
        elif _STATES.match(row):
            self._close()
            self.answer.states.append(at)
        elif missing := _MISSING.match(row):
            self._close()
            self._missing(missing[1], at)
        elif differ := _COUNTS.match(row):
            self._close()
            self.operation = differ[1]
            self.answer.places[self.comm, self.operation] = at
        elif self.operation:
            self._ranks(row)

    def _ranks(self, row: str) -> None:
        many, one, listed = _MANY.match(row), _ONE.match(row), _LISTED.match(row)
        if many:
            self.groups.append((int(many[1]), int(many[2] or 0), []))
        elif one:
            self.groups.append((1, int(one[2] or 0), [int(one[1])]))
        elif listed and self.groups:
            self.groups[-1][2].append(int(listed[1]))

    def _missing(self, ranks: str | None, at: int) -> None:
        if ranks:
            self.answer.missing = [one for one in self.answer.missing if one[0] != "?"] + [(ranks.strip(), at)]
        elif not self.answer.missing:
            self.answer.missing.append(("?", at))

    def _close(self) -> None:
        if self.operation:
            key = (self.comm, self.operation)
            self.answer.differing[key] = tuple((number, count) for number, count, _ in self.groups)
            self.answer.counts[key] = self._counts()
        self.operation, self.groups = "", []

    def _counts(self) -> dict[int, int]:
        told = {rank: count for _, count, ranks in self.groups for rank in ranks}
        size = min(self.answer.sizes.get(self.comm, 0), MAX_RANKS)
        rest = [rank for rank in range(size) if rank not in told]
        silent = [(number, count) for number, count, ranks in self.groups if not ranks]
        if len(silent) == 1 and silent[0][0] == len(rest):
            told.update(dict.fromkeys(rest, silent[0][1]))
        return told

    def done(self) -> Answer:
        self._close()
        return self.answer


def _jsons(text: str) -> Iterator[Answer]:
    """The answers given as JSON; one that is cut short is not read."""
    decoder = json.JSONDecoder()
    end = tried = 0
    for found in _JSON.finditer(text) if '"communicators"' in text else ():
        tried += 1
        if found.start() < end or tried > MAX_ANSWERS:
            continue
        try:
            value, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("communicators"), list):
            yield _answer(value["communicators"], found.start(), text)


def _answer(communicators: list[object], start: int, text: str) -> Answer:
    answer, at = Answer(), start
    for comm in communicators:
        if not isinstance(comm, dict):
            continue
        name = str(comm.get("hash", ""))[:40]
        at = max(text.find(f'"{name}"', at), at)
        size = comm.get("size")
        name = name.removeprefix("0x")
        answer.sizes[name] = size if isinstance(size, int) else 0
        _take_ranks(answer, name, comm.get("ranks"), at)
        gone = [str(one.get("rank")) for one in _dicts(comm.get("missing_ranks"))]
        if gone:
            answer.missing.append((", ".join(gone)[:200], at))
    return answer


def _take_ranks(answer: Answer, name: str, ranks: object, at: int) -> None:
    for one in _dicts(ranks)[:MAX_RANKS]:
        rank, counts = one.get("rank"), one.get("collective_counts")
        if not isinstance(rank, int) or not isinstance(counts, dict):
            continue
        for operation, count in counts.items():
            if isinstance(count, int):
                answer.counts.setdefault((name, operation[:40]), {})[rank] = count
    for key, counted in answer.counts.items():
        if key[0] == name:
            answer.places[key] = at
            if len(set(counted.values())) > 1:
                answer.differing[key] = tuple(sorted(counted.items()))


def _dicts(value: object) -> list[dict[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
