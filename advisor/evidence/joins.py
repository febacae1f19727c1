"""What each rank posted into each group -> the first collective that they do not share, and who is missing from it.

    rank 0: default_pg #200 _all_gather_base completed, #201 _all_gather_base scheduled
    rank 1: default_pg #200 _all_gather_base completed; last enqueued 200           -> rank 1 lacks #201
    rank 0: pp_broadcast #126 broadcast 60, #127 broadcast 12, ...
    rank 1: pp_broadcast #126 broadcast 12, #127 broadcast 24, ...                  -> #126 differs, one left out

Groups are told apart by name and members, and by their GUID where no members are known or one rank is in several of
one name: TP groups of different replicas may bear one. Files of several jobs are compared job by job (`origins`). All
operations but `all_to_all` and `scatter` must have inputs of one size on all ranks; the list forms of gathering and
scattering may differ as long as they complete. A broadcast's sender reports it complete whether or not the others
joined, so only a rank's own count says what it joined. Point-to-point operations are not compared here, and a group
that has them is not compared by counts, which mix both kinds. What names no rank is not compared with what does.

**Source:** PyTorch `torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp` (`initWork` records, `workEnqueue` counts, with
one count for collectives and transfers); PyTorch 2.13 `torch/distributed/flight_recorder/components/types.py`
(`Op.match`), `builder.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from functools import lru_cache
from typing import Literal

from advisor.evidence.origins import origins
from advisor.evidence.places import Kind, Kinds, Places
from advisor.evidence.ranks import Ranks, in_order
from advisor.model.collective import Collective, GroupStatus
from advisor.model.fact import Span
from advisor.model.late import dataclass
from advisor.model.posted import Column

Difference = Literal["size", "type", "op", "order"]
Seen = Collective | Column
Key = tuple[str, tuple[str, ...], str]  # name, members, guid where it is needed
Members = dict[tuple[str, str, str], tuple[str, ...]]  # by rank, group, guid

_ANY_SIZE = frozenset({"alltoall", "alltoallbase", "scatter", "coalesced", ""})
_OFTEN_UNEVEN = frozenset({"allgather", "reducescatter", "gather"})
_SAME = {
    "alltoallbase": "alltoall",
    "allreducebarrier": "allreduce",
    "broadcastoop": "broadcast",
    "reduceoop": "reduce",
}
_WINDOW = 8
_LOOK_AHEAD = 64
_PENDING = frozenset({"scheduled", "started", "timed_out"})


@dataclass
class Group:
    """One process group: what each rank posted, by place; how far each rank is, by its own count.

    `job` is the folder whose files these are, "" when all are of one job; `disputed` are ranks of which files of that
    one job disagree.
    """

    name: str
    members: tuple[str, ...]
    job: str = ""
    disputed: tuple[str, ...] = ()
    posted: dict[str, Places] = field(default_factory=dict)
    enqueued: dict[str, int] = field(default_factory=dict)
    completed: dict[str, int] = field(default_factory=dict)
    spans: dict[str, Span | None] = field(default_factory=dict)
    dumped: set[str] = field(default_factory=set)

    @property
    def ranks(self) -> tuple[str, ...]:
        return in_order({*self.posted, *self.enqueued})

    def reached(self, rank: str) -> int | None:
        """The last place into which the rank posted; None when nothing says so."""
        places = self.posted.get(rank)
        last = places.last if places else None
        known = [number for number in (last, self.enqueued.get(rank)) if number is not None]
        return max(known) if known else None

    def last_known(self, rank: str) -> bool:
        """Whether `reached` is the rank's last place; a watchdog's timeout is the first of those it may have posted."""
        places = self.posted.get(rank)
        last = places.last if places else None
        return rank in self.enqueued or bool(places and last is not None and places[last].state != "timed_out")

    def joined(self, seq: int) -> tuple[str, ...]:
        return tuple(rank for rank in self.ranks if (self.reached(rank) or 0) >= seq)

    def is_dumped(self, rank: str) -> bool:
        """Whether a dump of the rank is here: it lists a call from its start, a count grows when the call returns."""
        return rank in self.dumped or any(one.created_ns is not None for one in self.posted.get(rank, {}).values())

    def at(self, seq: int) -> dict[str, Collective]:
        """What each rank posted at a place."""
        return {rank: self.posted[rank][seq] for rank in in_order(self.posted) if seq in self.posted[rank]}


@dataclass(frozen=True)
class Mismatch:
    """One place of a group into which ranks posted different collectives: `odd` those in the minority.

    `left_out` is how many the odd ranks left out before it, when what follows shows it; negative when the others did.
    """

    group: Group
    seq: int
    difference: Difference
    posted: dict[str, Collective]
    odd: tuple[str, ...]
    left_out: int = 0


@dataclass(frozen=True)
class Waiting:
    """The first collective of a group that is not complete: who joined it, who did not, of whom nothing is known."""

    group: Group
    seq: int
    one: Collective
    joined: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    done: tuple[str, ...]


def groups(collectives: Iterable[Seen], statuses: Iterable[GroupStatus], ranks: Ranks) -> list[Group]:
    """The groups of all ranks together, those of one job after another, in the order in which they are named."""
    told = [one for one in statuses if one.source != "ras"]
    collectives = list(collectives)
    origin = origins([*collectives, *told], ranks)
    if not origin.depth:
        return _of_one_job(collectives, told, ranks, "", origin.disputed)
    jobs: dict[str, tuple[list[Seen], list[GroupStatus]]] = {}
    for one in collectives:
        jobs.setdefault(origin.job(one), ([], []))[0].append(one)
    for status in told:
        jobs.setdefault(origin.job(status), ([], []))[1].append(status)
    return [group for job, both in jobs.items() for group in _of_one_job(*both, ranks, job, origin.disputed)]


def _of_one_job(
    collectives: list[Seen],
    statuses: list[GroupStatus],
    ranks: Ranks,
    job: str,
    disputed: Iterable[tuple[str, str, str, str]],
) -> list[Group]:
    home, kinds = _Homes(collectives, statuses, ranks), Kinds()
    for (_, speaker, name, guid), said in _by_file(collectives).items():
        rank = ranks.of(speaker)
        mine = home.of(rank, name, guid).posted.setdefault(rank, Places(kinds))
        if len(said) == 1 and isinstance(said[0], Column) and mine.take(said[0]):
            continue
        for seq, one in _in_places(said).items():
            mine.put(seq, _same(mine[seq], one) if seq in mine else one)
    mixed = {one.group for one in collectives if (one.transfers() if isinstance(one, Column) else one.is_transfer)}
    for status in statuses:
        if status.group not in mixed:
            rank = ranks.of(status.rank)
            _count(home.of(rank, status.group, status.guid), rank, status)
    for whose, rank, name, guid in disputed:
        if whose == job:
            group = home.of(rank, name, guid)
            group.disputed = in_order([*group.disputed, rank])
    _adopt(home.found)
    for group in home.found.values():
        group.job = job
        _set_aside_unnamed(group)
    return [group for group in home.found.values() if group.posted or group.enqueued]


class _Homes:
    """The groups found so far, and by what they are told apart."""

    def __init__(self, collectives: list[Seen], statuses: list[GroupStatus], ranks: Ranks) -> None:
        self.found: dict[Key, Group] = {}
        self.members = members_of(statuses, ranks)
        guids: dict[str, set[str]] = {}
        on_rank: dict[tuple[str, str], set[str]] = {}
        named: list[Seen | GroupStatus] = [*collectives, *statuses]
        for one in named:
            if one.guid:
                guids.setdefault(one.group, set()).add(one.guid)
                on_rank.setdefault((ranks.of(one.rank), one.group), set()).add(one.guid)
        self.shared = {name for name, known in guids.items() if len(known) > 1}
        self.doubled = {name for (_, name), known in on_rank.items() if len(known) > 1}

    def of(self, rank: str, name: str, guid: str) -> Group:
        members = self.members.get((rank, name, guid), ())
        needed = name in self.doubled or (name in self.shared and not members)
        return self.found.setdefault((name, members, guid if needed else ""), Group(name, members))


def _set_aside_unnamed(group: Group) -> None:
    """What names no rank may be of any: beside named ranks it is none of its own."""
    if len(group.ranks) > 1:
        for by_rank in (group.posted, group.enqueued, group.completed, group.spans):
            by_rank.pop("", None)


def _adopt(found: dict[Key, Group]) -> None:
    """Collectives of no named group go to the one in which other ranks posted the same operation at the same place."""
    nameless = found.get(("", (), ""))
    if nameless is None:
        return
    for rank, places in list(nameless.posted.items()):
        homes = [group for group in found.values() if group.name and _is_home(group, rank, places)]
        if len(homes) == 1:
            there = homes[0].posted.setdefault(rank, Places(places.kinds))
            for seq, one in nameless.posted.pop(rank).items():
                there.put(seq, one)


def _is_home(group: Group, rank: str, places: Places) -> bool:
    if group.members and rank not in group.members:
        return False
    others = [group.posted[other] for other in group.posted if other != rank]
    return all(any(seq in theirs and same_op(theirs[seq], one) for theirs in others) for seq, one in places.items())


def members_of(statuses: Iterable[GroupStatus], ranks: Ranks) -> Members:
    """(rank, group, guid) -> the group's members, also for ranks that do not say so but are named by others.

    Empty where statuses disagree. Without a guid it is the one group of that name that the rank is in.
    """
    members: Members = {}
    for status in statuses:
        if status.members:
            named = in_order(map(ranks.of, status.members))
            for rank in {ranks.of(status.rank), *named}:
                for guid in {status.guid, ""}:
                    key = (rank, status.group, guid)
                    members[key] = named if members.get(key, named) == named else ()
    return members


def _by_file(collectives: Iterable[Seen]) -> dict[tuple[str, str, str, str], list[Seen]]:
    """(file, rank, group, guid) -> what it says."""
    found: dict[tuple[str, str, str, str], list[Seen]] = {}
    for one in collectives:
        if isinstance(one, Column) or (one.seq >= 0 and not one.is_transfer):
            key = (one.span.artifact if one.span else "", one.rank, one.group, one.guid)
            found.setdefault(key, []).append(one)
    return found


def _in_places(said: Iterable[Seen]) -> dict[int, Collective]:
    """Place -> collective of one file; several of one place are one coalesced operation."""
    places: dict[int, Collective] = {}
    for one in (each for some in said for each in (some if isinstance(some, Column) else (some,))):
        if one.seq >= 0 and not one.is_transfer:
            places[one.seq] = _together(places[one.seq], one) if one.seq in places else one
    return places


def _together(a: Collective, b: Collective) -> Collective:
    """Two sightings of one place in one file: of one collective, or two parts of a coalesced operation."""
    if a.dtypes == () or b.dtypes == () or (same_op(a, b) and a.created_ns == b.created_ns):
        return _same(a, b)
    state = a.state if a.state != "completed" else b.state
    return replace(a, op=f"{a.op}+{b.op}", sizes=a.sizes + b.sizes, dtypes=a.dtypes + b.dtypes, state=state)


def _same(a: Collective, b: Collective) -> Collective:
    """Two sightings of one collective: the recorder's beside the watchdog's, or those of an early and a later dump."""
    kept = b if b.dtypes and (not a.dtypes or b.state == "completed") else a
    return replace(kept, state="timed_out") if "timed_out" in (a.state, b.state) else kept


def _count(group: Group, rank: str, status: GroupStatus) -> None:
    if status.source == "flight_recorder":
        group.dumped.add(rank)
    for counts, number in ((group.enqueued, status.last_enqueued), (group.completed, status.last_completed)):
        if number is not None:
            counts[rank] = max(number, counts.get(rank, 0))
    group.spans.setdefault(rank, status.span)


# comparing


def mismatches(group: Group) -> Mismatch | None:
    """The first place at which ranks posted different collectives."""
    if len(group.posted) < 2:
        return None
    reference = max(group.posted, key=lambda rank: len(group.posted[rank]))
    theirs = group.posted[reference]
    apart = (group.posted[rank].first_apart(theirs, _differ) for rank in group.posted if rank != reference)
    first = min((seq for seq in apart if seq is not None), default=None)
    return _mismatch(group, first) if first is not None else None


def difference(a: Collective, b: Collective) -> Difference | None:
    """How two collectives of one place differ, where they must not."""
    return _differ(a, b, "completed" in (a.state, b.state))


def _differ(a: Collective | Kind, b: Collective | Kind, done: bool) -> Difference | None:
    kind = canonical(a.op)
    if kind != canonical(b.op):
        return "op"
    if kind in _ANY_SIZE or (kind in _OFTEN_UNEVEN and done):
        return None
    if a.sizes != b.sizes and sum(a.sizes) != sum(b.sizes) and -1 not in (*a.sizes, *b.sizes):
        return "size"
    return "type" if a.dtypes and b.dtypes and set(a.dtypes) != set(b.dtypes) else None


@lru_cache(256)
def canonical(op: str) -> str:
    """`_all_gather_base` of the recorder and `_allgather_base` of the watchdog -> `allgatherbase`."""
    bare = op.replace("_", "").lower()
    return _SAME.get(bare, bare)


def same_op(a: Collective, b: Collective) -> bool:
    return canonical(a.op) == canonical(b.op)


def _mismatch(group: Group, seq: int) -> Mismatch:
    posted = group.at(seq)
    kinds: dict[tuple[str, int, frozenset[str]], list[str]] = {}
    for rank, one in posted.items():
        kinds.setdefault((canonical(one.op), sum(one.sizes), frozenset(one.dtypes)), []).append(rank)
    most = max(kinds.values(), key=len)
    odd = tuple(rank for rank in posted if rank not in most)
    a, b = posted[most[0]], posted[odd[0]]
    left_out = _left_out(group.posted[odd[0]], group.posted[most[0]], seq)
    said = difference(a, b) or "size"
    if said != "type" and not left_out and _swapped(group.posted[odd[0]], group.posted[most[0]], seq):
        said = "order"
    return Mismatch(group, seq, said, posted, odd, left_out)


def _left_out(mine: Places, theirs: Places, seq: int) -> int:
    """By how many places one rank runs ahead of the other from `seq` on; 0 when no shift explains what follows."""
    for shift in range(1, _WINDOW + 1):
        for sign, a, b in ((1, mine, theirs), (-1, theirs, mine)):
            pairs = [(a[at], b[at + shift]) for at in range(seq, seq + _LOOK_AHEAD) if at in a and at + shift in b]
            if len(pairs) >= 3 and all(_alike(*pair) for pair in pairs):
                return sign * shift
    return 0


def _alike(a: Collective, b: Collective) -> bool:
    return same_op(a, b) and a.sizes == b.sizes and a.dtypes == b.dtypes


def _swapped(mine: Places, theirs: Places, seq: int) -> bool:
    """Whether both ranks posted the same few collectives in another order, and then went on alike."""
    for width in range(2, _WINDOW + 1):
        places = range(seq, seq + width)
        if not all(at in mine and at in theirs for at in places):
            return False
        if sorted(map(_sign, (mine[at] for at in places))) == sorted(map(_sign, (theirs[at] for at in places))):
            after = [at for at in range(seq + width, seq + width + 4) if at in mine and at in theirs]
            return all(_alike(mine[at], theirs[at]) for at in after)
    return False


def _sign(one: Collective) -> tuple[str, tuple[int, ...], tuple[str, ...]]:
    return canonical(one.op), one.sizes, one.dtypes


# waiting


def waiting(group: Group) -> Waiting | None:
    """The first collective of the group that some rank has posted and not completed."""
    first: tuple[int, str] | None = None
    for rank, places in group.posted.items():
        pending = next((one.seq for one in places.not_complete() if one.state in _PENDING), None)
        if pending is not None and (first is None or pending < first[0]):
            first = (pending, rank)
    if first is None:
        return None
    seq, rank = first
    reached = {one: group.reached(one) for one in group.ranks}
    joined = tuple(one for one, last in reached.items() if last is not None and last >= seq)
    missing = tuple(one for one, last in reached.items() if last is not None and last < seq)
    unknown = tuple(one for one in group.members if one not in reached)
    done = tuple(one for one in joined if _is_done(group, one, seq))
    return Waiting(group, seq, group.posted[rank][seq], joined, missing, unknown, done)


def _is_done(group: Group, rank: str, seq: int) -> bool:
    """Whether the rank completed it: the entry says so, or the count where the entry is gone."""
    places = group.posted.get(rank)
    one = places.get(seq) if places else None
    return one.state == "completed" if one else group.completed.get(rank, 0) >= seq


def apart(group: Group) -> dict[str, int]:
    """How far each rank is in the group, when they are not equally far; empty when they are, or one alone says so."""
    known = filter(group.last_known, group.ranks)
    reached = {rank: last for rank in known if (last := group.reached(rank)) is not None}
    return reached if len(set(reached.values())) > 1 else {}
