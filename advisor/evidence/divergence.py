"""The evidence of all ranks -> what is going on, and the facts that follow from comparing them.

    rank 1 waits in a gloo broadcast; rank 0 launched _all_gather_base #201 of the default group, which rank 1 never
    joined

It fuses flight-recorder dumps and watchdog lines (`joins`), stacks (`waits`), exceptions and memory (`failures`), loads
of devices and the periodic lines of servers. Every rank is compared by its number, whatever its evidence calls it. A
GPU's index is a rank only where all readings are of one node, and the ranks that speak fit the GPUs in use. No
statement: nothing is wrong, or nothing here can tell; healthy evidence yields none, since a capture of a busy server
looks like any other until something says that it stands still.

Facts: those of `accounts`, `stack.unchanged`, `symptom.rank_busy` and `symptom.rank_idle`.

**Source:** the readers beside this file name theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence import accounts, failures, joins, pairs, waits
from advisor.evidence.accounts import Account
from advisor.evidence.moments import clock_of
from advisor.evidence.ranks import Ranks, in_order, spelling, spoken, verb
from advisor.evidence.reading import Evidence
from advisor.evidence.timeline import timeline
from advisor.evidence.waits import Stand
from advisor.model.collective import Beat, Collective, Utilisation
from advisor.model.fact import Artifact, Fact
from advisor.model.posted import Column, Posted
from advisor.model.shape import Shape
from advisor.model.situation import Statement
from advisor.model.timeline import Timeline

_STANDSTILL = frozenset(
    {"symptom.hang", "symptom.watchdog", "symptom.timeout", "symptom.heartbeat_stopped", "symptom.ranks_split"}
)
_BUSY, _IDLE, _IN_USE_MIB = 95.0, 1.0, 1_000.0
_SPIN_BELOW = 0.35  # of the power limit
_DOING = {True: ("waits", "wait"), False: ("stands", "stand")}
_TOGETHER_S = 2.0
_STEADY = frozenset({"Decode batch", "Avg prompt throughput", "Avg thr"})  # the others come when there is reason to
_MOST_SOURCES = 8
_BY_TOOL = Shape(
    r"(?:.*[/!])?(?:(?:nvidia|rocm|npu|smi|info|dmon|query|q|csv|gpu|gpus)[-_. ]?)+(?:\.?(?:txt|log|csv))?$"
)
_HEAD = 2_000  # characters of a line in which its time stands
_FEW = 10
_MANY = 1_000
_LONG_S = 600.0


def situation(evidence: Sequence[Evidence]) -> tuple[tuple[Statement, ...], tuple[Fact, ...]]:
    """What can be said of the case as a whole, the most telling first, and what follows from it."""
    statements, facts, _ = fused(evidence)
    return statements, facts


def fused(evidence: Sequence[Evidence]) -> tuple[tuple[Statement, ...], tuple[Fact, ...], tuple[Timeline, ...]]:
    """The situation, and where there is something to say the pictures of who stopped when."""
    facts = [fact for one in evidence for fact in one.facts]
    loads = [load.rank for one in evidence for load in one.loads if not load.rank.isdigit()]
    speaking = _names(evidence)
    names = {*speaking, *loads}
    several = any("DP" in name and "TP" in name for name in names)
    ranks = Ranks(names, spelling(one.artifact.text for one in evidence) if several else "")
    everybody = in_order({ranks.of(name) for name in speaking})
    captures = waits.stands(((one.artifact, one.threads) for one in evidence), ranks)
    again = waits.unchanged(captures)
    stuck = {rank for rank, same in again.items() if same}
    standing = waits.latest(captures)
    raised = failures.failures(facts, ranks)
    still = any(fact.name in _STANDSTILL and fact.notable and fact.value is True for fact in facts)
    collectives = [one for each in evidence for one in _by_group(each.collectives)]
    statuses = [status for one in evidence for status in one.statuses]
    groups = joins.groups(collectives, statuses, ranks) if collectives or statuses else []

    account = Account()
    rooted = failures.tell(account, raised)
    told = accounts.tell(groups, standing, still)
    if collectives:
        accounts.tell_pairs(told, pairs.alone(collectives, joins.members_of(statuses, ranks), ranks))
    _join(account, told, rooted)
    troubled = still or rooted or bool(told.kinds - {"unknown"})
    _tell_places(account, standing, stuck, captures, troubled)
    troubled = troubled or "waits" in account.kinds
    if troubled:
        _tell_loads(account, _devices(evidence, ranks, everybody), standing, facts)
        accounts.tell_ras(account, statuses)
        beats = [beat for one in evidence for beat in one.beats]
        _tell_beats(account, evidence)
        _tell_phase(account, told, beats)
        if not rooted:
            failures.tell_echoes(account, raised)
    if any(fact.name == "symptom.oom" for fact in facts):
        failures.tell_memory(account, [one.artifact for one in evidence if one.artifact.kind == "log"], ranks)
    if troubled:
        _tell_gaps(account, standing, captures, again, groups, everybody)
    pictures = timeline(evidence, ranks, standing, groups) if account.statements else ()
    return tuple(account.statements), tuple(account.facts), pictures


def _by_group(collectives: Sequence[Collective]) -> Sequence[Collective | Column]:
    """A dump's collectives group by group; those of a log one by one."""
    return collectives.columns() if isinstance(collectives, Posted) else collectives


