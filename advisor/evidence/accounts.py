"""What ranks did not share, in words: mismatches, missing ranks and stand-stills -> statements and facts.

    rank 1 waits in a gloo broadcast, called from broadcast_requests (wedge.py); rank 0 launched _all_gather_base #201
    of the default group, which rank 1 never joined

Facts: `collective.mismatch`, `collective.sizes_differ`, `collective.missing_rank`, `symptom.ranks_split`,
`ranks.symmetric`. All are derived and say why. No facts: one rank alone spoke, or all are alike and none waits.

**Source:** `joins` and `waits` beside this file, for what they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from advisor.evidence import joins
from advisor.evidence.joins import Group, Mismatch, Waiting
from advisor.evidence.pairs import Alone
from advisor.evidence.ranks import in_order, spoken, verb
from advisor.evidence.waits import Stand
from advisor.model.collective import Collective, GroupStatus
from advisor.model.fact import Fact, FactKind, Span, Value
from advisor.model.late import dataclass
from advisor.model.situation import Kind, Statement

FACTS = (
    FactKind(
        "collective.mismatch",
        "str",
        "how the ranks' collectives at one place of a group differ: size, op, order or missing_rank",
        "Do all ranks post the same collectives, in the same order and of the same size?",
        "set TORCH_FR_BUFFER_SIZE=2000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1, and keep every rank's dump",
    ),
    FactKind(
        "collective.sizes_differ",
        "bool",
        "whether ranks put different numbers of elements into one and the same collective",
        "Is NumelIn of the same SeqNum and group equal on every rank?",
        "grep -ho 'SeqNum=[0-9]*, OpType=[A-Z_]*, NumelIn=[0-9]*' LOG of every rank",
    ),
    FactKind(
        "collective.missing_rank",
        "str",
        "the ranks that had not enqueued the collective that the others wait for",
        "Which rank has the lower last enqueued work in the group that timed out?",
        "grep -h 'last enqueued' LOG of every rank",
    ),
    FactKind(
        "ranks.symmetric",
        "bool",
        "whether all ranks stand in the same collective or at the same place of the code",
        "Do all ranks stand at the same place?",
        "py-spy dump --native --pid PID, for every rank",
    ),
)


@dataclass
class Account:
    """What is said and what follows, in the order in which it matters."""

    statements: list[Statement] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    def say(
        self,
        kind: Kind,
        says: str,
        ranks: Iterable[str] = (),
        spans: Iterable[Span | None] = (),
        collective: str = "",
    ) -> None:
        placed = tuple(dict.fromkeys(span for span in spans if span is not None))
        self.statements.append(Statement(kind, says, in_order({*ranks} - {""}), collective, placed))

    def derive(self, name: str, value: Value, *, notable: bool = False, why: str = "") -> None:
        """A fact that follows from the last statement, or from `why` beside it."""
        if not any(fact.name == name and fact.value == value for fact in self.facts):
            last = self.statements[-1]
            span = last.spans[0] if last.spans else None
            self.facts.append(Fact(name, value, "derived", span, notable=notable, why=why or last.says))

    @property
    def kinds(self) -> set[Kind]:
        return {one.kind for one in self.statements}


def group_name(group: str) -> str:
    """`the default group`, `group pp_broadcast`, `a group that is not named`."""
    if group == "default_pg":
        return "the default group"
    return f"group {group}" if group else "a group that is not named"


def collective_name(group: str, seq: int, op: str) -> str:
    return f"{group or '?'} #{seq} {op}"


def tell(groups: list[Group], standing: Mapping[str, Stand], troubled: bool) -> Account:
    """The account of all groups, the one in which it began first."""
    account = Account()
    certain = [group for group in groups if not group.disputed]
    for group in sorted(certain, key=_began):
        mismatch, waiting = joins.mismatches(group), joins.waiting(group)
        if mismatch:
            _tell_mismatch(account, mismatch)
        if waiting and not (mismatch and mismatch.seq <= waiting.seq):
            # stacks are not told apart by job
            _tell_waiting(account, waiting, {} if group.job else standing, troubled)
        elif not waiting and not mismatch and troubled:
            _tell_behind(account, group)
    _tell_origins(account, groups, troubled)
    return account


def _tell_origins(account: Account, groups: list[Group], troubled: bool) -> None:
    """That the files are of several jobs, and which of them contradict each other within one."""
    jobs = list(dict.fromkeys(group.job for group in groups if group.job))
    if jobs and (troubled or account.statements):
        says = (
            "files of one rank in several folders do not fit together, as if of several jobs: "
            f"ranks are compared within each folder only ({', '.join(jobs)})"
        )
        account.say("unknown", says)
    for group in groups:
        if group.disputed:
            says = (
                f"what {spoken(group.disputed)} posted into {_where(group)} is not known: several files say it and do "
                "not fit together, as if of several jobs, and no folder tells which is of which"
            )
            account.say("unknown", says, {*group.disputed} - {""}, group.spans.values())


def _where(group: Group) -> str:
    """The group, and of which job where there are several."""
    return f"{group_name(group.name)} in {group.job}" if group.job else group_name(group.name)


def _began(group: Group) -> tuple[int, str]:
    """When the first collective that is not complete was posted; groups without one come last."""
    pending = [one.created_ns or 0 for places in group.posted.values() for one in places.not_complete()]
    return min(pending, default=1 << 63), group.name


def _tell_mismatch(account: Account, one: Mismatch) -> None:
    group, seq = one.group, one.seq
    op = one.posted[one.odd[0]].op
    where = f"#{seq} of {_where(group)}"
    if one.difference == "size":
        says = f"{op} {where} has different sizes: " + "; ".join(_parties(one.posted, _elements))
    elif one.difference == "type":
        says = f"{op} {where} has different types: " + "; ".join(_parties(one.posted, _types))
    else:
        said = "the same collectives in another order" if one.difference == "order" else "different collectives"
        says = f"at {where} the ranks posted {said}: " + "; ".join(_parties(one.posted, _operation))
    counts = joins.apart(group)
    if counts:
        says += f" (enqueued so far: {_counted(counts)})"
    account.say("mismatch", says, one.posted, _spans(one.posted), collective_name(group.name, seq, op))
    account.derive("collective.mismatch", "size" if one.difference == "type" else one.difference)
    if one.difference == "size":
        account.derive("collective.sizes_differ", True)
    _tell_left_out(account, one)


def _tell_left_out(account: Account, one: Mismatch) -> None:
    """Who left out what, where the collectives that follow show it."""
    if not one.left_out:
        return
    odd, rest = set(one.odd), [rank for rank in one.posted if rank not in one.odd]
    ahead = odd if one.left_out > 0 else set(rest)
    behind = [rank for rank in one.posted if rank not in ahead]
    count = abs(one.left_out)
    missed = one.posted[behind[0]]
    what = f"{missed.op} of {_elements(missed)}" if count == 1 else f"{count} collectives, first {missed.op}"
    says = (
        f"{spoken(ahead)} left out {what} at #{one.seq} of {_where(one.group)} and went on: what came next "
        f"there is what {spoken(behind)} posted {count} place{'s' * (count > 1)} later"
    )
    account.say("left", says, ahead, _spans(one.posted), collective_name(one.group.name, one.seq, missed.op))


def _parties(posted: Mapping[str, Collective], words: object) -> list[str]:
    """`rank 0: 60 elements`, ranks that did the same together."""
    assert callable(words)
    same: dict[str, list[str]] = {}
    for rank, one in posted.items():
        same.setdefault(words(one), []).append(rank)
    return [f"{spoken(ranks)} {what}" for what, ranks in same.items()]


def _elements(one: Collective) -> str:
    total = sum(one.sizes)
    return f"{total} element{'s' * (total != 1)}"


def _types(one: Collective) -> str:
    return ", ".join(sorted(set(one.dtypes))) or "not said"


def _operation(one: Collective) -> str:
    return f"{one.op} of {_elements(one)}" if one.sizes else one.op


def _counted(counts: Mapping[str, int]) -> str:
    same: dict[int, list[str]] = {}
    for rank in in_order(counts):
        same.setdefault(counts[rank], []).append(rank)
    return ", ".join(f"{spoken(ranks)} {number}" for number, ranks in same.items())


def _spans(posted: Mapping[str, Collective]) -> Iterator[Span | None]:
    yield from (one.span for one in posted.values())


def _tell_waiting(account: Account, one: Waiting, standing: Mapping[str, Stand], troubled: bool) -> None:
    alarmed = troubled or one.one.state == "timed_out"
    launching = [rank for rank in one.missing if rank in standing and standing[rank].place == "nccl"]
    launching = [rank for rank in launching if not one.group.is_dumped(rank)]
    missing = [rank for rank in one.missing if rank not in launching]
    if launching:
        _tell_launching(account, one, launching, standing)
    if missing:
        _tell_missing(account, one, missing, standing)
    elif launching:
        return
    elif len(one.joined) < 2 and (one.unknown or alarmed):
        _tell_alone(account, one)
    else:
        _tell_all_joined(account, one, alarmed)
        _tell_behind(account, one.group)
    if one.unknown:
        says = (
            f"whether {spoken(one.unknown)} joined {_named(one)} is not known: neither a dump nor a count of it is here"
        )
        account.say("unknown", says, one.unknown, [one.one.span])


def _named(one: Waiting) -> str:
    return f"{one.one.op} #{one.seq} of {_where(one.group)}"


def _tell_alone(account: Account, one: Waiting) -> None:
    """One rank waits, and of no other is anything known in this group."""
    rank, group = one.joined[0], one.group
    counts = [
        f"{what} {numbers[rank]}"
        for what, numbers in (("enqueued", group.enqueued), ("completed", group.completed))
        if rank in numbers
    ]
    sizes = f" of {_elements(one.one)}" if one.one.sizes else ""
    says = f"{spoken([rank])} waits for {_named(one)}{sizes}" + (f" ({', '.join(counts)})" if counts else "")
    account.say("waits", says, [rank], [one.one.span], collective_name(group.name, one.seq, one.one.op))


def _tell_launching(account: Account, one: Waiting, ranks: list[str], standing: Mapping[str, Stand]) -> None:
    """Ranks inside NCCL: a call is counted when it returns, so they may be launching what the others wait for."""
    counts = joins.apart(one.group)
    says = (
        f"{spoken(ranks)} {verb(ranks, 'stands', 'stand')} inside NCCL and {verb(ranks, 'has', 'have')} not counted "
        f"{_named(one)} yet (enqueued so far: {_counted(counts)}): a call under way is not counted, "
        "a dump tells which it is"
    )
    spans = [one.one.span, *(standing[rank].span for rank in ranks)]
    account.say("behind", says, ranks, spans, collective_name(one.group.name, one.seq, one.one.op))


def _tell_missing(account: Account, one: Waiting, missing: list[str], standing: Mapping[str, Stand]) -> None:
    """Ranks that did not join; where their counts alone say so, a call under way is not ruled out."""
    op = one.one.op
    counts = joins.apart(one.group)
    counted = [rank for rank in missing if not one.group.is_dumped(rank) and rank not in standing]
    here = [standing[rank] for rank in missing if rank in standing and standing[rank].waits]
    where = "; ".join(f"rank {stand.rank} waits {stand.words}" for stand in here[:2])
    says = (
        (f"{where}; " if where else "")
        + f"{spoken(one.joined)} launched {_named(one)}, which {spoken(missing)} "
        + (f"{verb(missing, 'has', 'have')} not enqueued" if counted else "never joined")
        + (f" (enqueued so far: {_counted(counts)})" if counts else "")
        + (f"; a stack of {spoken(counted)} tells whether that call is under way" if counted else "")
    )
    spans = [one.one.span, *(one.group.spans.get(rank) for rank in missing), *(stand.span for stand in here)]
    account.say("missing_rank", says, (*one.joined, *missing), spans, collective_name(one.group.name, one.seq, op))
    account.derive("collective.mismatch", "missing_rank")
    account.derive("collective.missing_rank", ", ".join(missing))
    account.derive("symptom.ranks_split", True, notable=True)


def _tell_all_joined(account: Account, one: Waiting, alarmed: bool) -> None:
    """Several wait in it, and of none is it known that it did not join."""
    if len(one.joined) < 2 or one.unknown:
        return
    posted = one.group.at(one.seq)
    name = collective_name(one.group.name, one.seq, one.one.op)
    sizes = f" with {_elements(one.one)} each" if len(posted) == len(one.joined) and one.one.sizes else ""
    if one.done:
        rest = [rank for rank in one.joined if rank not in one.done]
        says = f"{spoken(one.done)} completed {_named(one)}, {spoken(rest)} did not, though all joined it"
        account.say("behind", says, rest, _spans(posted), name)
    elif not one.group.members:
        account.say("waits", f"{spoken(one.joined)} wait for {_named(one)}{sizes}", one.joined, _spans(posted), name)
        says = f"whether {_where(one.group)} has other ranks, and whether those joined #{one.seq}, is not said"
        account.say("unknown", says, (), _spans(posted), name)
    elif not alarmed:
        says = (
            f"{spoken(one.joined)} joined {_named(one)}, not complete when dumped: a second dump tells if it is stuck"
        )
        account.say("unknown", says, one.joined, _spans(posted), name)
    else:
        says = f"{spoken(one.joined)} all joined {_named(one)}{sizes} and none completed it: no rank is missing"
        account.say("symmetric", says, one.joined, _spans(posted), name)
        account.derive("ranks.symmetric", True)
        if sizes:
            account.derive("collective.sizes_differ", False)


def _tell_behind(account: Account, group: Group) -> None:
    counts = joins.apart(group)
    if counts:
        most = max(counts.values())
        behind = [rank for rank, number in counts.items() if number < most]
        where = f"in {_where(group)} {spoken(behind)} {verb(behind, 'is', 'are')} behind"
        says = f"{where} (enqueued so far: {_counted(counts)})"
        account.say("behind", says, behind, group.spans.values())


def tell_pairs(account: Account, found: Iterable[Alone]) -> None:
    """Transfers with one side only."""
    for one in found:
        never = f"which rank {one.peer} never {'received' if one.sends else 'sent'}"
        says = f"rank {one.rank} waits in {one.one.op} of {group_name(one.one.group)}, {never}"
        name = collective_name(one.one.group, one.one.seq, one.one.op.partition(" ")[0])
        account.say("missing_rank", says, [one.rank, one.peer], [one.one.span], name)
        account.derive("collective.mismatch", "missing_rank")
        account.derive("collective.missing_rank", one.peer)


def tell_ras(account: Account, statuses: Iterable[GroupStatus]) -> None:
    """What NCCL's RAS counts, which is per kind of operation and communicator."""
    by_group: dict[str, dict[str, GroupStatus]] = {}
    for status in statuses:
        if status.source == "ras" and status.last_enqueued is not None:
            by_group.setdefault(status.group, {})[status.rank] = status
    for group, ranks in by_group.items():
        counts = {rank: status.last_enqueued or 0 for rank, status in ranks.items()}
        if len(set(counts.values())) > 1:
            behind = [rank for rank, number in counts.items() if number < max(counts.values())]
            says = f"NCCL RAS: in {group} {spoken(behind)} launched fewer operations than others: {_counted(counts)}"
            account.say("behind", says, behind, (status.span for status in ranks.values()))
