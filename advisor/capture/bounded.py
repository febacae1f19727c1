"""A read that may never return -> what it gives, or a word that it did not: reading /proc can wait for a stuck process.

The kernel takes a process's memory lock to print its command line, environment or map; a driver that hangs may hold it.
The thread that waits is left behind, and the process that it asked for is told of by what else is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import TypeVar

Found = TypeVar("Found")

_LOOK_S = 0.1
_reading: set[Event] = set()
"""What tells the end of each call that runs: a thread whose `join` was interrupted may count as dead while it runs."""


def within(seconds: float, call: Callable[[], Found], default: Found) -> Found:
    """What `call` returns, or `default` when it takes longer. What it raises is raised here."""
    found: list[Found] = []
    raised: list[BaseException] = []
    over = Event()

    def work() -> None:
        try:
            found.append(call())
        except BaseException as error:
            raised.append(error)
        finally:
            _reading.discard(over)
            over.set()

    _reading.add(over)
    Thread(target=work, daemon=True).start()
    _wait(over, time.monotonic() + seconds)
    if raised:
        raise raised[0]
    return found[0] if found else default


def let_end(seconds: float) -> None:
    """Wait until no call runs any more, but no longer than that: one that runs while the process ends may abort it."""
    until = time.monotonic() + seconds
    for over in tuple(_reading):
        _wait(over, until)


def _wait(over: Event, until: float) -> None:
    """Wait in pieces: a signal that comes just before a wait begins does not end it, and is heard of after it."""
    while not over.is_set() and (left := until - time.monotonic()) > 0:
        over.wait(min(left, _LOOK_S))