def _names(evidence: Sequence[Evidence]) -> set[str]:
    """Every name under which a rank speaks."""
    names: set[str | None] = set()
    for one in evidence:
        names.add(one.artifact.rank)
        names.update(thread.rank for thread in one.threads)
        names.update(fact.rank for fact in one.facts)
        first = one.collectives[:1] if isinstance(one.collectives, Posted) else one.collectives
        names.update({each.rank for each in first})
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


@dataclass(frozen=True)
class _Device:
    """The last load that a reading shows of a device; `rank` is "" when not known."""

    name: str
    rank: str
    file: str
    load: Utilisation

    @property
    def percent(self) -> float:
        return self.load.percent or 0.0


def _devices(evidence: Sequence[Evidence], ranks: Ranks, everybody: Sequence[str]) -> list[_Device]:
    """Every device by reading: GPU 1 of one node is not that of another."""
    readings = [
        (one.artifact, last)
        for one in evidence
        if (last := {load.rank: load for load in one.loads if load.percent is not None})
    ]
    if len(readings) > 1 and _of_one_node([artifact.name for artifact, _ in readings]):
        readings = [(readings[-1][0], {index: load for _, last in readings for index, load in last.items()})]
    files = [artifact.name for artifact, _ in readings]
    found: list[_Device] = []
    for artifact, last in readings:
        of = str(artifact.span(0)) if files.count(artifact.name) > 1 else artifact.name
        used = {index for index, load in last.items() if _in_use(load) or load.memory_mib is None}
        fits = len(readings) == 1 and not artifact.rank and _fit({*filter(str.isdigit, everybody)}, used, set(last))
        for index, load in last.items():
            name, rank = f"GPU {index}" + (f" ({of})" if len(readings) > 1 else ""), ""
            if not index.isdigit():
                rank = ranks.of(index)
                name = f"the GPU of {spoken([rank])}"
            elif artifact.rank:
                rank = ranks.of(artifact.rank) if used == {index} else ""
            elif fits:
                rank = index
            found.append(_Device(name, rank, of, load))
    return found


def _of_one_node(names: list[str]) -> bool:
    """Whether these are readings by several tools that were put side by side: one folder, and no name of a node."""
    folders = {name.rpartition("/")[0] for name in names}
    return len(folders) == 1 and len(set(names)) == len(names) and all(_BY_TOOL.match(name) for name in names)


def _fit(speaking: set[str], used: set[str], shown: set[str]) -> bool:
    """Whether GPU indices may be the numbers of the ranks that speak: not where only 2 and 3 work and 0 and 1 speak."""
    return speaking <= shown and (speaking <= used or used <= speaking)


def _tell_loads(account: Account, devices: list[_Device], standing: dict[str, Stand], facts: list[Fact]) -> None:
    """Which devices spin and which wait for their host."""
    busy = [one for one in devices if one.percent >= _BUSY]
    idle = [one for one in devices if one.percent <= _IDLE and _in_use(one.load)]
    for one in busy:
        load = one.load
        if load.power_w is not None and load.limit_w and load.power_w < _SPIN_BELOW * load.limit_w:
            drawn = f"{load.power_w:g} W of {load.limit_w:g} W"
            says = f"{one.name} is {one.percent:g} % busy at {drawn}: it waits inside a kernel, it does not compute"
            account.say("spin", says, _known(one), [load.span])
    for one in idle:
        if not any(other.file == one.file or (other.rank and one.rank) for other in busy):
            continue
        stand = standing.get(one.rank)
        if stand and stand.place in ("host", "work", "sleep", "nccl"):
            says = f"{one.name} idles at {one.percent:g} % while rank {one.rank} waits {stand.words}"
            account.say("host_wait", says, _known(one), [one.load.span, stand.span])
        else:
            says = f"{one.name} idles at {one.percent:g} % beside a busy one"
            account.say("idle", says, _known(one), [one.load.span])
        if not any(fact.name == "symptom.rank_idle" for fact in facts):
            account.derive("symptom.rank_idle", True, notable=True)
            account.derive("symptom.rank_busy", True, notable=True)


