"""Logs and flight-recorder dumps -> what happened to each rank and when, each with every clock that its line bears.

    [2026-11-29 13:39:47 TP0] Decode batch, #running-req: 8, gen throughput (token/s): 25.60, step: 39
    [rank0]:[E1129 13:40:35.944212283 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog caught collective operation timeout:
        WorkNCCL(SeqNum=126, OpType=BROADCAST, ...) ran for 50092 milliseconds before timing out.
    [1, 126, "scheduled", 1795959585466512844]      an entry of a recorder's dump: when it was posted, in UTC

A line without a time is placed by the last one before it that has one, and says so (`exact`). What bears no time at all
is left out. `timeline` puts the sightings onto one clock.

**Source:** as in `heartbeat`, `watchdog` and `flight_recorder`; `ran for` is PyTorch 2.4 to 2.11
`torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp` (`checkTimeout`: the time since the work was made).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import pairwise

from advisor.evidence.accounts import group_name
from advisor.evidence.heartbeat import Pulse, pulses
from advisor.evidence.lines import Line, line_around, rank_of, speaker_of
from advisor.evidence.moments import Moment, clocks_of, moment_of, on_one_scale
from advisor.evidence.reading import Evidence
from advisor.evidence.sighting import line_ends, span_of
from advisor.model.collective import Collective
from advisor.model.fact import Artifact, Fact, Span
from advisor.model.late import dataclass
from advisor.model.posted import COMPLETED, Posted
from advisor.model.shape import Shape
from advisor.model.timeline import MarkKind

TIME_OF_DAY, RECORDER = "time_of_day", "recorder"

_RAN_FOR = Shape(r"\) ran for (\d{1,12}) milliseconds")
_HEAD = 2_000  # characters of a line in which its prefix stands
_LOOK_BACK = 1_000  # lines
_TRIES = 300
_MOST_FAILURES = 3  # of one rank
_LEAST_PAUSE_S = 30.0
_PENDING = frozenset({"scheduled", "started"})

Times = dict[str, Moment]
"""The times of one line by clock, as `clocks_of` tells them; `time_of_day` where it bears no date."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something seen of `rank` (as printed) in `origin` (who collected the line, else its file) at `times`, lasting
    until `ends`; `before_s` seconds earlier it began.
    """

    kind: MarkKind
    rank: str
    origin: str
    times: Times
    ends: Times
    what: str
    count: int = 1
    exact: bool = True
    before_s: float = 0.0
    key: tuple[str, int] | None = None  # group and place of a collective, by which dumps and lines are brought together
    span: Span | None = None
    file: str = field(default="", compare=False)


def sightings(evidence: Sequence[Evidence]) -> list[Sighting]:
    """Everything of all artifacts that bears a time, in the order given."""
    found: list[Sighting] = []
    for one in evidence:
        if one.artifact.kind in ("log", "stack"):
            found += _logged(one)
        elif one.artifact.kind == "recorder":
            found += _recorded(one)
    return found


def _logged(one: Evidence) -> list[Sighting]:
    artifact = one.artifact
    found = [*_beats(artifact), *_watchdogs(artifact, one.collectives), *_facts(artifact, one.facts)]
    names = {each.rank for each in found} | {each.rank or "" for each in one.facts if each.rank}
    return [*found, *(last for name in sorted(names) if (last := _last_line(artifact, name)))]


# throughput lines


def _beats(artifact: Artifact) -> Iterator[Sighting]:
    """A sighting for each run of throughput lines that say the same and follow one another."""
    for (_, mark), each in sorted(pulses(artifact.text).items()):
        first = line_around(artifact.text, each[0].at)
        rank, origin = _whose(artifact, first)
        for run in _runs(each):
            times, ends = (_times(line_around(artifact.text, pulse.at).text) for pulse in (run[0], run[-1]))
            if times and ends:
                what, span = mark.strip(':"').removesuffix(" (in/out)"), span_of(artifact, run[-1].at)
                yield Sighting(_state(run[0]), rank, origin, times, ends, what, len(run), span=span, file=artifact.name)


def _runs(each: list[Pulse]) -> Iterator[list[Pulse]]:
    """The pulses that bear a time, parted where what they say changes and where one comes late."""
    timed = [pulse for pulse in each if pulse.moment]
    scale = on_one_scale([pulse.moment for pulse in timed if pulse.moment])
    gaps = sorted(after - before for before, after in pairwise(scale))
    pause = max(3 * gaps[len(gaps) // 2], _LEAST_PAUSE_S) if gaps else _LEAST_PAUSE_S
    run: list[Pulse] = []
    last = 0.0
    for pulse, at in zip(timed, scale, strict=True):
        if run and (_state(pulse) != _state(run[-1]) or not 0 <= at - last <= pause):
            yield run
            run = []
        run.append(pulse)
        last = at
    if run:
        yield run


def _state(pulse: Pulse) -> MarkKind:
    if pulse.moving is None:
        return "alive"
    return "moving" if pulse.moving else "still" if pulse.running else "idle"


# watchdogs and failures


def _watchdogs(artifact: Artifact, collectives: Sequence[Collective]) -> Iterator[Sighting]:
    """What a watchdog of PyTorch gave up, with when that was posted."""
    for one in collectives:
        line = _line_of(artifact, one.span)
        if one.state != "timed_out" or line is None or not (times := _times(line.text)):
            continue
        ran = _RAN_FOR.search(line.text)
        seconds = int(ran[1]) / 1000 if ran else 0.0
        seen = Sighting(
            "watchdog",
            one.rank,
            _whose(artifact, line)[1],
            times,
            times,
            named(one),
            before_s=seconds,
            key=_key(one),
            span=one.span,
            file=artifact.name,
        )
        yield seen
        if seconds:
            yield replace(seen, kind="waits")


def _facts(artifact: Artifact, facts: Sequence[Fact]) -> Iterator[Sighting]:
    """Exceptions, and the watchdogs of engines."""
    count: dict[str, int] = {}
    for fact in facts:
        line = _line_of(artifact, fact.span) if fact.name in ("error.exception", "symptom.watchdog") else None
        if line is None or fact.origin != "observed" or "NCCL(SeqNum=" in line.text:
            continue
        exact, times = _times_before(artifact, line)
        rank = fact.rank or _whose(artifact, line)[0]
        failed = fact.name == "error.exception"
        if not times or (failed and count.get(rank, 0) >= _MOST_FAILURES):
            continue
        count[rank] = count.get(rank, 0) + failed
        kind: MarkKind = "failed" if failed else "watchdog"
        what = str(fact.value) if failed else ""
        origin = _whose(artifact, line)[1]
        yield Sighting(kind, rank, origin, times, times, what, exact=exact, span=fact.span, file=artifact.name)


def _times_before(artifact: Artifact, line: Line) -> tuple[bool, Times]:
    """The times of the line, or of the last one before it that bears any; whether they are its own."""
    if times := _times(line.text):
        return True, times
    for _ in range(_LOOK_BACK):
        if not line.start:
            break
        line = line_around(artifact.text, line.start - 1)
        if times := _times(line.text):
            return False, times
    return False, {}


def _last_line(artifact: Artifact, rank: str) -> Sighting | None:
    """The last line of a rank that bears a time; of a file that is one rank's, the last such line of the file."""
    text, at = artifact.text, len(artifact.text)
    whole = rank in ("", artifact.rank or "")
    literal = "\n" if whole else f"[rank{rank}]" if rank.isdigit() else rank.split()[-1]
    for _ in range(_TRIES):
        at = text.rfind(literal, 0, at)
        line = line_around(text, at + len(literal) if whole else max(at, 0))
        if not whole and at >= 0 and rank_of(line.text[:_HEAD]) != rank:
            continue
        if (at >= 0 or whole) and (times := _times(line.text)):
            origin = _whose(artifact, line)[1]
            span = span_of(artifact, line.start)
            return Sighting("last", rank, origin, times, times, "", span=span, file=artifact.name)
        if at < 0:
            return None
    return None


