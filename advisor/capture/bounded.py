"""A read that may never return -> what it gives, or a word that it did not: reading /proc can wait for a stuck process.

The kernel takes a process's memory lock to print its command line, environment or map; a driver that hangs may hold it.
The thread that waits is left behind, and the process that it asked for is told of by what else is known.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

Found = TypeVar("Found")


def within(seconds: float, call: Callable[[], Found], default: Found) -> Found:
    """What `call` returns, or `default` when it takes longer. What it raises is raised here."""
    found: list[Found] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            found.append(call())
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    return found[0] if found else default
