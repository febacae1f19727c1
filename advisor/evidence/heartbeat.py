"""The throughput lines that engines print at an interval -> did they stop, or go on with nothing moving?

    [2026-08-02 10:11:12 TP0] Decode batch, #running-req: 8, #token: 4096, ..., gen throughput (token/s): 38.40
    INFO 10-06 04:51:05 [loggers.py:118] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput:
        41.2 tokens/s, Running: 3 reqs, Waiting: 0 reqs, ...
    [2026-08-19 13:44:49 DP0] Avg thr (in/out): 21.0 / 41.2 tokens/s, ..., Engine (running/waiting): 8 / 0

Silence is no symptom by itself: an idle vLLM or LMDeploy prints nothing, and SGLang prints only while it decodes.
`symptom.heartbeat_stopped` wants requests running at the last beat and later lines more than three intervals on, and of
SGLang a watchdog's word besides. `symptom.hang` wants at least six last beats over most of a minute, with requests
running and a throughput of zero.

**Source:** SGLang 0.5.17 `managers/scheduler_components/metrics_reporter.py`; vLLM `v1/metrics/loggers.py`
(`LoggingStatLogger.log`); LMDeploy 0.18.0 `lmdeploy/metrics/loggers.py` (`LoggingStatLogger.log`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from advisor.evidence.lines import line_around, lines, rank_of
from advisor.evidence.moments import seconds_of
from advisor.evidence.shapes import Shape
from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact, FactKind

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
_RUNNING = Shape(r"#running-req: (\d{1,18})|Running: (\d{1,18}) reqs|running/waiting\): (\d{1,18}) /")
_N = r"(\d{1,18}(?:\.\d+)?)"
_RATES = Shape(
    rf"gen throughput \(token/s\): {_N}|prompt throughput: {_N} tokens/s, Avg generation throughput: {_N}|"
    rf"in/out\): {_N} / {_N}"
)
_DAY_S = 86_400.0
_MAX_BEATS = 2_000
_LEAST_BEATS = 3
_STILL_BEATS = 6
_STILL_S = 50.0
_LEAST_SILENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Beat:
    """One throughput line: when, how many requests ran, whether any token moved. None where the line does not say."""

    at: int
    seconds: float | None
    running: int | None
    moving: bool | None
    mark: str


def beats(text: str) -> dict[str, list[Beat]]:
    """The beats of each rank (`""` when no rank is named), in order."""
    found: dict[str, list[Beat]] = {}
    for mark in _MARKS:
        for at in _last(text, mark):
            row = line_around(text, at)
            running, rates = _RUNNING.search(row.text[:4000]), _RATES.search(row.text[:4000])
            beat = Beat(
                at,
                seconds_of(row.text),
                int(next(filter(None, running.groups()))) if running else None,
                any(float(rate) > 0 for rate in rates.groups() if rate) if rates else None,
                mark,
            )
            found.setdefault(rank_of(row.text) or "", []).append(beat)
    return found


def _last(text: str, mark: str) -> list[int]:
    """The last places of `mark`, in order: older beats decide nothing."""
    found: list[int] = []
    at = text.rfind(mark)
    while at >= 0 and len(found) < _MAX_BEATS:
        found.append(at)
        at = text.rfind(mark, 0, at)
    return found[::-1]


def read(artifact: Artifact, alarm: int | None) -> Iterator[Fact]:
    """`symptom.heartbeat_stopped` and `symptom.hang` where the beats say so; `alarm` is where a watchdog spoke."""
    by_rank = beats(artifact.text)
    if not by_rank:
        return
    end_s = last_seconds(artifact.text)
    for each in by_rank.values():
        if stopped(each, end_s, alarm):
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


def stopped(each: list[Beat], end_s: float | None, alarm: int | None) -> bool:
    """Whether these beats ended while something ran and the log went on."""
    last = each[-1]
    if len(each) < _LEAST_BEATS or last.seconds is None or end_s is None or not last.running:
        return False
    if last.mark == "Decode batch" and (alarm is None or alarm < last.at):
        return False
    gaps = [
        (b.seconds - a.seconds) % _DAY_S for a, b in pairwise(each) if a.seconds is not None and b.seconds is not None
    ]
    return bool(gaps) and (end_s - last.seconds) > max(3 * sorted(gaps)[len(gaps) // 2], _LEAST_SILENCE_S)


def still(each: list[Beat]) -> Beat | None:
    """The first of the last beats in which nothing moves although requests run; None when that is too short to tell."""
    first = len(each)
    while first and each[first - 1].running and each[first - 1].moving is False:
        first -= 1
    quiet = each[first:]
    if len(quiet) < _STILL_BEATS or quiet[0].seconds is None or quiet[-1].seconds is None:
        return None
    return quiet[0] if quiet[-1].seconds - quiet[0].seconds >= _STILL_S else None


def last_seconds(text: str) -> float | None:
    """The time of the last line that bears one, among the last few hundred."""
    tail = list(lines(text, max(0, len(text) - 65_536)))
    return next((seen for row in reversed(tail) if (seen := seconds_of(row.text)) is not None), None)
