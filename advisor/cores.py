"""How many processes may work at once, and whether they can be forked: asked wherever work is parted among them."""

from __future__ import annotations

import os
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
