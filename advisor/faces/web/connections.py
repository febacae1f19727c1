"""Connections -> requests, each in its time; what does not come, or is not taken, is not waited for.

The library waits for ever for a head that does not come and for a client that does not read, and takes connections as
long as there are descriptors. Here a head has its time, an answer has to be taken at some pace, and there are only so
many connections: one more is let in for the one that has waited longest without asking anything. Where all are being
answered, it is told so and closed.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from advisor.faces.web.clients import keyed, networks, within
from advisor.faces.web.headers import SENT
from advisor.faces.web.settings import Settings

READ = 16 << 10
"""Bytes of one connection that are looked at before the next one's turn."""
PACE = 1024
"""Bytes a second that an answer has to be taken with, once it has had `take_s`."""
LINGER_S = 2.0
"""What a refused client has to read why: closed at once, what it still sends would make the system drop the answer."""
LINGERING = 64
"""Refused connections that are kept so long at most; further ones are closed at once."""
SAID = {
    400: ("Bad Request", "no HTTP that is taken", "a head that is too long, or tells more than one length, is none"),
    429: ("Too Many Requests", "too many connections of this client", "close some"),
    503: ("Service Unavailable", "every connection that may be open is in use", "try again"),
}


class Crowd:
    """The connections that are open, and of them those that wait for a request, longest first."""

    def __init__(self, settings: Settings, most: int) -> None:
        self._most, self._of_one = most, settings.client_connections
        self._free = networks((*settings.unlimited, *settings.proxies))
        self._idle: dict[Hurried, None] = {}
        self._inside: dict[Hurried, str] = {}
        self._of: Counter[str] = Counter()
        self.lingering = self.turned_away = self.made_room = 0

    @property
    def open(self) -> int:
        """How many there are."""
        return len(self._inside)

    def enter(self, one: Hurried, peer: str) -> int:
        """Take one in, in the place of another if need be; else the status that says why not."""
        key = "" if within(peer, self._free) else keyed(peer)
        if key and self._of_one and self._of[key] >= self._of_one:
            self.turned_away += 1
            return 429
        if len(self._inside) >= self._most:
            longest = next(iter(self._idle), None)
            if longest is None:
                self.turned_away += 1
                return 503
            self.made_room += 1
            self.leave(longest)
            longest.transport.close()
        self._inside[one] = key
        if key:
            self._of[key] += 1
        return 0

    def leave(self, one: Hurried) -> None:
        """One has gone, or goes."""
        self._idle.pop(one, None)
        key = self._inside.pop(one, "")
        if key:
            self._of[key] -= 1
            if not self._of[key]:
                del self._of[key]

    def waits(self, one: Hurried) -> None:
        """One has nothing to be answered; from when it had none it counts."""
        if one in self._inside:
            self._idle.setdefault(one)

    def works(self, one: Hurried) -> None:
        """One is being answered."""
        self._idle.pop(one, None)


class Hurried(H11Protocol):
    """One connection."""

    def __init__(self, *given: Any, crowd: Crowd, settings: Settings, **named: Any) -> None:
        super().__init__(*given, **named)
        self._crowd, self._settings = crowd, settings
        self._turned_away = False
        self._head: asyncio.TimerHandle | None = None
        self._rest: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._unsent = 0

    def connection_made(self, transport: Any) -> None:
        """Take it in, and begin to wait; or say why not."""
        super().connection_made(transport)
        transport.max_size = READ
        transport.set_write_buffer_limits(high=0)  # so that one hears of every byte that is not taken
        status = self._crowd.enter(self, self.client[0] if self.client else "")
        if status:
            self._turn_away(status)
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Part of a head, or more."""
        if self._turned_away:
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """The next head may have begun to come while this answer was on its way; or the body is still coming."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Something is not taken yet."""
        super().pause_writing()
        self._look_again()

    def resume_writing(self) -> None:
        """All has been taken."""
        super().resume_writing()
        self._taking = _stopped(self._taking)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._crowd.leave(self)
        if self._turned_away and self._rest is not None:
            self._crowd.lingering -= 1
        self._head, self._rest, self._taking = map(_stopped, (self._head, self._rest, self._taking))

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP, or a body that does not go on as one. Where an answer has begun there is nothing to say."""
        if self.cycle is not None and self._answering:
            self.cycle.disconnected = True  # the application is told so, and what it answers goes nowhere
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.close()
                return
        self._turn_away(400)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self) -> None:
        """A head has `head_s` to come, the rest of a body that nobody waits for `rest_s`."""
        if self._turned_away:
            return
        if self._answering:
            self._crowd.works(self)
        else:
            self._crowd.waits(self)
        if self.conn.their_state is not h11.IDLE:
            self._head = _stopped(self._head)
        elif self._head is None:
            self._head = self.loop.call_later(self._settings.head_s, self.transport.close)
        if self.conn.their_state is not h11.SEND_BODY or self._answering:
            self._rest = _stopped(self._rest)
        elif self._rest is None:
            self._rest = self.loop.call_later(self._settings.rest_s, self.transport.close)

    def _look_again(self) -> None:
        self._unsent = self.transport.get_write_buffer_size()
        self._taking = self.loop.call_later(self._settings.take_s, self._look)

    def _look(self) -> None:
        """Drop a client that does not take its answer."""
        taken = self._unsent - self.transport.get_write_buffer_size()
        if taken < PACE * self._settings.take_s:
            self.transport.abort()
        else:
            self._look_again()

    def _turn_away(self, status: int) -> None:
        """Answer without the application, and close once the client has read it, or has had the time to."""
        self._turned_away = True
        self._crowd.leave(self)
        self._head = _stopped(self._head)
        self._rest = _stopped(self._rest)
        self.transport.write(turned_away(status))
        if self._crowd.lingering >= LINGERING or not self.transport.can_write_eof():
            self.transport.close()
            return
        self._crowd.lingering += 1
        self.transport.write_eof()
        self._rest = self.loop.call_later(LINGER_S, self.transport.abort)


def turned_away(status: int) -> bytes:
    """A whole answer, with the headers and the shape of all others."""
    phrase, what, hint = SAID[status]
    body = json.dumps({"what": what, "where": None, "hint": hint}).encode() + b"\n"
    headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close", **SENT}
    if status != 400:
        headers["retry-after"] = "5"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _stopped(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """No timer any more."""
    if timer is not None:
        timer.cancel()
    return None
