"""What is going on, told from the evidence alone, whether or not any known failure matches."""

from __future__ import annotations

from typing import Literal

from advisor.model.fact import Span
from advisor.model.late import dataclass

Kind = Literal[
    "missing_rank",
    "mismatch",
    "behind",
    "waits",
    "left",
    "stuck",
    "reporter",
    "root_cause",
    "echo",
    "spin",
    "host_wait",
    "idle",
    "symmetric",
    "stopped",
    "memory",
    "phase",
    "helped",
    "unknown",
]
"""What a statement is about:

missing_rank: a collective that some ranks posted and these did not. mismatch: one place in a group, different op, size
or order. behind: fewer collectives into a group than the peers. waits: where a thread waits. left: went on without the
others. stuck: two captures with the same frames. reporter: only reports the stand-still. root_cause, echo: the first
error, and those that follow from it. spin: busy at low power. host_wait: the host waits, the device is idle. idle: no
work at all. symmetric: every rank in the same place. stopped: sources that fell silent at one moment. memory: asked and
free. phase: at the first sample, or after hours. helped: with what the failure is said to be gone. unknown: what the
evidence does not allow to say.
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that can be said. `collective` is `group #seq op` when one is meant; `spans` is what it stands on."""

    kind: Kind
    says: str
    ranks: tuple[str, ...] = ()
    collective: str = ""
    spans: tuple[Span, ...] = ()
