"""The readers' marks -> what a huge log is searched for, so that only the lines that tell something need be read.

    Watchdog caught collective operation timeout      a mark: lines like it are kept, the first and the last of them
    Avg prompt throughput:                            periodic: the last of them are kept, as many as are ever read
    Thread 647 (active): "MainThread"                 heads a stack: what follows it is kept
    Received request cmpl-1: prompt: '…'              repeats what a client asked: no pattern may match in there

A reader that looks for a new word names it in its `MARKS`; a test reads logs with every reader and fails where one
looks for what does not stand here.

**Source:** the readers themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from advisor.evidence import (
    banner,
    engine_log,
    failures,
    heartbeat,
    kernel_log,
    logged_requests,
    multiarch,
    nccl_log,
    python_stack,
    tracebacks,
    watchdog,
)

Role = Literal["mark", "periodic", "stack", "request"]


@dataclass(frozen=True, slots=True)
class Telling:
    """A pattern of the linear-time language, and why a line that has it is kept. `literal` is set where it is plain."""

    pattern: str
    role: Role
    literal: str = ""


def _plain(literal: str, role: Role) -> Telling:
    return Telling(re.escape(literal), role, literal)


def tellings() -> tuple[Telling, ...]:
    """Everything that the readers look for in a log."""
    readers = (engine_log, nccl_log, watchdog, kernel_log, multiarch, tracebacks, banner)
    marks = dict.fromkeys(mark for reader in readers for mark in reader.MARKS)
    periodic = dict.fromkeys(heartbeat.MARKS)
    return (
        *(_plain(mark, "mark") for mark in (*marks, failures.MEMORY) if mark not in periodic),
        *(_plain(mark, "periodic") for mark in periodic),
        Telling(engine_log.FATAL, "mark"),
        *(Telling(one, "stack") for one in python_stack.HEADINGS),
        *(Telling(one, "request") for one in logged_requests.TRIGGERS),
    )
