"""Jobs -> results, in processes beside the event loop: all cores serve, and what takes too long is killed.

A job is a function of a module, its arguments and result are pickled. A process that is killed, or dies, is replaced at
once, so that the next request does not wait for a catalogue to be loaded.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process
from anyio.abc import TaskGroup

from advisor import cores
from advisor.errors import AdvisorError
from advisor.faces.web.parcels import Received
from advisor.faces.web.problems import DEFECT, NO_ROOM, Refused, places
from advisor.faces.web.settings import Settings

T = TypeVar("T")
Asked = Callable[[], Awaitable[bool]] | None
AGAIN_S = 5
LARGE = 1 << 20
"""Bytes of files and fields; a log of that size takes about a second."""
UNPACKS_TO = 100
"""A packed file counts as so many times its bytes: 200 kB of gzip can be 60 MB of log."""
PACKED = (b"\x1f\x8b", b"PK", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
START_S = 120
"""A process may take so long to load the catalogue."""
ALONE_S = 5
"""A job ends itself so long after its time, where the service is no longer there to end it."""
ELSEWHERE = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOENT, errno.EACCES, errno.EMFILE, errno.ENFILE, errno.EIO)
)
"""What goes wrong with files for want of something that the request cannot help."""


class TooLong(Refused):
    """The job took longer than it may; its process was killed."""

    def __init__(self, seconds: float) -> None:
        hint = "hand over less: the lines around the failure, one rank instead of all; or later, if the machine is busy"
        super().__init__(503, f"not judged within {seconds:g} s", None, hint, {"Retry-After": "30"})


class TooMany(Refused):
    """More requests wait than may."""

    def __init__(self, waiting: int) -> None:
        super().__init__(503, f"{waiting} requests are waiting already", None, "try again", {"Retry-After": "5"})


class Died(Refused):
    """The process of the job was lost."""

    def __init__(self) -> None:
        hint = "try again; it may have been too large"
        super().__init__(503, "the process that judged this request was lost", None, hint, {"Retry-After": "2"})


class Exhausted(Refused):
    """The job wanted more memory than a process may take."""

    def __init__(self) -> None:
        hint = "hand over less: the lines around the failure, one rank instead of all"
        super().__init__(413, "takes more memory to judge than it may", None, hint)

    def __reduce__(self) -> tuple[type[Refused], tuple[object, ...]]:
        """Out of another process."""
        return Exhausted, ()


class Gone(Refused):
    """The client closed the connection while it waited. Nobody reads this, but the counters."""

    def __init__(self) -> None:
        super().__init__(499, "the client has gone")


class Broken(Exception):
    """A defect of ours in a job: the exception's type and the places it went through, nothing of the user's."""


class Work:
    """The processes. A place is one that has loaded the catalogue: a job takes it, and a process that is lost takes its
    place along until another is warm. What is large, and so takes seconds, never has all places.

    `ready` once there have been all; `waiting` and `running` count jobs.
    """

    def __init__(self, settings: Settings, tasks: TaskGroup) -> None:
        self._settings, self._tasks = settings, tasks
        self._places = anyio.Semaphore(0, max_value=settings.workers)
        self._large = anyio.Semaphore(max(1, settings.workers - 1))
        self._processes = CapacityLimiter(math.inf)
        self._started = 0
        self.restarts = self.waiting = self.running = 0

    @property
    def ready(self) -> bool:
        """Whether every process has once been warm."""
        return self._started >= self._settings.workers

    def start(self) -> None:
        """Start every process and have it load the catalogue."""
        for _ in range(self._settings.workers):
            self._tasks.start_soon(self._warm)

    async def run(self, job: Callable[..., T], *args: object, gone: Asked = None) -> T:
        """The job's result. Raises TooMany, TooLong or Died, and an AdvisorError of the job as itself.

        `gone` is asked, after the wait, whether anyone still wants it; if not, Gone is raised.
        """
        if self.waiting >= self._settings.waiting:
            raise TooMany(self.waiting)
        if _size(args) <= LARGE:
            return await self._placed(job, args, gone)
        await self._wait(self._large)
        try:
            return await self._placed(job, args, gone)
        finally:
            self._large.release()

    async def _wait(self, places: anyio.Semaphore) -> None:
        self.waiting += 1
        try:
            await places.acquire()
        finally:
            self.waiting -= 1

    async def _placed(self, job: Callable[..., T], args: tuple[object, ...], gone: Asked) -> T:
        """The result, once there is a place."""
        await self._wait(self._places)
        self.running += 1
        lost = spent = False
        try:
            if gone is not None and await gone():
                raise Gone
            lost = True
            result = await self._run(job, args, self._settings.job_s)
            lost = False
            return result
        except (AdvisorError, Broken, Refused) as error:
            lost = isinstance(error, TooLong | Died | Exhausted)
            spent = isinstance(error, Exhausted)
            if isinstance(error, Broken):
                raise _told(str(error)) from None
            raise
        finally:
            self.running -= 1
            if lost:
                self.restarts += 1
                self._tasks.start_soon(self._renewed if spent else self._warm)
            else:
                self._places.release()

    async def _run(self, job: Callable[..., T], args: tuple[object, ...], within_s: float) -> T:
        try:
            with anyio.move_on_after(within_s):
                return await to_process.run_sync(
                    _guarded, job, args, math.ceil(within_s) + ALONE_S, cancellable=True, limiter=self._processes
                )
        except BrokenWorkerProcess:
            raise Died from None
        raise TooLong(within_s)

    async def _renewed(self) -> None:
        """Another process for one that has just answered that it is at its limit: what it holds may be in pieces."""
        with suppress(Died, TooLong):
            await self._run(_ended, (), START_S)
        await self._warm()

    async def _warm(self) -> None:
        """Start a process, again and again until it can judge, and make it a place."""
        while True:
            try:
                await self._run(_warmed, (self._settings.worker_bytes,), START_S)
            except Exception as error:  # whatever it is, the others go on
                said = f"{type(error).__name__}: {error}"
                print(f"advisor: a process does not start, again in {AGAIN_S} s: {said}", file=sys.stderr)
                await anyio.sleep(AGAIN_S)
            else:
                self._started += 1
                self._places.release()
                return


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Work]:
    """The processes, warming; gone at the end."""
    # the library ends a process that has idled for five minutes, and with it the catalogue that was loaded
    to_process.WORKER_MAX_IDLE_TIME = math.inf  # type: ignore[assignment]
    async with anyio.create_task_group() as tasks:
        work = Work(settings, tasks)
        work.start()
        yield work
        tasks.cancel_scope.cancel()


def _told(broken: str) -> Refused:
    """What a client is told of what standard error is told."""
    found = NO_ROOM if broken.startswith(NO_ROOM.what) else DEFECT
    print(f"advisor: {broken}" if found is NO_ROOM else f"advisor: {found.what}: {broken}", file=sys.stderr)
    return found


def _size(args: tuple[object, ...]) -> int:
    """Bytes of what a job is given to read: files, texts of fields, a body that is not taken apart yet."""
    given = [one for one in args if isinstance(one, Received)]
    files = sum(_weight(kept.path) for one in given for kept in one.files)
    texts = sum(len(text) for one in given for values in one.fields.values() for text in values)
    return files + texts + sum(one.stat().st_size for one in args if isinstance(one, Path) and one.is_file())


def _weight(path: Path) -> int:
    """A file's bytes, as they may become when it is unpacked."""
    try:
        with path.open("rb") as file:
            packed = file.read(6).startswith(PACKED)
    except OSError:  # swept away, or no descriptor left
        raise NO_ROOM from None
    return path.stat().st_size * (UNPACKS_TO if packed else 1)


def _guarded(job: Callable[..., T], args: tuple[object, ...], within_s: int) -> T:
    """Runs in the process. What goes wrong is brought home without anything of the request in it."""
    signal.alarm(within_s)
    try:
        return job(*args)
    except (AdvisorError, Refused):
        raise
    except MemoryError:
        raise Exhausted from None
    except Exception as error:
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.ENOMEM:
            raise Exhausted from None
        if number is not None and number in ELSEWHERE:
            raise Broken(f"{NO_ROOM.what}: {errno.errorcode[number]}") from None
        raise Broken(places(error)) from None
    finally:
        signal.alarm(0)


def _ended() -> None:
    os._exit(0)


def _warmed(most_bytes: int = 0) -> None:
    """A process that can judge at once, in so much memory, and by itself: there is one a core already.

    It ends with its parent, not by a signal that is meant for that one. Where memory is short on the machine, the
    system is to take it rather than the service.
    """
    from advisor.faces.web import judging

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    cores.fork_no_more()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
    if most_bytes:
        _bounded(most_bytes)
    judging.warm()


def _bounded(most_bytes: int) -> None:
    with suppress(ImportError, OSError, ValueError):  # a system without such limits, or with a lower one
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
