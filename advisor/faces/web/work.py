"""Jobs -> results, in processes beside the event loop: all cores serve, and what takes too long is killed.

A job is a function of a module, its arguments and result are pickled. A process that is killed, or dies, is replaced at
once, so that the next request does not wait for a catalogue to be loaded.
"""

from __future__ import annotations

import math
import signal
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process
from anyio.abc import TaskGroup

from advisor.errors import AdvisorError
from advisor.faces.web.problems import DEFECT, Refused
from advisor.faces.web.settings import Settings

T = TypeVar("T")
AGAIN_S = 5
START_S = 120
"""A process may take so long to load the catalogue."""


class TooLong(Refused):
    """The job took longer than it may; its process was killed."""

    def __init__(self, seconds: float) -> None:
        hint = "hand over less: the lines around the failure, one rank instead of all"
        super().__init__(504, f"not judged within {seconds:g} s", None, hint)


class TooMany(Refused):
    """More requests wait than may."""

    def __init__(self, waiting: int) -> None:
        super().__init__(503, f"{waiting} requests are waiting already", None, "try again", {"Retry-After": "5"})


class Died(Refused):
    """The process of the job was lost."""

    def __init__(self) -> None:
        super().__init__(
            500, "the process that judged this request was lost", None, "try again; it may have been too large"
        )


class Broken(Exception):
    """A defect of ours in a job: the exception's type and the places it went through, nothing of the user's."""


class Work:
    """The processes. `ready` once all of them have loaded the catalogue; `waiting` and `running` count jobs."""

    def __init__(self, settings: Settings, tasks: TaskGroup) -> None:
        self._settings, self._tasks = settings, tasks
        self._places = CapacityLimiter(settings.workers)
        self._processes = CapacityLimiter(math.inf)
        self.ready = False
        self.restarts = 0
        self.waiting = 0

    @property
    def running(self) -> int:
        """Jobs that have a process now."""
        return int(self._places.borrowed_tokens)

    async def run(self, job: Callable[..., T], *args: object) -> T:
        """The job's result. Raises TooMany, TooLong or Died, and an AdvisorError of the job as itself."""
        if self.waiting >= self._settings.waiting:
            raise TooMany(self.waiting)
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1
        try:
            return await self._run(job, *args, within_s=self._settings.job_s)
        finally:
            self._places.release()

    async def _run(self, job: Callable[..., T], *args: object, within_s: float, again: bool = True) -> T:
        """`again`: a process that is lost is replaced."""
        try:
            with anyio.move_on_after(within_s):
                return await to_process.run_sync(_guarded, job, args, cancellable=True, limiter=self._processes)
        except BrokenWorkerProcess:
            if again:
                self._replace()
            raise Died from None
        except Broken as defect:
            print(f"advisor: {DEFECT.what}: {defect}", file=sys.stderr)
            raise DEFECT from None
        if again:
            self._replace()
        raise TooLong(within_s)

    async def warm(self) -> None:
        """Start every process and have it load the catalogue."""
        async with anyio.create_task_group() as tasks:
            for _ in range(self._settings.workers):
                tasks.start_soon(self._warmed)
        self.ready = True

    def _replace(self) -> None:
        """A process is gone: the next one is started before it is asked for."""
        self.restarts += 1
        self._tasks.start_soon(self._warmed)

    async def _warmed(self) -> None:
        while True:
            try:
                return await self._run(_warmed, within_s=START_S, again=False)
            except Refused as refused:
                print(f"advisor: a process could not be started, again in {AGAIN_S} s: {refused.what}", file=sys.stderr)
                await anyio.sleep(AGAIN_S)


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Work]:
    """The processes, warming; gone at the end."""
    async with anyio.create_task_group() as tasks:
        work = Work(settings, tasks)
        tasks.start_soon(work.warm)
        yield work
        tasks.cancel_scope.cancel()


def _guarded(job: Callable[..., T], args: tuple[object, ...]) -> T:
    """Runs in the process. What goes wrong is brought home without anything of the request in it."""
    try:
        return job(*args)
    except (AdvisorError, Refused):
        raise
    except Exception as error:
        places = [
            f"{one.filename.rpartition('advisor/')[2]}:{one.lineno}"
            for one in traceback.extract_tb(error.__traceback__)
        ]
        raise Broken(f"{type(error).__name__} at {' < '.join(reversed(places[-6:]))}") from None


def _warmed() -> None:
    """A process that can judge at once. It ends with its parent, not by a signal that is meant for that one."""
    from advisor.faces.web import judging

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    judging.warm()
