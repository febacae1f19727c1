"""The evidence of all ranks -> what is going on, and the facts that follow from comparing them.

    rank 1 waits in a gloo broadcast; rank 0 launched _all_gather_base #201 of the default group, which rank 1 never
    joined

It fuses flight-recorder dumps and watchdog lines (`joins`), stacks (`waits`), exceptions and memory (`failures`), loads
of devices and the periodic lines of servers. Every rank is compared by its number, whatever its evidence calls it. No
statement: nothing is wrong, or nothing here can tell; healthy evidence yields none, since a capture of a busy server
looks like any other until something says that it stands still.

Facts: those of `accounts`, `stack.unchanged`, `symptom.rank_busy` and `symptom.rank_idle`.

**Source:** the readers beside this file name theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence import accounts, failures, joins, pairs, waits
from advisor.evidence.accounts import Account
from advisor.evidence.ranks import Ranks, in_order, spoken, verb
from advisor.evidence.reading import Evidence
from advisor.evidence.waits import Stand
from advisor.model.collective import Beat, Utilisation
from advisor.model.fact import Fact
from advisor.model.situation import Statement

_STANDSTILL = frozenset(
    {"symptom.hang", "symptom.watchdog", "symptom.timeout", "symptom.heartbeat_stopped", "symptom.ranks_split"}
)
_BUSY, _IDLE, _IN_USE_MIB = 95.0, 1.0, 1_000.0
_SPIN_BELOW = 0.35  # of the power limit
_DOING = {True: ("waits", "wait"), False: ("stands", "stand")}
_TOGETHER_S, _DAY_S = 2.0, 86_400.0
_STEADY = frozenset({"Decode batch", "Avg prompt throughput", "Avg thr"})  # the others come when there is reason to
_FEW = 10
_MANY = 1_000
_LONG_S = 600.0


def situation(evidence: Sequence[Evidence]) -> tuple[tuple[Statement, ...], tuple[Fact, ...]]:
    """What can be said of the case as a whole, the most telling first, and what follows from it."""
    facts = [fact for one in evidence for fact in one.facts]
    ranks = Ranks(_names(evidence))
    captures = waits.stands(((one.artifact, one.threads) for one in evidence), ranks)
    stuck = {rank for rank, same in waits.unchanged(captures).items() if same}
    standing = waits.latest(captures)
    raised = failures.failures(facts, ranks)
    still = any(fact.name in _STANDSTILL and fact.notable and fact.value is True for fact in facts)
    collectives = [one for each in evidence for one in each.collectives]
    statuses = [status for one in evidence for status in one.statuses]
    groups = joins.groups(collectives, statuses, ranks)

    account = Account()
    rooted = failures.tell(account, raised)
    told = accounts.tell(groups, standing, still)
    accounts.tell_pairs(told, pairs.alone(collectives, joins.members_of(statuses, ranks), ranks))
    _join(account, told, rooted)
    troubled = still or rooted or bool(told.kinds - {"unknown"})
    _tell_places(account, standing, stuck, captures, troubled)
    troubled = troubled or "waits" in account.kinds
    loads = [load for one in evidence for load in one.loads]
    if troubled:
        _tell_loads(account, loads, standing, facts)
        accounts.tell_ras(account, statuses)
        beats = [beat for one in evidence for beat in one.beats]
        _tell_beats(account, beats)
        _tell_phase(account, told, beats)
        if not rooted:
            failures.tell_echoes(account, raised)
    if any(fact.name == "symptom.oom" for fact in facts):
        failures.tell_memory(account, [one.artifact for one in evidence if one.artifact.kind == "log"], ranks)
    if troubled:
        _tell_gaps(account, standing, captures, groups, in_order({ranks.of(name) for name in _names(evidence)}))
    return tuple(account.statements), tuple(account.facts)


def _names(evidence: Sequence[Evidence]) -> set[str]:
    """Every name under which a rank speaks."""
    names: set[str | None] = set()
    for one in evidence:
        names.add(one.artifact.rank)
        names.update(thread.rank for thread in one.threads)
        names.update(fact.rank for fact in one.facts)
        names.update({each.rank for each in one.collectives})
        names.update(status.rank for status in one.statuses)
    return {name for name in names if name}


def _join(account: Account, told: Account, rooted: bool) -> None:
    """Add what the groups say. Where a rank failed, that it is missing from a collective needs no further question."""
    account.statements += [one for one in told.statements if not (rooted and one.kind == "unknown")]
    account.facts += told.facts


# stacks


def _tell_places(
    account: Account, standing: dict[str, Stand], stuck: set[str], captures: list[Stand], troubled: bool
) -> None:
    """Where the ranks stand; of a service that may be well only what two captures show."""
    at_work = {rank for rank in stuck if not standing[rank].is_idle}
    split = _is_split(standing)
    if not standing or not (troubled or at_work):
        return
    for words, named in _by_words(standing).items():
        spans = [standing[rank].span for rank in named]
        account.say("waits", f"{spoken(named)} {verb(named, *_DOING[words[0]])} {words[1]}", named, spans)
    if split:
        account.derive("symptom.ranks_split", True, notable=True, why=_split(standing))
    elif len(standing) > 1 and len({stand.functions for stand in standing.values()}) == 1:
        says = f"{spoken(standing)} all stand at the same place: none of them is ahead by its stack"
        account.say("symmetric", says, standing, [stand.span for stand in standing.values()])
        account.derive("ranks.symmetric", True)
    if stuck:
        says = f"between two captures the main thread of {spoken(stuck)} did not move by a line"
        account.say("stuck", says, stuck, [one.span for one in captures if one.rank in stuck])
        account.derive("stack.unchanged", True)


def _by_words(standing: dict[str, Stand]) -> dict[tuple[bool, str], list[str]]:
    """Whether they wait, and where -> the ranks that do."""
    found: dict[tuple[bool, str], list[str]] = {}
    for rank in in_order(standing):
        found.setdefault((standing[rank].waits, standing[rank].words), []).append(rank)
    return found


def _split(standing: dict[str, Stand]) -> str:
    return "; ".join(f"{spoken(named)} {words}" for (_, words), named in _by_words(standing).items())


def _is_split(standing: dict[str, Stand]) -> bool:
    """Whether some ranks wait for the device or inside NCCL while others wait on the host."""
    places = {stand.place for stand in standing.values()}
    return bool(places & {"device", "nccl"}) and bool(places & {"host", "work", "sleep"})


# devices


def _tell_loads(account: Account, loads: list[Utilisation], standing: dict[str, Stand], facts: list[Fact]) -> None:
    """Which devices spin and which wait for their host; only of the last reading of each."""
    last = {load.rank: load for load in loads if load.percent is not None}
    busy = [load for load in last.values() if (load.percent or 0) >= _BUSY]
    idle = [load for load in last.values() if (load.percent or 0) <= _IDLE and _in_use(load)]
    for load in busy:
        if load.power_w is not None and load.limit_w and load.power_w < _SPIN_BELOW * load.limit_w:
            drawn = f"{load.power_w:g} W of {load.limit_w:g} W"
            says = (
                f"GPU {load.rank} is {load.percent:g} % busy at {drawn}: it waits inside a kernel, it does not compute"
            )
            account.say("spin", says, [load.rank], [load.span])
    for load in idle if busy else []:
        stand = standing.get(load.rank)
        if stand and stand.place in ("host", "work", "sleep", "nccl"):
            says = f"GPU {load.rank} idles at {load.percent:g} % while rank {load.rank} waits {stand.words}"
            account.say("host_wait", says, [load.rank], [load.span, stand.span])
        else:
            account.say(
                "idle", f"GPU {load.rank} idles at {load.percent:g} % beside a busy one", [load.rank], [load.span]
            )
        if not any(fact.name == "symptom.rank_idle" for fact in facts):
            account.derive("symptom.rank_idle", True, notable=True)
            account.derive("symptom.rank_busy", True, notable=True)


def _in_use(load: Utilisation) -> bool:
    return (load.memory_mib or 0) >= _IN_USE_MIB


# time


def _tell_beats(account: Account, beats: list[Beat]) -> None:
    """Sources whose periodic line ended at one moment while something else of theirs, or of others, went on."""
    steady = [beat for beat in beats if beat.kind in _STEADY]
    ended = [beat for beat in steady if beat.last_s is not None and beat.count > 1 and _went_on(beat, beats)]
    ended.sort(key=lambda beat: beat.last_s or 0.0)
    if not ended:
        return
    first, last = ended[0].last_s or 0.0, ended[-1].last_s or 0.0
    names = ", ".join(dict.fromkeys(beat.source for beat in ended))
    kinds = " and ".join(dict.fromkeys(beat.kind for beat in ended))
    apart = last - first
    interval = max(beat.interval_s or 0.0 for beat in ended)
    if len(ended) > 1 and apart <= max(_TOGETHER_S, interval):
        says = f"{kinds} of {names} stopped within {apart:g} s of one another, last at {_clock(last)}"
    else:
        says = f"{kinds} of {names} stopped, last at {_clock(last)}"
    account.say("stopped", says, (), [beat.span for beat in ended])


def _went_on(beat: Beat, beats: list[Beat]) -> bool:
    """Whether lines came after this beat's last for longer than it ever paused."""
    pause = max(3 * (beat.interval_s or 10.0), 30.0)
    after = [one.file_last_s - (beat.last_s or 0.0) for one in beats if one.file_last_s is not None]
    return any(pause < seconds < _DAY_S for seconds in after)  # files may count from different years


