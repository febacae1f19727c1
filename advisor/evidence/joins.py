"""What each rank posted into each group -> the first collective that they do not share, and who is missing from it.

    rank 0: default_pg #200 _all_gather_base completed, #201 _all_gather_base scheduled
    rank 1: default_pg #200 _all_gather_base completed; last enqueued 200           -> rank 1 never joined #201
    rank 0: pp_broadcast #126 broadcast 60, #127 broadcast 12, ...
    rank 1: pp_broadcast #126 broadcast 12, #127 broadcast 24, ...                  -> #126 differs, one left out

Groups are told apart by name and members, or by the watchdog's GUID where no members are known, since TP groups of
different replicas may bear one name. All operations but
`all_to_all` and `scatter` must have inputs of one size on all ranks; the list forms of gathering and scattering may
differ as long as they complete. A broadcast's sender reports it complete whether or not the others joined, so only a
rank's own count says what it joined. Point-to-point operations are not compared here.

**Source:** PyTorch 2.13 `torch/distributed/flight_recorder/components/types.py` (`Op.match`), `builder.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from advisor.evidence.ranks import Ranks, in_order
from advisor.model.collective import Collective, GroupStatus
from advisor.model.fact import Span

Difference = Literal["size", "type", "op", "order"]
Key = tuple[str, tuple[str, ...]]

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
    """One process group: what each rank posted, by place; how far each rank is, by its own count."""

    name: str
    members: tuple[str, ...]
    posted: dict[str, dict[int, Collective]] = field(default_factory=dict)
    enqueued: dict[str, int] = field(default_factory=dict)
    completed: dict[str, int] = field(default_factory=dict)
    spans: dict[str, Span | None] = field(default_factory=dict)

    @property
    def ranks(self) -> tuple[str, ...]:
        return in_order({*self.posted, *self.enqueued})

    def reached(self, rank: str) -> int | None:
        """The last place into which the rank posted; None when nothing says so."""
        places = self.posted.get(rank)
        last = max(places) if places else None
        known = [number for number in (last, self.enqueued.get(rank)) if number is not None]
        return max(known) if known else None

    def joined(self, seq: int) -> tuple[str, ...]:
        return tuple(rank for rank in self.ranks if (self.reached(rank) or 0) >= seq)

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


def groups(collectives: Iterable[Collective], statuses: Iterable[GroupStatus], ranks: Ranks) -> list[Group]:
    """The groups of all ranks together, in the order in which they are named."""
    told = [one for one in statuses if one.source != "ras"]
    collectives = list(collectives)
    members = members_of(told, ranks)
    shared = _shared_names([*collectives, *told])
    found: dict[Key, Group] = {}
    for (name, group, guid), places in _by_rank(collectives).items():
        rank = ranks.of(name)
        mine = _group(found, members, rank, group, guid if group in shared else "").posted.setdefault(rank, {})
        if not mine:
            mine.update(places)
            continue
        for seq, one in places.items():
            known = mine.get(seq)
            if known is None or (one.dtypes and (one.state == "completed" or not known.dtypes)):
                mine[seq] = one
    for status in told:
        rank = ranks.of(status.rank)
        guid = status.guid if status.group in shared else ""
        _count(_group(found, members, rank, status.group, guid), rank, status)
    _adopt(found)
    return [group for group in found.values() if group.posted or group.enqueued]


def _shared_names(named: Iterable[Collective | GroupStatus]) -> set[str]:
    """The names that more than one group bears."""
    guids: dict[str, set[str]] = {}
    for one in named:
        if one.guid:
            guids.setdefault(one.group, set()).add(one.guid)
    return {name for name, known in guids.items() if len(known) > 1}


def _adopt(found: dict[Key, Group]) -> None:
    """Collectives of no named group go to the one in which other ranks posted the same operation at the same place."""
    nameless = found.get(("", ()))
    if nameless is None:
        return
    for rank, places in list(nameless.posted.items()):
        homes = [group for group in found.values() if group.name and _is_home(group, rank, places)]
        if len(homes) == 1:
            homes[0].posted.setdefault(rank, {}).update(nameless.posted.pop(rank))


def _is_home(group: Group, rank: str, places: dict[int, Collective]) -> bool:
    if group.members and rank not in group.members:
        return False
    others = [group.posted[other] for other in group.posted if other != rank]
    return all(any(seq in theirs and same_op(theirs[seq], one) for theirs in others) for seq, one in places.items())


def members_of(statuses: Iterable[GroupStatus], ranks: Ranks) -> dict[tuple[str, str], tuple[str, ...]]:
    """(rank, group) -> the group's members, also for ranks that do not say so but are named by others."""
    members: dict[tuple[str, str], tuple[str, ...]] = {}
    for status in statuses:
        if status.members:
            named = in_order(map(ranks.of, status.members))
            members[ranks.of(status.rank), status.group] = named
            for rank in named:
                members.setdefault((rank, status.group), named)
    return members