# flight recorder


def _recorded(one: Evidence) -> Iterator[Sighting]:
    """The last complete collective of a rank, and the first of each group that is not, when each was posted."""
    last: dict[str, Collective] = {}
    open_: dict[tuple[str, str, str], Collective] = {}
    collectives = one.collectives
    for each in _timed(collectives) if isinstance(collectives, Posted) else collectives:
        if not each.created_ns or each.seq < 0:
            continue
        if each.state == "completed":
            last[each.rank] = max(last.get(each.rank, each), each, key=lambda one: one.created_ns or 0)
        elif each.state in _PENDING:
            open_.setdefault((each.rank, each.group, each.guid), each)
    for kind, several in (("completed", last.values()), ("waits", open_.values())):
        for each in several:
            at = {RECORDER: Moment((each.created_ns or 0) / 1e9, True)}
            name = one.artifact.name
            yield Sighting(kind, each.rank, "", at, at, named(each), key=_key(each), span=each.span, file=name)  # type: ignore[arg-type]


def _timed(posted: Posted) -> Iterator[Collective]:
    """The last complete collective that bears a time, and all that are not complete."""
    rows = zip(posted.states, posted.seqs, posted.created, strict=True)
    done = (index for index, (code, seq, when) in enumerate(rows) if code == COMPLETED and seq >= 0 and when > 0)
    last = max(done, key=posted.created.__getitem__, default=None)
    yield from (posted[index] for index in posted.open())
    if last is not None:
        yield posted[last]


def named(one: Collective) -> str:
    """`broadcast #126 of group pp_broadcast`."""
    return f"{one.op} #{one.seq} of {group_name(one.group)}"


def _key(one: Collective) -> tuple[str, int]:
    return one.group, one.seq


# lines


def _whose(artifact: Artifact, line: Line) -> tuple[str, str]:
    """The rank that printed the line, as it is called there, and who collected it; the file where nobody says."""
    head = line.text[:_HEAD]
    return rank_of(head) or artifact.rank or "", speaker_of(head) or artifact.name


def _line_of(artifact: Artifact, span: Span | None) -> Line | None:
    """The line at which a span of this artifact begins."""
    index = artifact.index_of(span.line) if span is not None and span.artifact == artifact.name else None
    at = _starts(artifact, index) if index is not None else None
    return line_around(artifact.text, at) if at is not None else None


def _starts(artifact: Artifact, index: int) -> int | None:
    """Where the line of this index starts."""
    ends = line_ends(artifact.text)
    if index > len(ends):
        return None
    return ends[index - 1] + 1 if index else 0


def _times(line: str) -> Times:
    found = clocks_of(line[:_HEAD])
    if not found and (moment := moment_of(line[:_HEAD])) and not moment.dated:
        return {TIME_OF_DAY: moment}
    return found
