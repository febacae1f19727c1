"""The process table -> who is an engine's, the tree around it, which rank each is, which ports they listen on.

    sglang::scheduler_TP1                       a title that the engine gave the process: rank TP1
    python -m sglang.launch_server --tp 2       a command that knowledge/ recognises
    RANK=1 python serve.py                      a rank that a launcher gave by the environment

An environment is that with which a process was started: a worker that was forked has its parent's. So a RANK that the
parent has too is the parent's, and says nothing of the child. What cannot be read of a process is empty.

**Source:** titles: vLLM 0.33.0 and SGLang 0.5.23 wheels (`set_process_title`, `setproctitle`), read 2026-11-30; RANK
and LOCAL_RANK: PyTorch 2.13 `torch/distributed/elastic/agent/server/local_elastic_agent.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import psutil

from advisor.capture.bounded import within
from advisor.capture.files import text

T = TypeVar("T")
MAX_SAMPLED = 64
READ_S = 1.0  # for what /proc says of one process
_RAY = "ray::"
GPU = "gpu"
NAMED = "named"

_TITLED = re.compile(r"(?<![A-Za-z0-9])(?:TP|PP|DP|EP)\d+(?![A-Za-z0-9])")  # sglang::scheduler_DP1_TP3
_NUMBER = re.compile(r"[0-9]{1,6}\Z")
_HELPERS = re.compile(
    r"multiprocessing\.(?:resource_tracker|semaphore_tracker|forkserver)|ray/(?:dashboard|autoscaler)"
)
_SHELLS = {
    "sh", "bash", "dash", "zsh", "ash", "sudo", "su", "env", "timeout", "tini", "dumb-init", "nohup", "docker",
    "podman", "kubectl", "ssh", "sshd", "tmux", "screen", "grep", "rg", "less", "tail", "vi", "vim", "nano", "watch",
    "strace", "py-spy", "gdb",
}  # fmt: skip
_OURS = {"advisor", "pytest"}  # python3 -m advisor check --flags "vllm serve …"
_PYTHON = re.compile(r"(?:^|/)(?:python|pypy)[\d.]*$|^(?:VLLM|sglang|ray)::")
_DEVICES = re.compile(r"/dev/(?:nvidia\d+|davinci\d+|dri/renderD\d+|kfd)$")


@dataclass(frozen=True, slots=True)
class Process:
    """A process as it stood when the table was read; `started` is in seconds since the epoch."""

    pid: int
    ppid: int
    name: str = ""
    command: tuple[str, ...] = ()
    state: str = ""
    threads: int = 0
    started: float = 0.0

    @property
    def line(self) -> str:
        """The command line, or the kernel's name for it."""
        return " ".join(self.command) or f"[{self.name}]"

    @property
    def is_python(self) -> bool:
        """Whether an interpreter runs here, as far as its command or title tells."""
        return bool(self.command and _PYTHON.search(self.command[0].split(" ")[0])) or self.name.startswith("python")

    @property
    def is_wrapper(self) -> bool:
        """A shell, a supervisor or a tool, whose command line only speaks of an engine."""
        names = [os.path.basename(word.split(" ")[0]).lstrip("-") for word in self.command[:3]]
        return not names or names[0] in _SHELLS or not _OURS.isdisjoint(names)

    @property
    def is_helper(self) -> bool:
        """A process that Python or Ray keeps for itself."""
        return bool(_HELPERS.search(self.line))


def table() -> dict[int, Process]:
    """Every process that can be seen, by its number; without this one."""
    found = {}
    for pid in psutil.pids():
        stuck: Process | None = Process(pid, 0, text(f"/proc/{pid}/comm").strip())
        if pid != os.getpid() and (one := within(READ_S, partial(_process, pid), stuck)) is not None:
            found[pid] = one
    return found


def _process(pid: int) -> Process | None:
    """One process; None when it has gone."""
    try:
        one = psutil.Process(pid)
        with one.oneshot():
            command: list[str] = _readable(one.cmdline, [])
            return Process(
                pid, one.ppid(), one.name(), tuple(word for word in command if word), one.status(),
                _readable(one.num_threads, 0), one.create_time(),
            )  # fmt: skip
    except psutil.Error:
        return None


def _readable(call: Callable[[], T], default: T) -> T:
    try:
        return call()
    except (psutil.AccessDenied, psutil.ZombieProcess):  # one that has ended, and whom nobody has asked how
        return default


def environment(pid: int) -> dict[str, str]:
    """The environment with which a process was started; {} when it may not be read."""
    return within(READ_S, partial(_environment, pid), {})


