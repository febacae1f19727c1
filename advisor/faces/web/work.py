"""Jobs -> results, in processes beside the event loop: all cores serve, and what takes too long is killed.

A job is a function of a module, its arguments and result are pickled. A process that is killed, or dies, is replaced at
once, so that the next request does not wait for a catalogue to be loaded.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import anyio
from anyio.abc import TaskGroup

from advisor.errors import AdvisorError
from advisor.faces.web.judging import warmed
from advisor.faces.web.parcels import Received
from advisor.faces.web.problems import DEFECT, NO_ROOM, Refused
from advisor.faces.web.settings import Settings
from advisor.faces.workers.beside import Beside, Lost
from advisor.faces.workers.inside import Broken, Exhausted, NoRoom, Told

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


class TooLong(Refused):
    """The job took longer than it may; its process was killed."""

    def __init__(self, seconds: float) -> None:
        hint = "hand over less: the lines around the failure, one rank instead of all; or later, if the machine is busy"
        super().__init__(503, f"not judged within {seconds:g} s", None, hint, {"Retry-After": "30"})


class TooMany(Refused):
    """More requests wait than may."""

    def __init__(self, waiting: int) -> None:
        super().__init__(503, f"{waiting} requests are waiting already", None, "try again", {"Retry-After": "5"})


class TooLarge(Refused):
    """The job wanted more memory than a process may take."""

    def __init__(self) -> None:
        hint = "hand over less: the lines around the failure, one rank instead of all"
        super().__init__(413, "takes more memory to judge than it may", None, hint)


class Died(Refused):
    """The process of the job was lost."""

    def __init__(self) -> None:
        hint = "try again; it may have been too large"
        super().__init__(503, "the process that judged this request was lost", None, hint, {"Retry-After": "2"})


class Gone(Refused):
    """The client closed the connection while it waited. Nobody reads this, but the counters."""

    def __init__(self) -> None:
        super().__init__(499, "the client has gone")


class Work:
    """The processes. A place is one that has loaded the catalogue: a job takes it, and a process that is lost takes its
    place along until another is warm. What is large, and so takes seconds, never has all places.

    `ready` once there have been all; `waiting` and `running` count jobs.
    """

    def __init__(self, settings: Settings, tasks: TaskGroup) -> None:
        self._settings, self._tasks = settings, tasks
        self._places = anyio.Semaphore(0, max_value=settings.workers)
        self._large = anyio.Semaphore(max(1, settings.workers - 1))
        self._idle: list[Beside] = []
        self._all: set[Beside] = set()
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
        process = await self._free()
        self.running += 1
        lost = False
        try:
            if gone is not None and await gone():
                raise Gone
            lost = True
            result = await self._run(process, job, args)
            lost = False
            return result
        except (AdvisorError, Told) as error:
            lost = isinstance(error, TooLong | TooLarge | Died)
            raise
        finally:
            self.running -= 1
            if lost:
                self._replace(process)
            else:
                self._idle.append(process)
                self._places.release()

    async def _free(self) -> Beside:
        """A process that nobody uses. One that was lost while it waited is replaced, and another waited for."""
        while True:
            await self._wait(self._places)
            process = self._idle.pop()
            if process.there:
                return process
            self._replace(process)

    async def _run(self, process: Beside, job: Callable[..., T], args: tuple[object, ...]) -> T:
        try:
            return await process.run(job, args, self._settings.job_s)
        except Lost:
            raise Died from None
        except TimeoutError:
            raise TooLong(self._settings.job_s) from None
        except Exhausted:
            raise TooLarge from None
        except NoRoom as error:
            print(f"advisor: {NO_ROOM.what}: {error}", file=sys.stderr)
            raise NO_ROOM from None
        except Broken as error:
            print(f"advisor: {DEFECT.what}: {error}", file=sys.stderr)
            raise DEFECT from None

    def _replace(self, process: Beside) -> None:
        self.restarts += 1
        self._tasks.start_soon(self._end, process)
        self._tasks.start_soon(self._warm)

    async def _end(self, process: Beside) -> None:
        self._all.discard(process)
        await process.end()

    async def _warm(self) -> None:
        """Start a process, again and again until it can judge, and make it a place."""
        while True:
            process = None
            try:
                process = await Beside.started()
                self._all.add(process)
                await process.run(warmed, (self._settings.worker_bytes, self._settings.own_rules), START_S)
            except Exception as error:  # whatever it is, the others go on
                said = f"{type(error).__name__}: {error}"
                print(f"advisor: a process does not start, again in {AGAIN_S} s: {said}", file=sys.stderr)
                if process is not None:
                    await self._end(process)
                await anyio.sleep(AGAIN_S)
            else:
                self._started += 1
                self._idle.append(process)
                self._places.release()
                return

    async def end(self) -> None:
        """End every process."""
        for one in tuple(self._all):
            await one.end()


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Work]:
    """The processes, warming; gone at the end."""
    async with anyio.create_task_group() as tasks:
        work = Work(settings, tasks)
        work.start()
        try:
            yield work
        finally:
            tasks.cancel_scope.cancel()
            await work.end()


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
