"""Logs and `/metrics` -> for how long they watch, and whether a counter grew: what a verification asks of evidence.

10:44:31 … 11:50:02, never silent for 10 minutes               -> 3931 s watched
vllm:generation_tokens_total 18231.0, then 20117.0             -> grew
100, 200, 200 while requests run                               -> stood still

**Source:** no text of its own: times are those of `moments`, samples those of `metrics`, and what prints them is named
there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from advisor.evidence.lines import lines
from advisor.evidence.metrics import RUNNING
from advisor.evidence.moments import moment_of, on_one_scale
from advisor.evidence.snapshots import Snapshot, labels_of, snapshots
from advisor.model.fact import Artifact

_SILENT_S = 600.0  # a log that says nothing for longer watches nothing meanwhile


def watched_s(artifacts: Sequence[Artifact]) -> float | None:
    """Seconds of the longest stretch that the logs cover without a silence of ten minutes; None when no line of them
    bears a time.

    Logs that are dated go on in each other where one begins before the other has been silent for so long; of those
    without a date the longest counts by itself.
    """
    dated: list[tuple[float, float]] = []
    longest: float | None = None
    for one in artifacts:
        for start, end, has_day in _stretches(one.text) if one.kind == "log" else ():
            longest = max(longest or 0.0, end - start)
            dated += [(start, end)] if has_day else []
    merged: list[tuple[float, float]] = []
    for start, end in sorted(dated):
        if merged and start - merged[-1][1] <= _SILENT_S:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return None if longest is None else max([longest, *(end - start for start, end in merged)])


def _stretches(text: str) -> Iterator[tuple[float, float, bool]]:
    """The stretches of one log between long silences, and whether its times bear a day."""
    found = [moment for row in lines(text) if (moment := moment_of(row.text))]
    for has_day in (True, False):
        moments = [one for one in found if one.dated is has_day]
        times = on_one_scale(moments)
        if not has_day:
            times = _past_midnight(times)
        start = end = None
        for time in times:
            if end is None or start is None:
                start = end = time
            elif 0 <= time - end <= _SILENT_S:
                end = time
            elif time - end > _SILENT_S or end - time > _SILENT_S:
                yield start, end, has_day
                start = end = time
        if start is not None and end is not None:
            yield start, end, has_day


def _past_midnight(times: list[float]) -> list[float]:
    """Clock times of one log counted on past midnight."""
    days, counted = 0.0, []
    for before, time in zip([None, *times], times, strict=False):
        days += 86_400.0 if before is not None and before - time > 43_200.0 else 0.0
        counted.append(time + days)
    return counted


def grew(artifacts: Sequence[Artifact], counter: str) -> tuple[bool | None, int]:
    """Whether the counter grew between each two snapshots of a server while requests ran, and in how many it stands.

    Every series of it is judged by itself: one that stands still while another grows is False. None where nothing can
    be told: fewer than two snapshots of one server, or nothing says that requests ran; a fall is a new start, and
    nothing is compared over it.
    """
    name = counter.rpartition(":")[2]
    verdicts: list[bool | None] = []
    count = 0
    for taken in _servers(artifacts, name):
        count += len(taken)
        for key in {key for one in taken for key in one.samples if key[0] == name}:
            verdicts.append(_series(taken, key))
    if False in verdicts:
        return False, count
    return (True if verdicts and None not in verdicts else None), count


def _servers(artifacts: Sequence[Artifact], name: str) -> list[list[Snapshot]]:
    """The snapshots that hold the counter: those of one file together, single ones where they can be one server's."""
    each = [[one for one in snapshots(artifact) if _holds(one, name)] for artifact in artifacts]
    whole = [taken for taken in each if len(taken) > 1]
    single = [taken[0] for taken in each if len(taken) == 1]
    if all(one.time is not None for one in single):
        single.sort(key=lambda one: one.time or 0.0)
    while single:
        series = {key for key in single[0].samples if key[0] == name}
        whole.append([one for one in single if series & one.samples.keys()])
        single = [one for one in single if not series & one.samples.keys()]
    return whole


def _holds(snapshot: Snapshot, name: str) -> bool:
    return any(key[0] == name for key in snapshot.samples)


def _series(taken: list[Snapshot], key: tuple[str, str]) -> bool | None:
    verdict: bool | None = None
    held = [one for one in taken if key in one.samples]
    for before, after in pairwise(held):
        was, now = before.samples[key].value, after.samples[key].value
        if now > was:
            verdict = True
        elif now == was and _running(after, key[1]):
            return False
        else:
            verdict = None  # a new start, or nothing that has to move: what came before does not count for it
    return verdict


def _running(snapshot: Snapshot, labels: str) -> float | None:
    """How many requests ran in the series' own engine; None when the snapshot does not say."""
    engine = labels_of(labels).get("engine")
    found = [
        one.value
        for one in snapshot.samples.values()
        if one.name in RUNNING and labels_of(one.labels).get("engine") == engine
    ]
    return sum(found) if found else None
