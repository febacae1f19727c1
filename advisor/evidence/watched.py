"""Logs and `/metrics` -> for how long they watch, and whether a counter grew: what a verification asks of evidence.

first line 10:44:31, last line 11:50:02                        3931 s watched
vllm:generation_tokens_total 18231.0, then 20117.0             grew
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from advisor.evidence.lines import lines
from advisor.evidence.moments import Moment, moment_of, on_one_scale
from advisor.evidence.snapshots import Snapshot, snapshots
from advisor.model.fact import Artifact

_LOOKED_AT = 400  # lines at either end of a log in which a time is looked for


def watched_s(artifacts: Sequence[Artifact]) -> float | None:
    """Seconds that the logs cover together, each from its first time to its last; None when none bears two times.

    Several logs of one stretch count once, where they are dated; of those without a date the longest counts.
    """
    dated: list[tuple[float, float]] = []
    longest = None
    for one in artifacts:
        ends = _ends(one.text) if one.kind == "log" else None
        if ends is None:
            continue
        start, end = on_one_scale(list(ends))
        length = end - start if end >= start or ends[0].dated else end - start + 86_400.0  # past midnight
        longest = max(longest or 0.0, length)
        if ends[0].dated:
            dated.append((start, end))
    together = _union(dated)
    return None if longest is None else max(longest, together)


def _ends(text: str) -> tuple[Moment, Moment] | None:
    first = next((found for row in islice(lines(text), _LOOKED_AT) if (found := moment_of(row.text))), None)
    tail = text[-200 * _LOOKED_AT :].split("\n")[-_LOOKED_AT:]
    last = next((found for row in reversed(tail) if (found := moment_of(row))), None)
    return (first, last) if first and last and first.dated == last.dated else None


def _union(stretches: list[tuple[float, float]]) -> float:
    total, until = 0.0, float("-inf")
    for start, end in sorted(stretches):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def grew(artifacts: Sequence[Artifact], counter: str) -> tuple[bool | None, int]:
    """Whether the counter was greater in the last snapshot than in the first, and in how many snapshots it stands.

    None with fewer than two, and where it fell: the server was started anew in between.
    """
    name = counter.rpartition(":")[2]
    taken = [one for artifact in artifacts for one in snapshots(artifact) if _of(one, name) is not None]
    if all(one.time is not None for one in taken):
        taken.sort(key=lambda one: one.time or 0.0)
    values = [value for one in taken if (value := _of(one, name)) is not None]
    if len(values) < 2 or values[-1] < values[0]:
        return None, len(values)
    return values[-1] > values[0], len(values)


def _of(snapshot: Snapshot, name: str) -> float | None:
    found = [one.value for one in snapshot.samples.values() if one.name == name]
    return sum(found) if found else None
