"""An application and a socket -> a server that runs until it is told to stop, and then finishes what it has begun."""

from __future__ import annotations

import asyncio
import signal
import socket
import warnings
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from advisor.errors import UsageError
from advisor.faces.web.service import service
from advisor.faces.web.settings import Settings

BACKLOG = 2048


def bound(host: str, port: int) -> socket.socket:
    """A socket that nobody else has. Raises UsageError."""
    where = f"--host {host} --port {port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"no address to listen on: {error.strerror or error}", where) from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        hint = "another --port; 0 takes one that is free"
        raise UsageError(f"cannot be listened on: {error.strerror or error}", where, hint) from None
    return made


def run(settings: Settings, listening: socket.socket, drain_s: int) -> None:
    """Serve until SIGTERM, which returns, or Ctrl-C, which raises KeyboardInterrupt; both first finish what runs.

    What is not finished after `drain_s` seconds is given up.
    """
    head_s = settings.head_s

    class Hurried(H11Protocol):
        """A connection is closed when the head of a request does not come, or not to its end; the library waits for
        ever."""

        _waits: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Begin to wait."""
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            """Part of a head, or more."""
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            """The next head may have begun to come while this answer was on its way."""
            super().on_response_complete()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            """Nothing to wait for."""
            super().connection_lost(exc)
            self._stop()

        def _watch(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._waits is None:
                self._waits = self.loop.call_later(head_s, self.transport.close)

        def _stop(self) -> None:
            if self._waits is not None:
                self._waits.cancel()
                self._waits = None

    config = uvicorn.Config(
        service(settings),
        http=Hurried,
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=drain_s,
        h11_max_incomplete_event_size=settings.head_bytes,
        backlog=BACKLOG,
    )
    # interrupted before its loop runs, the library leaves a coroutine behind and is told so
    warnings.filterwarnings("ignore", "coroutine 'Server.serve' was never awaited", RuntimeWarning)
    # the server raises the signal again once it is done: that SIGTERM has then been obeyed
    signal.signal(signal.SIGTERM, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listening])