def _clock(seconds: float) -> str:
    day = int(seconds) % 86_400
    return f"{day // 3600:02d}:{day // 60 % 60:02d}:{day % 60:02d}"


def _tell_phase(account: Account, told: Account, beats: list[Beat]) -> None:
    """Whether it happened at the group's first collectives, or after many had gone well."""
    for one in told.statements:
        words = one.collective.split(" ")
        if one.kind in ("mismatch", "missing_rank", "symmetric", "waits") and len(words) == 3:
            where, seq = accounts.group_name("" if words[0] == "?" else words[0]), int(words[1].removeprefix("#"))
            served = _served(beats)
            if seq <= _FEW:
                says = f"it is collective #{seq} of {where}: at the first steps, not after long service"
            elif seq > _MANY or served:
                says = f"{seq - 1} collectives of {where} came before{served}: in service, not at the first sample"
            else:
                return
            account.say("phase", says, (), one.spans[:1], one.collective)
            return


def _served(beats: list[Beat]) -> str:
    """`, in 92 minutes of Decode batch lines`; "" for less than ten minutes."""
    spells = [((beat.last_s or 0.0) - beat.first_s, beat.kind) for beat in beats if beat.first_s is not None]
    longest, kind = max(spells, default=(0.0, ""))
    return f", in {longest / 60:.0f} minutes of {kind} lines" if longest >= _LONG_S else ""