def _known(one: _Device) -> tuple[str, ...]:
    return (one.rank,) if one.rank else ()


def _in_use(load: Utilisation) -> bool:
    return (load.memory_mib or 0) >= _IN_USE_MIB


# time


def _tell_beats(account: Account, evidence: Sequence[Evidence]) -> None:
    """Sources whose periodic line ended while the file it stands in went on."""
    ended = [
        (beat, one.artifact)
        for one in evidence
        for beat in one.beats
        if beat.kind in _STEADY and beat.last_s is not None and beat.count > 1 and _went_on(beat)
    ]
    ended.sort(key=lambda one: one[0].last_s or 0.0)
    if not ended:
        return
    beats = [beat for beat, _ in ended]
    kinds = " and ".join(dict.fromkeys(beat.kind for beat in beats))
    names = ", ".join(dict.fromkeys(beat.source for beat in beats))
    apart = (beats[-1].last_s or 0.0) - (beats[0].last_s or 0.0)
    interval = max(beat.interval_s or 0.0 for beat in beats)
    last = f"last at {_clock(beats[-1].last_s or 0.0)}"
    if len(beats) == 1:
        says = f"{kinds} of {names} stopped, {last}"
    elif apart <= max(_TOGETHER_S, interval) and _by_one_clock(ended):
        says = f"{kinds} of {names} stopped within {apart:g} s of one another, {last}"
    else:
        says = f"{kinds} stopped: {_each_last(ended)}"
    account.say("stopped", says, (), [beat.span for beat in beats])


def _each_last(ended: Sequence[tuple[Beat, Artifact]]) -> str:
    """`TP0 last at 10:04:55, TP1 last at 10:16:35`: no file's time is another's."""
    files: dict[str, set[str]] = {}
    for beat, artifact in ended:
        files.setdefault(beat.source, set()).add(artifact.name)
    told = []
    for beat, artifact in ended:
        name = f"{beat.source} ({artifact.name})" if len(files[beat.source]) > 1 else beat.source
        told.append(f"{name} last at {_clock(beat.last_s or 0.0)}")
    more = [f"and {len(told) - _MOST_SOURCES} more"] if len(told) > _MOST_SOURCES else []
    clocks = [] if _by_one_clock(ended) else ["each by a clock of its own"]
    return ", ".join([*told[:_MOST_SOURCES], *more, *clocks])


def _by_one_clock(ended: Sequence[tuple[Beat, Artifact]]) -> bool:
    """Whether the times of these files can be compared; a line of each says by which clock it goes."""
    one_each = {artifact.name: (beat, artifact) for beat, artifact in ended}
    return len({_clock_kind(*one) for one in one_each.values()}) == 1


def _clock_kind(beat: Beat, artifact: Artifact) -> object:
    index = artifact.index_of(beat.span.line) if beat.span else None
    rows = artifact.text.split("\n", index + 1) if index is not None else []
    return clock_of(rows[index][:_HEAD]) if index is not None and index < len(rows) else None


def _went_on(beat: Beat) -> bool:
    """Whether lines of its own file came after this beat's last for longer than it ever paused."""
    pause = max(3 * (beat.interval_s or 10.0), 30.0)
    return beat.file_last_s is not None and beat.file_last_s - (beat.last_s or 0.0) > pause


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
    again: Mapping[str, bool],
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
    if standing and not again:
        copied = len(waits.originals(captures)) < len(captures)
        once = ", for a file that came twice counts as one" if copied else ""
        says = (
            f"{spoken(standing)} {verb(standing, 'was', 'were')} captured once{once}: "
            "a second capture half a minute later tells waiting from passing through"
        )
        account.say("unknown", says, standing)
    unseen = [rank for rank in everybody if rank.isdigit() and rank not in spoke]
    if standing and unseen:
        says = f"no stack and no dump of {spoken(unseen)} is here: one tells whether it waits too, or for what"
        account.say("unknown", says, unseen)
    if not account.statements:
        account.say("unknown", "neither stacks nor dumps are here: what each rank waits for is not known")
