"""How many processes may work at once, whether they can be forked, how they end: for all that parts work among them."""

from __future__ import annotations

import os
import signal
import sys
import threading


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_alone: list[bool] = []


def may_fork() -> bool:
    """Whether a fork is sound: on Linux, in a process of one thread, for it keeps no other; and wanted."""
    return sys.platform == "linux" and threading.active_count() == 1 and not _alone


def fork_no_more() -> None:
    """This process works by itself: there are others beside it, and who ends it would not end its children."""
    _alone[:] = [True]


def end_with_parent() -> None:
    """Have this process of a pool end soon after the one that waits for it: killed, that one cannot end it.

    Asked every second by a timer of the process, which needs no thread; where there is none (Windows) it stays.
    """
    if not hasattr(signal, "setitimer"):
        return
    from multiprocessing import parent_process

    above, begun = parent_process(), os.getppid()

    def look(*_: object) -> None:
        if os.getppid() != begun or (above is not None and not above.is_alive()):
            os._exit(1)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
