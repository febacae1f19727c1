"""`/metrics` of vLLM, SGLang or LMDeploy, taken once or more -> do tokens still come while requests run?

    vllm:num_requests_running{engine="0",model_name="m"} 3.0          sglang:num_running_reqs{...} 3.0
    vllm:generation_tokens_total{engine="0",model_name="m"} 18231.0   sglang:realtime_tokens_total{...} 18231.0
    lmdeploy:num_requests_running{...} 3.0                            lmdeploy:generation_tokens_total{...} 18231.0

Facts: `banner.engine` (the names say it); `metrics.requests_running` and `.requests_waiting` of the last snapshot;
with two or more, `metrics.tokens_advancing`; `symptom.hang`, derived, when requests ran all the while and nothing
moved for 30 s or more. The span of time is taken from what stands between the snapshots: `date`, a `Date:` header,
`sleep 60`, or the samples' own timestamps; where nothing says it, there is no symptom, and a note says why. A
snapshot ends where a series comes again. Several engines (`engine="1"`) are judged one by one, and such a fact bears
the rank `DP1`. Empty: no metric of these engines.

What moves with every step: in vLLM and LMDeploy `generation_tokens_total` and `iteration_tokens_total`; in SGLang
only `realtime_tokens_total`, `inter_token_latency_seconds` and the gauge `gen_throughput`, for its
`generation_tokens_total` is counted when a request *finishes* and stands still during a long answer. A long prefill
moves no token counter for a while, hence the 30 s, and hence the use of the cache, which it does move, counts as
motion.

**Source:** vLLM 0.6.3 `engine/metrics.py`, 0.8.5 and main at 005a810bc `v1/metrics/loggers.py` (the same names; Ray
puts `ray_` before and `_` for `:`, `v1/metrics/ray_wrappers.py`); SGLang 0.4.0, 0.4.3 and 0.4.6
`srt/metrics/collector.py`, 0.5.14 to 0.5.23 `srt/observability/metrics_collector.py` (`realtime_tokens_total` since
0.5.9 at the latest; `observe_one_finished_request`); LMDeploy main at 1263d5cd `lmdeploy/metrics/loggers.py`;
https://prometheus.io/docs/instrumenting/exposition_formats/ (read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from advisor.evidence.devices import Reading
from advisor.evidence.sighting import sighting, span_of
from advisor.evidence.snapshots import Sample, Snapshot, labels_of, snapshots
from advisor.model.fact import Artifact, Fact, FactKind, Note
from advisor.model.shape import Shape

_HOW = "curl -s http://HOST:PORT/metrics | grep -E '{}'"
FACTS = (
    FactKind(
        "metrics.requests_running",
        "int",
        "how many requests the engine says it is running",
        "How many requests does /metrics say are running?",
        _HOW.format("num_requests_running|num_running_reqs"),
    ),
    FactKind(
        "metrics.requests_waiting",
        "int",
        "how many requests the engine says are queued",
        "How many requests does /metrics say are waiting?",
        _HOW.format("num_requests_waiting|num_queue_reqs"),
    ),
    FactKind(
        "metrics.tokens_advancing",
        "bool",
        "whether the token counters moved between two snapshots of /metrics",
        "Do the token counters of /metrics still grow while requests run?",
        "(date; curl -s http://HOST:PORT/metrics; sleep 60; date; curl -s http://HOST:PORT/metrics) > metrics.txt",
    ),
)

FROZEN_FROM_S = 30.0

_MINE = Shape(r"^(?:(?:vllm|sglang|lmdeploy):[a-z]\w*[ {]|(?:ray_(?:vllm|sglang)|sglang)_[a-z]\w*\{)", 8)  # re.M

RUNNING = ("num_requests_running", "num_running_reqs")
WAITING = ("num_requests_waiting", "num_queue_reqs")
# What moves with every step, and what else shows that something moves.
_STEPS = ("generation_tokens_total", "iteration_tokens_total_sum", "iteration_tokens_total_count")
LIVE = {
    "vllm": _STEPS,
    "lmdeploy": _STEPS,
    "sglang": (
        "realtime_tokens_total",
        "inter_token_latency_seconds_sum",
        "inter_token_latency_seconds_count",
        "gen_throughput",
    ),
}
MOVING = (
    "prompt_tokens_total",
    "generation_tokens_total",
    "request_success_total",
    "kv_cache_usage_perc",
    "gpu_cache_usage_perc",
    "num_used_tokens",
    "token_usage",
    *RUNNING,
)


def mine(text: str) -> bool:
    """Whether samples of these engines stand in the first 256 KiB; histograms of other programs may come first."""
    return _MINE.search(text[:262144]) is not None


def read(artifact: Artifact) -> Reading:
    """Everything that the snapshots of one artifact say."""
    taken = snapshots(artifact)
    notes = list(_notes(artifact, taken))
    return Reading((*_state(taken), *_progress(taken)), (), (), tuple(notes))


def across(artifacts: Sequence[Artifact]) -> tuple[Fact, ...]:
    """What two or more files of one server say together. Files of different servers, as their labels, ranks or counters
    tell, say nothing together.
    """
    each = [snapshots(one) for one in artifacts if mine(one.text)]
    taken = [snapshot for one in each for snapshot in one]
    if len(each) < 2 or len({one.rank for one in artifacts}) > 1:
        return ()
    if all(one.time is not None for one in taken):
        taken.sort(key=lambda one: one.time or 0.0)
    elif not _follows(taken[0], taken[-1]):
        taken.reverse()
    if not all(_follows(before, after) for before, after in pairwise(taken)):
        return ()
    return tuple(_progress(taken))


def _follows(before: Snapshot, after: Snapshot) -> bool:
    """Whether the second can be of the same server, later: the same series, and no counter that falls."""
    shared = [key for key in before.samples if key in after.samples and key[0].endswith(("_total", "_sum", "_count"))]
    started = [key for key in before.samples if key in after.samples and key[0].endswith("_created")]
    return (
        bool(shared)
        and all(before.samples[key].value <= after.samples[key].value for key in shared)
        and all(before.samples[key].value == after.samples[key].value for key in started)
    )


def _state(taken: list[Snapshot]) -> Iterator[Fact]:
    if not taken:
        return
    first = next(iter(taken[-1].samples.values()))
    yield sighting(first.artifact, "banner.engine", first.engine, first.at)
    for name, wanted in (("metrics.requests_running", RUNNING), ("metrics.requests_waiting", WAITING)):
        for part in _parts(taken[-1]):
            found = _gauges(taken[-1], wanted, part)
            if found:
                total = int(sum(one.value for one in found))
                yield sighting(found[0].artifact, name, total, found[0].at).but(rank=_rank(part))


def _parts(snapshot: Snapshot) -> list[str]:
    """The engines told apart; [""] when there is one."""
    parts = sorted({one.part for one in snapshot.samples.values()} - {""})
    return parts if len(parts) > 1 else [""]


def _rank(part: str) -> str | None:
    return f"DP{part[:20]}" if part else None


def _of(snapshot: Snapshot, names: Sequence[str], part: str) -> list[Sample]:
    return [one for one in snapshot.samples.values() if one.name in names and (not part or one.part == part)]


def _gauges(snapshot: Snapshot, names: Sequence[str], part: str) -> list[Sample]:
    """One sample for each engine: ranks of one engine say the same thing over again."""
    kept: dict[str, Sample] = {}
    for one in _of(snapshot, names, part):
        labels = labels_of(one.labels)
        key = labels.get("engine") or labels.get("dp_rank") or ""
        if key not in kept or kept[key].value < one.value:
            kept[key] = one
    return list(kept.values())


def _progress(taken: list[Snapshot]) -> Iterator[Fact]:
    for part in _parts(taken[-1]) if len(taken) > 1 else ():
        still = _still(taken, part)
        live = [one for one in _live(taken[-1], part) if (one.name, one.labels) in still[0].samples]
        moved = len(still) < 2
        if not live and not moved:
            continue  # what stands still is no counter of steps
        place = live[0] if live else next(iter(taken[-1].samples.values()))
        why = "a counter moved between the last two snapshots" if moved else _told(still, live)
        yield _derived(place, "metrics.tokens_advancing", moved, part, why)
        ran = [_gauges(one, RUNNING, part) for one in still]
        span_s = _between(still)
        if not moved and span_s is not None and span_s >= FROZEN_FROM_S and all(_sum(one) > 0 for one in ran):
            why = f"{_sum(ran[-1]):g} request(s) run, and no token counter moved for {span_s:g} s"
            yield _derived(place, "symptom.hang", True, part, why).but(notable=True)


def _still(taken: list[Snapshot], part: str) -> list[Snapshot]:
    """The last snapshots among which nothing moved."""
    start = len(taken) - 1
    while start and not _moved(taken[start - 1], taken[start], part):
        start -= 1
    return taken[start:]


def _moved(before: Snapshot, after: Snapshot, part: str) -> bool:
    names = {name for each in LIVE.values() for name in each} | set(MOVING)
    first = {(one.name, one.labels): one.value for one in _of(before, list(names), part)}
    last = {(one.name, one.labels): one.value for one in _of(after, list(names), part)}
    told = {name for name, _ in first}  # a capture may hold less than another; a new label of a known name is motion
    return any(last[key] != first[key] if key in first else key[0] in told for key in last)


def _live(snapshot: Snapshot, part: str) -> list[Sample]:
    """The counters that move with every step."""
    engine = next(iter(snapshot.samples.values())).engine
    return _of(snapshot, LIVE[engine], part)


def _told(still: list[Snapshot], live: list[Sample]) -> str:
    span_s = _between(still)
    over = f" over {span_s:g} s" if span_s is not None else ""
    return f"{live[0].name} and its kin stood still in the last {len(still)} snapshots{over}"


def _between(still: list[Snapshot]) -> float | None:
    """Seconds from the first to the last, by their times, else by what was slept between; None when nothing says it."""
    first, last = still[0].time, still[-1].time
    if first is not None and last is not None and last > first:
        return last - first
    slept = sum(one.slept for one in still[1:])
    return slept or None


def _sum(samples: list[Sample]) -> float:
    return sum(one.value for one in samples)


def _derived(place: Sample, name: str, value: bool, part: str, why: str) -> Fact:
    return sighting(place.artifact, name, value, place.at, why=why).but(origin="derived", rank=_rank(part))


def _notes(artifact: Artifact, taken: list[Snapshot]) -> Iterator[Note]:
    if not taken:
        yield Note("unreadable", "metrics of no engine known here, or cut short", span_of(artifact, 0))
    elif len(taken) > 1:
        still = _still(taken, "")
        engine = next(iter(taken[-1].samples.values())).engine
        if len(still) > 1 and not _live(taken[-1], ""):
            names = ", ".join(LIVE[engine][:2])
            yield Note(
                "hint",
                f"what stands still here says nothing of progress; keep {names} in the capture",
                span_of(artifact, 0),
            )
        elif len(still) > 1 and _between(still) is None:
            yield Note(
                "hint", "nothing says how far apart the snapshots are: put `date` before each", span_of(artifact, 0)
            )
