"""A process beside a face, seen from the face: a job -> its result, or the loss of the process."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from advisor.faces.workers.inside import BEGIN

T = TypeVar("T")
DIGITS = 20
LOST = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, anyio.IncompleteRead)


class Lost(Exception):
    """The process has gone."""


class Beside:
    """One process. It does one job at a time; who is cancelled meanwhile, or told that it is lost, ends it."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._into = process, process.stdin
        self._out = BufferedByteReceiveStream(process.stdout)

    @classmethod
    async def started(cls) -> Beside:
        """A new one, with the same modules. Raises OSError and Lost."""
        process = await anyio.open_process(
            [sys.executable, "-P", "-c", BEGIN],  # -P: the folder it is started in lends it no module
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        made = cls(process)
        try:
            await made._into.send(pickle.dumps(sys.path))
        except LOST:
            await made.end()
            raise Lost from None
        return made

    @property
    def there(self) -> bool:
        """Whether it is not known to be gone."""
        return self._process.returncode is None

    async def run(self, job: Callable[..., T], arguments: tuple[object, ...], seconds: float) -> T:
        """The job's result; what it raised is raised. Raises Lost, and TimeoutError after so long."""
        sent = pickle.dumps((job, arguments, math.ceil(seconds)), pickle.HIGHEST_PROTOCOL)
        try:
            with anyio.fail_after(seconds):
                await self._into.send(sent)
                length = int(await self._out.receive_until(b"\n", DIGITS))
                well, result = pickle.loads(await self._out.receive_exactly(length))  # noqa: S301 - from a process of ours
        except LOST:
            raise Lost from None
        if not well:
            raise result
        found: T = result
        return found

    async def end(self) -> None:
        """Kill it, if it is there, and wait until it is not."""
        with suppress(ProcessLookupError):
            self._process.kill()
        with anyio.CancelScope(shield=True):
            await self._process.aclose()