def _by_rank(collectives: Iterable[Collective]) -> dict[tuple[str, str, str], dict[int, Collective]]:
    """(rank, group, guid) -> place -> collective; several of one place are one coalesced operation."""
    found: dict[tuple[str, str, str], dict[int, Collective]] = {}
    last: tuple[str, str, str] | None = None
    places: dict[int, Collective] = {}
    for one in collectives:
        seq = one.seq
        if seq < 0 or one.op[:5] in ("send ", "recv "):
            continue
        key = (one.rank, one.group, one.guid)
        if key != last:
            places, last = found.setdefault(key, {}), key
        if seq in places:
            places[seq] = _together(places[seq], one)
        else:
            places[seq] = one
    return found


def _together(a: Collective, b: Collective) -> Collective:
    """Two sightings of one place: the recorder's beside the watchdog's, or two parts of a coalesced operation."""
    if a.dtypes == () or b.dtypes == () or (same_op(a, b) and a.created_ns == b.created_ns):
        kept = a if a.dtypes else b
        return replace(kept, state="timed_out") if "timed_out" in (a.state, b.state) else kept
    state = a.state if a.state != "completed" else b.state
    return replace(a, op=f"{a.op}+{b.op}", sizes=a.sizes + b.sizes, dtypes=a.dtypes + b.dtypes, state=state)


def _group(
    found: dict[Key, Group], members: dict[tuple[str, str], tuple[str, ...]], rank: str, name: str, guid: str
) -> Group:
    named = members.get((rank, name), ())
    return found.setdefault((name, named or ((guid,) if guid else ())), Group(name, named))


def _count(group: Group, rank: str, status: GroupStatus) -> None:
    for counts, number in ((group.enqueued, status.last_enqueued), (group.completed, status.last_completed)):
        if number is not None:
            counts[rank] = max(number, counts.get(rank, 0))
    if status.source == "flight_recorder" and status.members:
        group.enqueued.setdefault(rank, 0)  # the dump lists the group and counts nothing in it
    group.spans.setdefault(rank, status.span)


# comparing


def mismatches(group: Group) -> Mismatch | None:
    """The first place at which ranks posted different collectives."""
    if len(group.posted) < 2:
        return None
    reference = max(group.posted, key=lambda rank: len(group.posted[rank]))
    first = min(
        (seq for rank in group.posted if rank != reference for seq in _differing(group, reference, rank)), default=None
    )
    return _mismatch(group, first) if first is not None else None


def _differing(group: Group, reference: str, rank: str) -> Iterator[int]:
    """The first place at which two ranks differ, or none."""
    theirs, mine = group.posted[reference], group.posted[rank]
    for seq in sorted(mine):
        other = theirs.get(seq)
        if other is not None:
            one = mine[seq]
            if (other.op != one.op or other.sizes != one.sizes or other.dtypes != one.dtypes) and difference(
                one, other
            ):
                yield seq
                return


def difference(a: Collective, b: Collective) -> Difference | None:
    """How two collectives of one place differ, where they must not."""
    kind = canonical(a.op)
    if kind != canonical(b.op):
        return "op"
    if kind in _ANY_SIZE or (kind in _OFTEN_UNEVEN and "completed" in (a.state, b.state)):
        return None
    if a.sizes != b.sizes and sum(a.sizes) != sum(b.sizes) and -1 not in (*a.sizes, *b.sizes):
        return "size"
    return "type" if a.dtypes and b.dtypes and set(a.dtypes) != set(b.dtypes) else None


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


def _left_out(mine: dict[int, Collective], theirs: dict[int, Collective], seq: int) -> int:
    """By how many places one rank runs ahead of the other from `seq` on; 0 when no shift explains what follows."""
    for shift in range(1, _WINDOW + 1):
        for sign, a, b in ((1, mine, theirs), (-1, theirs, mine)):
            pairs = [(a[at], b[at + shift]) for at in range(seq, seq + _LOOK_AHEAD) if at in a and at + shift in b]
            if len(pairs) >= 3 and all(_alike(*pair) for pair in pairs):
                return sign * shift
    return 0


def _alike(a: Collective, b: Collective) -> bool:
    return same_op(a, b) and a.sizes == b.sizes and a.dtypes == b.dtypes


def _swapped(mine: dict[int, Collective], theirs: dict[int, Collective], seq: int) -> bool:
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
        pending = min((seq for seq, one in places.items() if one.state in _PENDING), default=None)
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
    one = group.posted.get(rank, {}).get(seq)
    return one.state == "completed" if one else group.completed.get(rank, 0) >= seq


def apart(group: Group) -> dict[str, int]:
    """How far each rank is in the group, when they are not equally far; empty when they are, or one alone speaks."""
    reached = {rank: last for rank in group.ranks if (last := group.reached(rank)) is not None}
    return reached if len(set(reached.values())) > 1 else {}
