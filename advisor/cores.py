"""How many processes may work at once, and whether they can be forked: asked wherever work is parted among them."""

from __future__ import annotations

import os
import sys
import threading


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_fork() -> bool:
    """Whether a fork is sound: on Linux, in a process of one thread, for it keeps no other."""
    return sys.platform == "linux" and threading.active_count() == 1
