"""Collectives as ranks saw them: the common tongue of flight-recorder dumps, watchdog lines and RAS answers."""

from __future__ import annotations

from typing import Literal

from advisor.model.fact import Origin, Span
from advisor.model.late import dataclass

State = Literal["scheduled", "started", "completed", "timed_out", "unknown"]


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective on one rank. `group` is the process group's description (`pp_broadcast`) or its name when it has
    none; `seq` counts within the group, as the flight recorder and the watchdog do; -1 when not known.

    `guid` is what the watchdog and the recorder call the group on all ranks alike (`2` in `PG GUID 2(pp_broadcast)` and
    in `["2", "pp_broadcast"]`), "" when not said: two groups may bear one description.

    `op` is as printed, lower case (`_all_gather_base`, `broadcast`); `sizes` are element counts of the inputs, `dtypes`
    beside them, empty when not known. `created_ns` is the host's clock when it was posted, None when not known.
    `frames` are the innermost Python frames that posted it, as `function (file:line)`.
    """

    rank: str
    group: str
    seq: int
    op: str
    sizes: tuple[int, ...] = ()
    dtypes: tuple[str, ...] = ()
    state: State = "unknown"
    created_ns: int | None = None
    frames: tuple[str, ...] = ()
    span: Span | None = None
    origin: Origin = "observed"
    guid: str = ""

    @property
    def is_transfer(self) -> bool:
        return is_transfer(self.op)


def is_transfer(op: str) -> bool:
    """Whether it is one side of a transfer between two ranks: the recorder's `send 0->1`, the watchdog's `send`."""
    return op[:4] in ("send", "recv") and (op[4:5] in ("", " ") or op == "recvanysource")


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """How far one rank is in one group, named as in `Collective`. Each number is a sequence number, None when not said;
    -1 in print means "none yet" and is kept as None, but as 0 in the recorder's count of what was enqueued. `members`
    are the group's ranks when known, `source` says who said it.
    """

    rank: str
    group: str
    last_enqueued: int | None = None
    last_started: int | None = None
    last_completed: int | None = None
    members: tuple[str, ...] = ()
    source: Literal["flight_recorder", "watchdog", "ras"] = "watchdog"
    span: Span | None = None
    guid: str = ""


@dataclass(frozen=True, slots=True)
class Utilisation:
    """One device at one moment: percent busy and watts, None when not shown; `limit_w` the power cap."""

    rank: str
    percent: float | None = None
    power_w: float | None = None
    limit_w: float | None = None
    memory_mib: float | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """A periodic line of one rank or server: how often it came, the first and last time, and the last line any source
    of that file printed. Times are seconds since the epoch when dated, else since midnight; None when not known.
    """

    source: str
    kind: str
    count: int
    interval_s: float | None
    first_s: float | None
    last_s: float | None
    file_last_s: float | None
    span: Span | None = None
