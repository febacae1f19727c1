"""The throughput lines that engines print at an interval -> did they stop, or go on with nothing moving?

    [2026-08-02 10:11:12 TP0] Decode batch, #running-req: 8, #token: 4096, ..., gen throughput (token/s): 38.40
    INFO 10-06 04:51:05 [loggers.py:118] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput:
        41.2 tokens/s, Running: 3 reqs, Waiting: 0 reqs, ...
    [2026-08-19 13:44:49 DP0] Avg thr (in/out): 21.0 / 41.2 tokens/s, ..., Engine (running/waiting): 8 / 0

`beats` tells of every periodic line, also of those that judge nothing here (prefills, speculation, health probes), who
printed it, how often, and when it stopped: several files whose beats stop in one second stopped together.

Silence is no symptom by itself: an idle vLLM or LMDeploy prints nothing, and SGLang prints only while it decodes.
`symptom.heartbeat_stopped` wants requests running at the last beat and later lines more than three intervals on, and of
SGLang a watchdog's word besides. `symptom.hang` wants at least six last beats over most of a minute, with requests
running and a throughput of zero.

**Source:** SGLang 0.5.17 `managers/scheduler_components/metrics_reporter.py`; vLLM `v1/metrics/loggers.py`
(`LoggingStatLogger.log`); LMDeploy 0.18.0 `lmdeploy/metrics/loggers.py` (`LoggingStatLogger.log`); uvicorn
`protocols/http/h11_impl.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from advisor.evidence.lines import line_around, lines, rank_of, speaker_of
from advisor.evidence.moments import Moment, clock_of, moment_of, on_one_scale
from advisor.evidence.sighting import sighting, span_of
from advisor.model.collective import Beat
from advisor.model.fact import Artifact, Fact, FactKind
from advisor.model.late import dataclass
from advisor.model.shape import Shape

FACTS = (
    FactKind(
        "symptom.heartbeat_stopped",
        "bool",
        "the periodic throughput line stopped while the process went on",
        "Does the engine still print its throughput line (`Decode batch`, `Avg prompt throughput`, `Avg thr`)?",
        "tail -n 50 LOG",
    ),
)

_MARKS = ("Decode batch", "Avg prompt throughput:", "Avg thr (in/out):")
_OTHERS = ("Prefill batch", "SpecDecoding metrics:", "KV Transfer metrics:", '"GET /health', '"GET /metrics')
MARKS = (*_MARKS, *_OTHERS)
_ENGINE = Shape(r"\b(Engine \d{3}):")  # Engine 000: Avg prompt throughput
_RUNNING = Shape(r"#running-req: (\d{1,18})|Running: (\d{1,18}) reqs|running/waiting\): (\d{1,18}) /")
_N = r"(\d{1,18}(?:\.\d+)?)"
_RATES = Shape(
    rf"gen throughput \(token/s\): {_N}|prompt throughput: {_N} tokens/s, Avg generation throughput: {_N}|"
    rf"in/out\): {_N} / {_N}"
)
_DAY_S = 86_400.0
Clock = tuple[str, bool]  # as `clock_of` tells it
MAX_BEATS = 2_000
_MAX_COUNTED = 10_000
_LEAST_BEATS = 3
_STILL_BEATS = 6
_STILL_S = 50.0
_LEAST_SILENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Pulse:
    """One throughput line: when, how many requests ran, whether any token moved. None where the line does not say."""

    at: int
    moment: Moment | None
    running: int | None
    moving: bool | None
    mark: str

    @property
    def seconds(self) -> float | None:
        return self.moment.seconds if self.moment else None


@lru_cache(maxsize=2)  # of the text being read
def pulses(text: str, marks: tuple[str, ...] = _MARKS, most: int = MAX_BEATS) -> dict[tuple[str, str], list[Pulse]]:
    """The last pulses, in order, of each source and mark. A source is a pod, rank or engine; "" when none is named."""
    found: dict[tuple[str, str], list[Pulse]] = {}
    for mark in marks:
        for at in _last(text, mark, most):
            row = line_around(text, at)
            running, rates = _RUNNING.search(row.text[:4000]), _RATES.search(row.text[:4000])
            pulse = Pulse(
                at,
                moment_of(row.text),
                int(next(filter(None, running.groups()))) if running else None,
                any(float(rate) > 0 for rate in rates.groups() if rate) if rates else None,
                mark,
            )
            found.setdefault((_source(row.text), mark), []).append(pulse)
    return found


def _source(row: str) -> str:
    engine = _ENGINE.search(row[:400])
    named = rank_of(row) or (engine.group(1) if engine else None)
    return " ".join(filter(None, (speaker_of(row), named)))


def _last(text: str, mark: str, most: int) -> list[int]:
    """The last places of `mark`, in order: older beats decide nothing."""
    found: list[int] = []
    at = text.rfind(mark)
    while at >= 0 and len(found) < most:
        found.append(at)
        at = text.rfind(mark, 0, at)
    return found[::-1]


def beats(artifact: Artifact) -> tuple[Beat, ...]:
    """A Beat for each source and kind of periodic line. Of very long logs the last lines of a kind alone are counted.

    `source` falls back to the rank of the file, then to its name; `kind` is the mark. Times without a year count as if
    it were 1970, times without a date from midnight; all of one clock in a file are on one scale.
    """
    found = pulses(artifact.text, MARKS, _MAX_COUNTED)
    if not found:
        return ()
    clocks = {source: _clock(artifact.text, each) for source, each in found.items()}
    ends = {clock: last_moment(artifact.text, clock) if clock else None for clock in set(clocks.values())}
    return tuple(_beat(artifact, key[0], each, ends[clocks[key]]) for key, each in sorted(found.items()))


def _clock(text: str, each: list[Pulse]) -> Clock | None:
    """The clock of the last of them that bears a time."""
    timed = next((pulse for pulse in reversed(each) if pulse.moment), None)
    return clock_of(line_around(text, timed.at).text) if timed else None


def _beat(artifact: Artifact, source: str, each: list[Pulse], end: Moment | None) -> Beat:
    timed = [pulse.moment for pulse in each if pulse.moment]
    gaps = _gaps(each)
    scale = on_one_scale([*timed[:1], *timed[-1:], *([end] if end else [])])
    return Beat(
        source or artifact.rank or artifact.name,
        each[-1].mark.strip('":').removesuffix(" (in/out)"),
        len(each),
        sorted(gaps)[len(gaps) // 2] if gaps else None,
        scale[0] if timed else None,
        scale[1] if timed else None,
        scale[2] if end else None,
        span_of(artifact, each[-1].at),
    )


def _gaps(each: list[Pulse]) -> list[float]:
    """Seconds from each pulse to the next."""
    return [
        (b.seconds - a.seconds) % _DAY_S for a, b in pairwise(each) if a.seconds is not None and b.seconds is not None
    ]


def read(artifact: Artifact, alarm: int | None) -> Iterator[Fact]:
    """`symptom.heartbeat_stopped` and `symptom.hang` where the beats say so; `alarm` is where a watchdog spoke."""
    for each in pulses(artifact.text).values():
        clock = _clock(artifact.text, each)
        if stopped(each, last_moment(artifact.text, clock) if clock else None, alarm):
            yield sighting(
                artifact,
                "symptom.heartbeat_stopped",
                True,
                each[-1].at,
                notable=True,
                why="the last such line; the log goes on without it",
            )
        elif (since := still(each)) is not None:
            yield sighting(
                artifact,
                "symptom.hang",
                True,
                since.at,
                notable=True,
                why="requests are running and no token moves from here on",
            )


def stopped(each: list[Pulse], end: Moment | None, alarm: int | None) -> bool:
    """Whether these beats ended while something ran and the log went on."""
    last = each[-1]
    if len(each) < _LEAST_BEATS or last.moment is None or end is None or not last.running:
        return False
    if last.mark == "Decode batch" and (alarm is None or alarm < last.at):
        return False
    gaps = _gaps(each)
    return bool(gaps) and _between(last.moment, end) > max(3 * sorted(gaps)[len(gaps) // 2], _LEAST_SILENCE_S)


def still(each: list[Pulse]) -> Pulse | None:
    """The first of the last beats in which nothing moves although requests run; None when that is too short to tell."""
    first = len(each)
    while first and each[first - 1].running and each[first - 1].moving is False:
        first -= 1
    quiet = each[first:]
    if len(quiet) < _STILL_BEATS or quiet[0].moment is None or quiet[-1].moment is None:
        return None
    return quiet[0] if _between(quiet[0].moment, quiet[-1].moment) >= _STILL_S else None


def _between(first: Moment, last: Moment) -> float:
    start, end = on_one_scale([first, last])
    return end - start


def last_moment(text: str, clock: Clock) -> Moment | None:
    """The time of the last line that bears one by this clock, among the last few hundred."""
    tail = list(lines(text, max(0, len(text) - 65_536)))
    return next((moment_of(row.text) for row in reversed(tail) if clock_of(row.text) == clock), None)
