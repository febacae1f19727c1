"""An application and a socket -> a server that runs until it is told to stop, and then finishes what it has begun."""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import sys
import time
import warnings
from functools import partial
from typing import Any

import uvicorn

from advisor.errors import UsageError
from advisor.faces.web.connections import Crowd, Hurried
from advisor.faces.web.service import service
from advisor.faces.web.settings import Settings

BACKLOG = 2048
AT_ONCE = 64
"""Connections that are taken before those that are there have their turn."""
RESERVED = 256
"""Descriptors for all else: what is taken at once, refused connections that linger, files of uploads, pipes."""
SAY_S = 10.0


def bound(host: str, port: int) -> socket.socket:
    """A socket that nobody else has. Raises UsageError."""
    where = f"--host {host} --port {port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "no name of a host"
        raise UsageError(f"no address to listen on: {why}", where) from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        hint = "another --port; 0 takes one that is free"
        raise UsageError(f"cannot be listened on: {error.strerror or error}", where, hint) from None
    return made


def room(settings: Settings) -> int:
    """Connections that may be open: as many as asked for, or as the descriptors of a process allow, of which it takes
    what it may have."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return settings.connections
    reserved = RESERVED + 8 * settings.workers
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.connections + reserved
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    allowed = settings.connections if soft == resource.RLIM_INFINITY else min(settings.connections, soft - reserved)
    if allowed < 1:
        raise UsageError("too few descriptors", f"ulimit -n {soft}", f"at least {reserved + 1}, better 4096")
    return allowed


class Server(uvicorn.Server):
    """The library's, which says what goes wrong below the application in one line."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As the library does; the queue of the system stays as long as it was."""
        asyncio.get_running_loop().set_exception_handler(Told())
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)


class Told:
    """Tells of what the event loop met, such as no descriptor left, and not ten thousand times."""

    def __init__(self) -> None:
        self._said = -math.inf

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """One line, with nothing of a client in it."""
        now = time.monotonic()
        if now - self._said < SAY_S:
            return
        self._said = now
        error = context.get("exception")
        why = (getattr(error, "strerror", None) or type(error).__name__) if error is not None else ""
        print(f"advisor: {context.get('message', 'a defect')}{f': {why}' if why else ''}", file=sys.stderr)


def run(settings: Settings, listening: socket.socket, drain_s: int) -> None:
    """Serve until SIGTERM, which returns, or Ctrl-C, which raises KeyboardInterrupt; both first finish what runs.

    What is not finished after `drain_s` seconds is given up.
    """
    most = room(settings)
    crowd = Crowd(settings, most)
    config = uvicorn.Config(
        service(settings, crowd),
        http=partial(Hurried, crowd=crowd, settings=settings),  # type: ignore[arg-type]
        loop="asyncio",  # its transports let themselves be told how much to read at once
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=drain_s,
        h11_max_incomplete_event_size=settings.head_bytes,
        backlog=AT_ONCE,
    )
    # interrupted before its loop runs, the library leaves a coroutine behind and is told so
    warnings.filterwarnings("ignore", "coroutine 'Server.serve' was never awaited", RuntimeWarning)
    # the server raises the signal again once it is done: that SIGTERM has then been obeyed
    signal.signal(signal.SIGTERM, lambda *_: None)
    Server(config).run(sockets=[listening])
