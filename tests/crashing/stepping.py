"""A process in which what it does to files is counted: it can be killed before each, in the middle of a write, or told
that the disk is full, read-only or broken.

The process is forked, with the modules of the advisor loaded, so that a moment costs what the command costs and no more.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHANGING = ("write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "chmod", "fchown", "setxattr")
FILLING = ("write", "mkdir", "link", "open")  # what a full disk refuses
LIMIT_S = 120
DEFECT = 70  # a traceback


@dataclass(frozen=True)
class Plan:
    """What befalls a process: `kind` is one of "", kill, half, full, readonly, broken; `at` counts what changes files.

    `size`: no file may grow beyond so many bytes.
    """

    kind: str = ""
    at: int = 0
    size: int = -1


NOTHING = Plan()


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code (negative: the signal), what it printed, how often it changed files."""

    code: int
    out: str
    err: str
    calls: tuple[str, ...]

    def crashed(self) -> bool:
        """Whether it ended by a defect of ours or hung."""
        return self.code in (3, DEFECT) or self.code < 0


class Counter:
    """Takes the place of what changes files in `os`."""

    def __init__(self, plan: Plan, told: int) -> None:
        self.plan, self.told, self.number = plan, told, 0
        self.write = os.write

    def install(self) -> None:
        """From here on all is counted."""
        for name in CHANGING:
            setattr(os, name, self.watched(name, getattr(os, name)))
        os.open = self.watched("open", os.open)
        sys.addaudithook(self.heard)

    def heard(self, event: str, words: tuple[Any, ...]) -> None:
        """Files that are opened to be written without `os.open`, as `Path.write_text` does."""
        if event == "open" and isinstance(words[1], str) and set(words[1]) & set("wxa+"):
            self.before("open")

    def watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """The function, counted."""

        def called(*words: Any, **more: Any) -> Any:
            if name == "open" and not words[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return real(*words, **more)
            if name == "write" and words[0] in (1, 2):
                return real(*words, **more)
            self.before(name)
            if self.plan.kind == "half" and self.number == self.plan.at and name == "write":
                real(words[0], bytes(words[1])[: max(1, len(words[1]) // 2)])
                self.die()
            return real(*words, **more)

        return called

    def before(self, name: str) -> None:
        """What befalls the process now."""
        self.number += 1
        self.write(self.told, f"{name}\n".encode())
        reached = self.number >= self.plan.at
        if self.plan.kind == "kill" and self.number == self.plan.at:
            self.die()
        if self.plan.kind == "full" and reached and name in FILLING:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.plan.kind == "readonly":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        if self.plan.kind == "broken" and self.number == self.plan.at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def die(self) -> None:
        """At once, as `kill -9` does it."""
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)


@dataclass
class Running:
    """A forked process, and the ends of the pipes that it prints to."""

    pid: int
    beside: Path
    out: int
    err: int

    def ended(self) -> Ended:
        """Wait for it."""
        out, err = (_all(handle) for handle in (self.out, self.err))
        _, status = os.waitpid(self.pid, 0)
        calls = (self.beside / "calls").read_text().split() if (self.beside / "calls").exists() else []
        return Ended(os.waitstatus_to_exitcode(status), out, err, tuple(calls))


def _all(handle: int) -> str:
    with os.fdopen(handle, errors="replace") as stream:
        return stream.read()


def begun(work: Callable[[], object], beside: Path, plan: Plan = NOTHING, ready: int = -1) -> Running:
    """Fork a process that does the work, once something comes through `ready`. What it did is told in `beside`."""
    beside.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    (out, printed), (err, complained) = os.pipe(), os.pipe()
    if pid := os.fork():
        os.close(printed)
        os.close(complained)
        return Running(pid, beside, out, err)
    code = DEFECT
    try:
        signal.alarm(LIMIT_S)
        for number, handle in ((0, os.open(os.devnull, os.O_RDONLY)), (1, printed), (2, complained)):
            os.dup2(handle, number)
        os.closerange(3, max(out, err, printed, complained) + 1) if ready < 0 else None
        told = os.open(beside / "calls", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        if ready >= 0:
            os.read(ready, 1)
        if plan.size >= 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (plan.size, resource.RLIM_INFINITY))
        else:
            Counter(plan, told).install()
        try:
            code = _code(work())
        except SystemExit as ended:
            code = _code(ended.code)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def forked(work: Callable[[], object], beside: Path, plan: Plan = NOTHING) -> Ended:
    """Do the work in a process of its own, and wait for it."""
    return begun(work, beside, plan).ended()


def _code(result: object) -> int:
    return result if isinstance(result, int) else 0