# what is missing


def _tell_gaps(
    account: Account,
    standing: dict[str, Stand],
    captures: list[Stand],
    groups: list[joins.Group],
    everybody: Sequence[str],
) -> None:
    """What the evidence does not allow to say, and what would."""
    if account.kinds & {"missing_rank", "mismatch", "root_cause"}:
        return
    spoke = in_order({rank for group in groups for rank in group.ranks} | set(standing))
    if len(spoke) == 1 and len(everybody) < 2 and "unknown" not in account.kinds:
        says = f"only {spoken(spoke)} speaks: which rank is missing takes a log, a dump or a stack of the others"
        account.say("unknown", says, spoke)
    for group in groups:
        quiet = [rank for rank in everybody if rank.isdigit() and rank not in group.ranks and not group.members]
        if quiet and len(group.ranks) == 1 and joins.waiting(group):
            where = accounts.group_name(group.name)
            says = f"nothing here says how far {spoken(quiet)} is in {where}: its flight-recorder dump would"
            account.say("unknown", says, quiet, group.spans.values())
    if standing and "stuck" not in account.kinds and len(captures) == len(standing):
        says = (
            f"{spoken(standing)} {verb(standing, 'was', 'were')} captured once: "
            "a second capture half a minute later tells waiting from passing through"
        )
        account.say("unknown", says, standing)
    if not account.statements:
        account.say("unknown", "neither stacks nor dumps are here: what each rank waits for is not known")
