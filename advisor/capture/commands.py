"""A program of the machine -> what it printed, within a bound of time and of bytes, and never through a shell.

Each program is the head of a process group of its own; when its time is over, its output too long, or the operator
interrupts, the whole group is killed. Programs speak English (LC_ALL=C) and read nothing.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

CAP_BYTES = 16 << 20
_CHUNK = 1 << 16
_AFTER_KILL_S = 2.0  # for one that the kernel does not let go, a driver hangs: then it is left behind
_LOOK_S = 0.005


@dataclass(frozen=True, slots=True)
class Ran:
    """A program's end. `code` is None where it had none of its own: not found, not started, or killed by us."""

    argv: tuple[str, ...]
    out: bytes = b""
    err: bytes = b""
    code: int | None = None
    seconds: float = 0.0
    timed_out: bool = False
    cut: bool = False
    problem: str = ""

    @property
    def well(self) -> bool:
        """Whether it ended by itself and is content."""
        return self.code == 0 and not self.cut


class Commands:
    """Runs programs, several at once if asked to from several threads; leaving the `with` kills what still runs."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def __enter__(self) -> Commands:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill whatever runs, and start nothing more. Who reads of a program sees its end, and does the rest."""
        with self._lock:
            self._stopped.set()
            for process in self._running:
                _kill(process)

    def pause(self, seconds: float) -> None:
        """Wait so long, or until all is stopped."""
        self._stopped.wait(seconds)

    def run(self, argv: Sequence[str], timeout_s: float, cap: int = CAP_BYTES) -> Ran:
        """Run a program. Everything that goes wrong is in what is returned."""
        began = time.monotonic()
        try:
            with self._lock:
                if self._stopped.is_set():
                    return Ran(tuple(argv), problem="interrupted")
                process = _start(argv)
                self._running.add(process)
        except (OSError, ValueError) as error:
            return Ran(tuple(argv), problem=getattr(error, "strerror", None) or str(error))
        try:
            out, err, timed_out, cut = _read(process, began + timeout_s, cap)
            ended = not (timed_out or cut) and _ended(process, began + timeout_s)
        finally:
            with self._lock:
                self._running.discard(process)
            _kill(process)
            _close(process)
        timed_out, code = timed_out or not (ended or cut), process.returncode if ended else None
        return Ran(tuple(argv), out, err, code, time.monotonic() - began, timed_out, cut)


def find(name: str, beside: Sequence[str] = ()) -> str:
    """The program's path: on PATH, else in one of the folders `beside`; "" when there is none.

    Beside, only one that nobody but us and root can have put there: the folders are named by processes of others.
    """
    found = shutil.which(name)
    if found:
        return found
    paths = (os.path.realpath(os.path.join(folder, name)) for folder in beside)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK) and _ours(path)), "")


def _ours(path: str) -> bool:
    """Whether the file and each folder above it can be written by us and root alone."""
    try:
        every = [os.stat(one) for one in (path, *map(str, Path(path).parents))]
    except OSError:
        return False
    shared = [one.st_mode & stat.S_IWOTH and not one.st_mode & stat.S_ISVTX for one in every]
    return all(one.st_uid in (0, os.geteuid()) for one in every) and not any(shared)


def _start(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "LC_ALL": "C", "LANGUAGE": "C", "DEBUGINFOD_URLS": ""}  # gdb would fetch symbols
    return subprocess.Popen(  # noqa: S603 - no shell, and the words are of the plan that was shown
        list(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment, start_new_session=True, cwd="/",
    )  # fmt: skip


def _read(process: subprocess.Popen[bytes], deadline: float, cap: int) -> tuple[bytes, bytes, bool, bool]:
    """Output, complaints, whether time was over, whether the output was cut."""
    kept: dict[str, bytearray] = {"out": bytearray(), "err": bytearray()}
    streams: dict[str, IO[bytes] | None] = {"out": process.stdout, "err": process.stderr}
    with selectors.DefaultSelector() as waiting:
        for name, stream in streams.items():
            if stream is not None:
                waiting.register(stream, selectors.EVENT_READ, name)
        while waiting.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return bytes(kept["out"]), bytes(kept["err"]), True, False
            for key, _ in waiting.select(left):
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    waiting.unregister(key.fileobj)
                kept[key.data] += chunk
                if len(kept[key.data]) > cap:
                    return bytes(kept["out"][:cap]), bytes(kept["err"][:cap]), False, True
    return bytes(kept["out"]), bytes(kept["err"]), False, False


def _ended(process: subprocess.Popen[bytes], deadline: float) -> bool:
    """Whether a program that has closed its output ends in time. It is not reaped: its group can still be named."""
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK_S)
    return True


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _close(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_AFTER_KILL_S)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
