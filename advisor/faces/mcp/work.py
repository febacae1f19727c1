"""Jobs -> results, in processes that are started when they are needed and stay: a service for one agent is small.

A process does one job at a time. One that is lost, over its time, or whose job nobody waits for any more, is ended, and
the next job has another.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio

from advisor.faces.workers.beside import Beside, Lost
from advisor.faces.workers.inside import Broken, Told
from advisor.jobs.own_rules import Carried, adopt

__all__ = ["Lost", "Work", "working"]

T = TypeVar("T")
START_S = 60


class Work:
    """At most so many processes at once; each judges by the user's own rules too, as they were at the start."""

    def __init__(self, at_once: int, timeout_s: float, own: Carried | None) -> None:
        self._places, self._timeout_s, self._own = anyio.Semaphore(at_once), timeout_s, own
        self._idle: list[Beside] = []
        self._all: set[Beside] = set()

    async def run(self, job: Callable[..., T], *arguments: object) -> T:
        """The result of a function of a module. Raises Lost, TimeoutError when its time is over, and what it raised."""
        async with self._places:  # the time runs from when a process is free
            process, sound = await self._free(), False
            try:
                found = await process.run(job, arguments, self._timeout_s)
                sound = True
                return found
            except (Broken, Told):
                sound = True
                raise
            finally:
                if sound:
                    self._idle.append(process)
                else:
                    await self._end(process)

    async def _free(self) -> Beside:
        """A process that nobody uses; one that was lost while it waited is passed by."""
        while self._idle:
            process = self._idle.pop()
            if process.there:
                return process
            await self._end(process)
        process = await Beside.started()
        self._all.add(process)
        try:
            await process.run(adopt, (self._own,), START_S)
        except BaseException:
            await self._end(process)
            raise
        return process

    async def _end(self, process: Beside) -> None:
        self._all.discard(process)
        await process.end()

    async def end(self) -> None:
        """End every process."""
        for one in tuple(self._all):
            await self._end(one)


@asynccontextmanager
async def working(at_once: int, timeout_s: float, own: Carried | None) -> AsyncIterator[Work]:
    """The processes; gone at the end."""
    work = Work(at_once, timeout_s, own)
    try:
        yield work
    finally:
        with anyio.CancelScope(shield=True):
            await work.end()
