"""Prometheus text of an inference engine -> snapshots of its samples, and when each was taken.

    Sun Nov 29 13:39:59 UTC 2026                                        date
    vllm:num_requests_running{engine="0",model_name="m"} 3.0
    $ sleep 60
    vllm:num_requests_running{engine="0",model_name="m"} 3.0 1764423599000

A snapshot ends where a series comes again, or where a line tells the time. Samples of other programs are passed over,
and so are values that are not finite. Empty: no sample of vLLM, SGLang or LMDeploy.

**Source:** https://prometheus.io/docs/instrumenting/exposition_formats/ (read 2026-11-29); the engines' prefixes: see
`metrics`.
"""

from __future__ import annotations

import math
from dataclasses import field
from datetime import UTC, datetime

from advisor.evidence.lines import lines
from advisor.model.fact import Artifact
from advisor.model.late import dataclass
from advisor.model.shape import Shape

MAX_SNAPSHOTS = 100
_SAMPLE = Shape(r"([A-Za-z_:][\w:]*)(\{.*\})? +([-+]?[\d.]+(?:[eE][-+]?\d+)?)(?: +(\d{10,16}))? *$")
_NAME = Shape(r"(?:(vllm|sglang|lmdeploy):|ray_(vllm|sglang)_|(sglang)_)(\w+)$")
_LABEL = Shape(r'[{,] ?(\w+)="((?:[^"\\]|\\.)*)"')
_SLEEP = Shape(r".*\bsleep +(\d{1,5})(s|m)?\b")
_EPOCH = Shape(r"(1[5-9]\d{8}|2\d{9})(?:\.\d+)?$")
_ISO = Shape(r".*?(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)")
_CTIME = Shape(r".*?\b([A-Z][a-z]{2}) +(\d{1,2}) +(\d\d):(\d\d):(\d\d)(?: [AP]M)?(?: \S+)? +(\d{4})\b")  # date
_HTTP = Shape(r".*?\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT")  # date: Wed, 19 Aug 2026 05:47:12 GMT
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of one series and where it stands."""

    engine: str
    name: str
    labels: str
    value: float
    at: int
    artifact: Artifact

    @property
    def part(self) -> str:
        """The engine of several behind one server; "" where they are not told apart."""
        return "" if self.engine == "sglang" else labels_of(self.labels).get("engine", "")


@dataclass(slots=True)
class Snapshot:
    """One answer of `/metrics`. `time` is in seconds, None when nothing says it; `slept`, what was slept before it."""

    samples: dict[tuple[str, str], Sample] = field(default_factory=dict)
    time: float | None = None
    slept: float = 0.0


def snapshots(artifact: Artifact) -> list[Snapshot]:
    """The snapshots in the text, oldest first, MAX_SNAPSHOTS of them at most (the last ones)."""
    taken = [Snapshot()]
    for line in lines(artifact.text):
        found = _SAMPLE.match(line.text)
        if found is None:
            _passed(line.text, taken)
            continue
        name = _NAME.match(found[1])
        value = _float(found[3])
        if name is None or value is None:
            continue
        sample = Sample(str(name[1] or name[2] or name[3]), name[4], found[2] or "", value, line.start, artifact)
        if (sample.name, sample.labels) in taken[-1].samples:
            taken.append(Snapshot())
        taken[-1].samples[sample.name, sample.labels] = sample
        if found[4]:
            taken[-1].time = float(found[4]) / (1000 if len(found[4]) > 10 else 1)
        if len(taken) > 2 * MAX_SNAPSHOTS:
            del taken[:MAX_SNAPSHOTS]
    return [one for one in taken if one.samples][-MAX_SNAPSHOTS:]


def _passed(row: str, taken: list[Snapshot]) -> None:
    """Take what a line between the samples says of time; it opens the next snapshot."""
    if not row or len(row) > 200 or row.startswith("# HELP") or row.startswith("# TYPE"):
        return
    slept, moment = _SLEEP.match(row), _moment(row)
    if (slept or moment is not None) and taken[-1].samples:
        taken.append(Snapshot())
    if slept:
        taken[-1].slept += float(slept[1]) * (60 if slept[2] == "m" else 1)
    if moment is not None:
        taken[-1].time = moment


def marks_time(row: str) -> bool:
    """Whether a line between samples says when they were taken: `date`, a `Date:` header, `sleep 60`."""
    return len(row) <= 200 and (_moment(row) is not None or _SLEEP.match(row) is not None)


def _moment(row: str) -> float | None:
    """When a line says it was, in seconds; zones are passed over, for only spans between two of them count."""
    epoch, iso, ctime, http = (shape.match(row) for shape in (_EPOCH, _ISO, _CTIME, _HTTP))
    try:
        if epoch:
            return float(epoch[1])
        if iso:
            return _seconds(iso[1], int(iso[2]), *iso.groups()[2:])
        if ctime and ctime[1] in _MONTHS:
            return _seconds(ctime[6], _MONTHS.index(ctime[1]) + 1, *ctime.groups()[1:5])
        if http and http[2] in _MONTHS:
            return _seconds(http[3], _MONTHS.index(http[2]) + 1, http[1], *http.groups()[3:])
    except (ValueError, OverflowError):
        return None
    return None


def _seconds(year: str, month: int, day: str, hour: str, minute: str, second: str) -> float:
    return datetime(int(year), month, int(day), int(hour), int(minute), int(second), tzinfo=UTC).timestamp()


def _float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def labels_of(text: str) -> dict[str, str]:
    """The labels of a series, by name."""
    return {found[1]: found[2] for found in _LABEL.finditer(text)}
