"""What processes really map, or what a loader would -> which NCCL, HCCL and CUDA runtime each rank has.

    7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 /usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3     /proc/PID/maps
    /proc/946/maps:7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 /opt/venv/.../libnccl.so.2       grep over several
    /opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2                              grep -o … | sort -u
    python3   946 root  mem    REG  259,1  1234 5678 /opt/venv/.../libnccl.so.2                      lsof -p PID
        libnccl.so.2 => /usr/lib/x86_64-linux-gnu/libnccl.so.2 (0x00007f8b5d000000)                  ldd

Facts: `maps.nccl` (RCCL too), `maps.hccl`, `maps.cudart`, with the rank the file or the line is of, by process (`pid
946`) where only that is known; `maps.differs` when two ranks or processes map different files; `component.nccl` and
`component.driver` only from a path that bears the whole version. What `ls`, `find` with sizes and prose name is not
mapped, and is passed over. Several NCCLs in a bare list of paths are said in a note: such a list does not say who
maps which. Empty: no such library is mapped, or the list was cut.

**Source:** `man 5 proc` (maps), `man 8 lsof`, `man 1 ldd`; the names: NCCL 2.28 `makefiles`, RCCL, CANN 8
(`libhccl.so`), CUDA 13 (`libcudart.so.13`); two H200 with driver 580.159.04.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.evidence.devices import Reading
from advisor.evidence.lines import lines
from advisor.evidence.sighting import once, sighting
from advisor.model.fact import Artifact, Fact, FactKind, Note
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_HOW = "grep -o '/[^ ]*lib{}[^ ]*' /proc/PID/maps | sort -u"
FACTS = (
    FactKind(
        "maps.nccl",
        "str",
        "the NCCL library file that a process really maps",
        "Which libnccl does each rank map?",
        _HOW.format("nccl"),
    ),
    FactKind(
        "maps.hccl",
        "str",
        "the HCCL library file that a process really maps",
        "Which libhccl does each rank map?",
        _HOW.format("hccl"),
    ),
    FactKind(
        "maps.cudart",
        "str",
        "the CUDA runtime library file that a process really maps",
        "Which libcudart does each rank map?",
        _HOW.format("cudart"),
    ),
    FactKind(
        "maps.differs",
        "bool",
        "whether ranks map different NCCL library files",
        "Do all ranks map the same libnccl?",
        "for p in PIDS; do grep -Ho '/[^ ]*libnccl[^ ]*' /proc/$p/maps; done | sort -u",
    ),
)

_LIBRARY = r"(/[^\s:]*/lib(nccl|rccl|hccl|cudart|cuda)\.so[\d.]*)"
_RANGE = Shape(
    r"(?:(?:/proc/)?(\d{1,9})(?:/maps)?:)?[0-9a-f]{6,16}-[0-9a-f]{6,16} [r-][w-][x-][ps] [0-9a-f]+ \S+ \d+ +"
    + _LIBRARY
    + r"( \(deleted\))? *$"
)
_BARE = Shape(r"(?:/proc/(\d{1,9})/maps: *)?" + _LIBRARY + r"( \(deleted\))? *$")
_LSOF = Shape(r"\S+ +(\d{1,9}) +(?:\d+ +)?\S+ +(?:mem|DEL|\d+[ruw]*) +REG +\S+ .*? " + _LIBRARY + r"( \(deleted\))? *$")
_LDD = Shape(r"\s+\S+ => " + _LIBRARY + r"() \(0x[0-9a-f]+\) *$")
_HEAD = Shape(r"==> /proc/(\d{1,9})/maps <==")  # head and tail over several files
_NOISE = Shape(r"[-lbcdps][r-][w-][xsS-][r-]|total \d|\d+ +[-l][rwx-]{9}")  # ls -l, ls -li
_MINE = Shape(
    r"^(?:\S*:)?[0-9a-f]{6,16}-[0-9a-f]{6,16} [r-][w-][x-][ps] |"
    r"^(?:/proc/\d+/maps: *)?/\S+/lib\w+\.so[\d.]*(?: \(deleted\))? *$|"
    r"^[^\S\n]++lib\S+ => /\S+ \(0x|^\S+ +\d+ +\S+ +(?:mem|DEL) +REG ",
    8,  # re.M
)
_FULL = Shape(r"\.so\.(\d+\.\d+\.\d+)$")
_DRIVER = Shape(r"\.so\.(\d+\.\d[\d.]*+)$")
_KINDS = {"nccl": "maps.nccl", "rccl": "maps.nccl", "hccl": "maps.hccl", "cudart": "maps.cudart"}


@dataclass(frozen=True, slots=True)
class Mapped:
    """One library at one place; `process` is empty where the line does not say whose it is."""

    kind: str
    path: str
    at: int
    process: str
    how: str
    deleted: bool


def mine(text: str) -> bool:
    """Whether lines of a memory map, `lsof` or `ldd` stand in the first 64 KiB."""
    return _MINE.search(text[:65536]) is not None


def read(artifact: Artifact) -> Reading:
    """Everything that the lists say."""
    found = list(_mapped(artifact.text))
    facts = [fact for one in found for fact in _facts(artifact, one)]
    return Reading(once([*facts, *_differ(facts)]), (), (), tuple(_notes(artifact, found)))


def across(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """`maps.differs` of the facts of several artifacts, when they are of more than one rank; none otherwise."""
    return tuple(_differ([fact for fact in facts if fact.name == "maps.nccl"]))


def _mapped(text: str) -> Iterator[Mapped]:
    process = ""
    for line in lines(text):
        row = line.text
        head = _HEAD.match(row)
        if head:
            process = head[1]
        if "/lib" not in row or _NOISE.match(row):
            continue
        for how, shape in (("map", _RANGE), ("list", _BARE), ("lsof", _LSOF)):
            found = shape.match(row)
            if found:
                yield Mapped(found[3], found[2], line.start, found[1] or process, how, bool(found[4]))
                break
        else:
            ldd = _LDD.match(row)
            if ldd:
                yield Mapped(ldd[2], ldd[1], line.start, "", "ldd", False)


def _facts(artifact: Artifact, one: Mapped) -> Iterator[Fact]:
    rank = artifact.rank or (f"pid {one.process}" if one.process else None)
    name = _KINDS.get(one.kind)
    if name:
        seen = sighting(artifact, name, one.path, one.at).but(rank=rank)
        resolved = "ldd resolves it so; a running process may map another"
        yield seen.but(origin="derived", why=resolved) if one.how == "ldd" else seen
    version = _FULL.search(one.path) if one.kind == "nccl" else _DRIVER.search(one.path) if one.kind == "cuda" else None
    if version:
        component = "component.nccl" if one.kind == "nccl" else "component.driver"
        yield sighting(artifact, component, version[1], one.at).but(rank=artifact.rank)


def _differ(facts: Sequence[Fact]) -> Iterator[Fact]:
    ranks: dict[str, set[str]] = {}
    for fact in facts:
        if fact.name == "maps.nccl" and fact.rank and fact.origin == "observed":
            ranks.setdefault(fact.rank, set()).add(str(fact.value))
    if len(ranks) < 2:
        return
    sets = list(ranks.values())
    odd = next((rank for rank, files in ranks.items() if files != sets[0]), None)
    fact = next(fact for fact in facts if fact.name == "maps.nccl" and fact.rank == (odd or next(iter(ranks))))
    told = "; ".join(f"{rank}: {', '.join(sorted(files))}" for rank, files in list(ranks.items())[:8])
    yield fact.but(name="maps.differs", value=odd is not None, origin="derived", rank=None, why=told)


def _notes(artifact: Artifact, found: list[Mapped]) -> Iterator[Note]:
    deleted = next((one for one in found if one.deleted), None)
    if deleted:
        place = sighting(artifact, "maps.nccl", deleted.path, deleted.at).span
        yield Note("hint", f"{deleted.path} was replaced on disk while a process still maps the old file", place)
    bare = {one.path: one for one in found if one.how == "list" and not one.process and one.kind in ("nccl", "rccl")}
    if len(bare) > 1:
        place = sighting(artifact, "maps.nccl", "", next(iter(bare.values())).at).span
        yield Note(
            "hint",
            f"{len(bare)} different NCCL files in one list of paths: it does not say which process maps which",
            place,
        )
