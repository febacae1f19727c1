"""PyTorch's flight recorder in a running rank -> its dump: the pipe that asks for it, and the file that answers.

    TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/run/fr_      with TORCH_NCCL_TRACE_BUFFER_SIZE > 0, rank 1 makes /run/fr_1.pipe
    TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/run/trace_   and answers a byte in it by writing /run/trace_1

The pipe is looked for among the files that the process has open, not guessed: a process that has none has no thread
that reads it. It is opened without waiting; a reader that has gone is said. A dump that lay there before is taken too,
with its age. PyTorch's monitor thread looks at the pipe every TORCH_NCCL_COORD_CHECK_MILSEC (a second) where
TORCH_NCCL_DUMP_ON_TIMEOUT is on, which is the default of later releases; else once in TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC.

**Source:** PyTorch `torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp` (`DumpPipe`: name, mode, O_NONBLOCK),
`ProcessGroupNCCL.cpp` (`heartbeatMonitor`), `FlightRecorder.cpp` and `FlightRecorderDetail.hpp`
(`DebugInfoWriter`: `/tmp/nccl_trace_rank_`, later `~/.cache/torch/comm_lib_trace_rank_`, later below $XDG_CACHE_HOME;
TORCH_FR_DUMP_TEMP_FILE before TORCH_NCCL_DEBUG_INFO_TEMP_FILE, without the rank where the name is dynamic), read
2026-11-30 in copies of the repository of several dates.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.capture.files import Read, start
from advisor.capture.processes import open_files

MAX_DUMP = 64 << 20
_SETTLES_S = 0.3
_PIPE = re.compile(r"(\d{1,6})\.pipe$")
_STEMS = ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
_PIPES = ("TORCH_NCCL_DEBUG_INFO_PIPE_FILE",)
_ON = {"1", "true", "True", "TRUE", "t", "T", "y", "Y", "yes", "YES", "on", "ON"}
_KEYS = (b"entries", b"pg_config", b"pg_status")
_SIZES = ("TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE")


@dataclass(frozen=True, slots=True)
class Armed:
    """A rank's recorder. `pipe` is "" when the process has none open, else `handle` is the process's descriptor of it;
    `dumps` are where its dump may be written."""

    pid: int
    rank: str
    pipe: str
    dumps: tuple[str, ...]
    size: str
    handle: int = -1


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump as it lies there, and when it was written, in seconds since the epoch."""

    path: str
    written: float
    read: Read

    @property
    def is_one(self) -> bool:
        """Whether it looks like a dump: what the environment of a process names may be any file, or a link to one."""
        content = self.read.content
        return content[:1] in (b"\x80", b"{") and any(key in content for key in _KEYS)


def armed(pid: int, rank: str, environment: Mapping[str, str]) -> Armed | None:
    """The recorder of a process; None when its environment does not speak of one."""
    size = next((environment[name] for name in _SIZES if name in environment), "")
    stem = next((environment[name] for name in _PIPES if environment.get(name)), "")
    if not size and not stem:
        return None
    named = [one for one in open_files(pid) if stem and one[1].startswith(stem) and _PIPE.search(one[1])]
    handle, pipe = next((one for one in named if _is_pipe(pid, one[0])), (-1, ""))
    numbered = _PIPE.search(pipe)
    number = numbered[1] if numbered else rank if rank.isdecimal() else ""
    stems = [environment[name] for name in _STEMS if environment.get(name)]
    if not stems:
        caches = filter(None, [environment.get("XDG_CACHE_HOME"), f"{environment.get('HOME', '')}/.cache"])
        stems = [
            "/tmp/nccl_trace_rank_",  # noqa: S108 - where PyTorch writes; it is read
            *(f"{cache}/torch/comm_lib_trace_rank_" for cache in caches),
        ]
    dumps = [f"{one}{number}" for one in stems] if number else []
    if environment.get("TORCH_FR_DUMP_DYNAMIC_FILE_NAME", "") in _ON:
        dumps += [environment[name] for name in _STEMS[:1] if environment.get(name)]
    return Armed(pid, number, pipe, tuple(dict.fromkeys(dumps)), size, handle)


def dump_of(one: Armed) -> Dump | None:
    """The newest dump that lies there; None when there is none."""
    found = [Dump(path, at, Read()) for path in one.dumps if (at := _written(one.pid, path))]
    if not found:
        return None
    newest = max(found, key=lambda dump: dump.written)
    return Dump(newest.path, newest.written, start(_seen(one.pid, newest.path), MAX_DUMP))


def ask(one: Armed) -> str:
    """Write a byte to the rank's pipe, without waiting; "" when that was done, else why not.

    To the very pipe that the process has open, not to what bears its name by now.
    """
    try:
        handle = os.open(_held(one.pid, one.handle), os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return error.strerror or str(error)
    try:
        if not stat.S_ISFIFO(os.fstat(handle).st_mode):
            return "not a pipe"
        os.write(handle, b"1")
    except OSError as error:
        return error.strerror or str(error)
    finally:
        os.close(handle)
    return ""


def answered(one: Armed, asked: float, deadline: float) -> Dump | None:
    """The dump written since `asked` (seconds since the epoch), once it grows no more; None when time is over."""
    size = -1
    while time.monotonic() < deadline:
        dump = dump_of(one)
        if dump and dump.written >= asked - 0.05 and dump.read.size:
            if dump.read.size == size:
                return dump
            size = dump.read.size
        time.sleep(min(_SETTLES_S, max(0.0, deadline - time.monotonic())))
    return None


def _seen(pid: int, path: str) -> str:
    """The path as it is reached from here: the process may live in a container of its own."""
    return f"/proc/{pid}/root{path}"


def _held(pid: int, handle: int) -> str:
    """What a process has open, whatever its name leads to from here."""
    return f"/proc/{pid}/fd/{handle}"


def _is_pipe(pid: int, handle: int) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(_held(pid, handle)).st_mode)
    except OSError:
        return False


def _written(pid: int, path: str) -> float:
    try:
        seen = os.stat(_seen(pid, path))
    except OSError:
        return 0.0
    return seen.st_mtime if stat.S_ISREG(seen.st_mode) else 0.0
