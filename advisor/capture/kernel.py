"""/proc -> what the kernel says of a process and of the machine, as text for people.

    State:  D (disk sleep)      wchan  nvidia_ioctl       kernel stack, where it may be read
    Linux 6.8.0 x86_64          glibc 2.39                /dev/shm 61 of 64 GiB used       oom_kill 3

What may not be read is left out; a process that has gone is said to be gone.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator

from advisor.capture.files import text

MAX_THREADS = 400
_STATUS = (
    "Name",
    "State",
    "PPid",
    "Threads",
    "VmRSS",
    "VmSwap",
    "SigPnd",
    "ShdPnd",
    "SigBlk",
    "voluntary_ctxt_switches",
)
_CGROUP = (
    "memory.events", "memory.current", "memory.max", "memory.pressure", "cpu.stat", "pids.current", "pids.max",
)  # fmt: skip
_MEMORY = re.compile(r"^(?:MemTotal|MemAvailable|SwapTotal|SwapFree|Shmem|HugePages_\w+):.*$", re.M)


def process_text(pid: int) -> str:
    """State, waiting place and kernel stack of a process and of its threads; "" when it has gone."""
    folder = f"/proc/{pid}"
    status = dict(line.split(":", 1) for line in text(f"{folder}/status").splitlines() if ":" in line)
    if not status:
        return ""
    rows = [f"{name}:{status[name]}" for name in _STATUS if name in status]
    rows += [f"oom_score_adj: {text(f'{folder}/oom_score_adj').strip()}"]
    return "\n".join([*rows, *_threads(folder)]) + "\n"


def _threads(folder: str) -> Iterator[str]:
    try:
        numbers = sorted(os.listdir(f"{folder}/task"), key=int)
    except OSError:
        return
    for number in numbers[:MAX_THREADS]:
        task = f"{folder}/task/{number}"
        state = text(f"{task}/stat").rpartition(")")[2].split()[:1]
        name, wchan = text(f"{task}/comm").strip(), text(f"{task}/wchan").strip()
        yield f"thread {number} {''.join(state)} {wchan if wchan not in ('', '0') else '-'} {name}"
        yield from (f"    {row}" for row in text(f"{task}/stack").splitlines())
    if len(numbers) > MAX_THREADS:
        yield f"and {len(numbers) - MAX_THREADS} more threads"


def machine_text() -> str:
    """Kernel, C library, memory, shared memory, limits and counters of this machine or container."""
    system = os.uname()
    rows = [f"{system.sysname} {system.release} {system.machine}", " ".join(platform.libc_ver()).strip()]
    rows += [f"{os.cpu_count()} processors", text("/proc/loadavg").strip(), *_MEMORY.findall(text("/proc/meminfo"))]
    rows += [*_shared_memory(), *_group(), *_driver()]
    return "\n".join(row for row in rows if row) + "\n"


def _shared_memory() -> Iterator[str]:
    try:
        space = os.statvfs("/dev/shm")
        names = len(os.listdir("/dev/shm"))
    except OSError:
        return
    size, free = space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize
    yield f"/dev/shm: {(size - free) >> 20} of {size >> 20} MiB used, {names} names"


def _group() -> Iterator[str]:
    for name in _CGROUP:
        for folder in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory"):
            if found := text(f"{folder}/{name}").strip():
                yield f"{name}: {'; '.join(found.splitlines())}"
                break


def _driver() -> Iterator[str]:
    if found := text("/proc/driver/nvidia/version").strip():
        yield from found.splitlines()