def _environment(pid: int) -> dict[str, str]:
    try:
        return dict(psutil.Process(pid).environ())
    except (psutil.Error, OSError):
        return {}


def engines(processes: Mapping[int, Process], patterns: Mapping[str, str]) -> dict[int, str]:
    """The processes that an engine's pattern, one for `pgrep -f`, knows: number to engine."""
    compiled = {engine: re.compile(pattern) for engine, pattern in patterns.items() if pattern}
    own = set(ancestors(processes, os.getppid()))
    found = {}
    for pid, one in processes.items():
        if one.is_wrapper or one.is_helper or pid in own:
            continue
        engine = next((engine for engine, pattern in compiled.items() if pattern.search(one.line)), "")
        if engine:
            found[pid] = engine
    own_titles = {engine for pid, engine in found.items() if not processes[pid].line.startswith(_RAY)}
    for pid in found:  # vLLM and LMDeploy both have a RayWorkerWrapper
        if processes[pid].line.startswith(_RAY):
            found[pid] = own_titles.copy().pop() if len(own_titles) == 1 else "ray"
    return found


def with_children(processes: Mapping[int, Process], roots: Mapping[int, str]) -> dict[int, str]:
    """The roots and whatever they started, each with what its root is; wrappers and helpers left out."""
    children: dict[int, list[int]] = {}
    for one in processes.values():
        children.setdefault(one.ppid, []).append(one.pid)
    found: dict[int, str] = {}
    for root, role in sorted(roots.items()):
        waiting = [root]
        while waiting:
            pid = waiting.pop()
            seen = processes.get(pid)
            if seen is None or (pid in found and pid != root):
                continue
            if pid in roots or (seen.is_python and not seen.is_helper and not seen.is_wrapper):
                found.setdefault(pid, roots.get(pid, role))
            waiting += [child for child in children.get(pid, ()) if child not in found]
    return dict(sorted(found.items()))


def ancestors(processes: Mapping[int, Process], pid: int) -> list[int]:
    """The process and those above it, nearest first."""
    found: list[int] = []
    while pid in processes and pid not in found:
        found.append(pid)
        pid = processes[pid].ppid
    return found


def accelerator_users(processes: Iterable[int]) -> dict[int, str]:
    """The processes that have an accelerator's device file open, as `gpu`."""
    return {pid: GPU for pid in processes if any(_DEVICES.search(target) for _, target in open_files(pid))}


def open_files(pid: int) -> list[tuple[int, str]]:
    """Each descriptor of a process and what it leads to; [] when that may not be read."""
    folder = f"/proc/{pid}/fd"
    found = []
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    for name in names:
        try:
            found.append((int(name), os.readlink(f"{folder}/{name}")))
        except (OSError, ValueError):
            continue
    return sorted(found)


def ranks(chosen: Iterable[int], processes: Mapping[int, Process]) -> dict[int, str]:
    """The rank of each that has one: `TP1`, `DP0 TP1`, `3`."""
    chosen = list(chosen)
    titled = {pid: " ".join(_TITLED.findall(processes[pid].line.split(" ")[0])) for pid in chosen}
    titled = {pid: label for pid, label in titled.items() if label}
    given = {pid: _given(pid, processes[pid].ppid) for pid in chosen if pid not in titled}
    drives = {above for pid in titled for above in ancestors(processes, pid)[1:]}
    told = {pid: rank for pid, rank in given.items() if rank and pid not in drives}
    return {**told, **titled}


def _given(pid: int, parent: int) -> str:
    """The rank that a launcher gave this process; "" where its parent has the same."""
    own, above = environment(pid), environment(parent)
    for name in ("RANK", "LOCAL_RANK"):
        if _NUMBER.match(own.get(name, "")):
            return "" if above.get(name) == own[name] else own[name]
    return ""


def shares_network(pid: int) -> bool:
    """Whether a process has this one's network: loopback of a container is not ours. Yes where that may not be seen."""
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino == os.stat("/proc/self/ns/net").st_ino
    except OSError:
        return True


def shows_files(pid: int) -> bool:
    """Whether it may be seen what a process has open, and so what it listens on."""
    try:
        return bool(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def listening(pids: Iterable[int]) -> list[tuple[int, str, int]]:
    """Process, address and port of each TCP socket that these processes listen on."""
    found = []
    for pid in pids:
        try:
            sockets = psutil.Process(pid).net_connections("tcp")
        except (psutil.Error, OSError):
            continue
        found += [(pid, one.laddr.ip, one.laddr.port) for one in sockets if one.status == psutil.CONN_LISTEN]
    return sorted(set(found))
