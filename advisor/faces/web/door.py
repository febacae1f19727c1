"""The door of the service: who may come in, from which page, and what every answer is sent with.

Plain ASGI around the whole application, so that nothing is reached past it and nothing is copied.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from advisor.faces.web.clients import Clients
from advisor.faces.web.headers import SENT
from advisor.faces.web.metrics import Metrics
from advisor.faces.web.problems import DEFECT, STOPPING, Refused, answer
from advisor.faces.web.settings import ANY_HOST, Settings
from advisor.faces.workers.inside import places

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = ("/healthz",)
"""What a probe may ask without a token and by any name."""
SAFE = ("GET", "HEAD", "OPTIONS")


class Door:
    """The application behind its door."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._clients = Clients(settings)
        self._token = _digest(settings.token.encode()) if settings.token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500
        started = False

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                status, started = message["status"], True
                headers = MutableHeaders(raw=message["headers"])
                for name, value in SENT.items():
                    headers.setdefault(name, value)
            await send(message)

        async def receiving() -> MutableMapping[str, Any]:
            message = await receive()
            self._metrics.received(len(message.get("body", b"")))
            return message

        self._metrics.began()
        entered = ""
        try:
            client = "" if scope["path"] in OPEN else self._client(scope)
            self._clients.enter(client)
            entered = client
            self._admit(scope)
            await self._app(scope, receiving, sending)
        except Refused as refused:
            await answer(refused)(scope, receive, sending)
        except asyncio.CancelledError:  # the time to finish is over
            if not started:
                await answer(STOPPING)(scope, receive, sending)
            raise
        except Exception as error:
            print(f"advisor: {DEFECT.what}: {places(error)}", file=sys.stderr)
            if not started:
                await answer(DEFECT)(scope, receive, sending)
        finally:
            self._clients.leave(entered)
            route = getattr(scope.get("route"), "path", "")
            self._metrics.ended(scope["method"], route, status, time.perf_counter() - begun)

    def _client(self, scope: Scope) -> str:
        peer = scope.get("client")
        return self._clients.of(peer[0], Headers(scope=scope).getlist("x-forwarded-for")) if peer else ""

    def _admit(self, scope: Scope) -> None:
        """Raises Refused for whom, or from where, nothing is answered."""
        headers = Headers(scope=scope)
        if "transfer-encoding" in headers and ("content-length" in headers or scope["http_version"] == "1.0"):
            hint = "a proxy could see another request in it than this service"
            raise Refused(400, "tells its length in two ways", "Transfer-Encoding", hint, {"Connection": "close"})
        if scope["http_version"] not in ("1.0", "1.1"):
            raise Refused(400, "another version of HTTP", None, "HTTP/1.1", {"Connection": "close"})
        if scope["path"] in OPEN:
            return
        host = headers.get("host", "")
        hosts = self._settings.hosts
        if hosts != ANY_HOST and _name(host) not in hosts:
            raise Refused(421, "not a name of this service", "Host", "advisor serve --allow-host NAME adds one")
        if self._token and not self._knows(headers.get("authorization", "")):
            challenge = 'Basic realm="advisor", charset="UTF-8", Bearer realm="advisor"'
            hint = "Authorization: Bearer TOKEN; a browser takes it as the password of any user"
            raise Refused(401, "a token is needed", "Authorization", hint, {"WWW-Authenticate": challenge})
        if scope["method"] not in SAFE and _from_elsewhere(headers, host):
            raise Refused(
                403, "sent by a page of another site", "Origin", "send it from the page of this service, or no browser"
            )

    def _knows(self, authorization: str) -> bool:
        """Whether the token is given: as bearer, or as the password of any user."""
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return self._is(given.strip().encode("utf-8", "replace"))
        if scheme.lower() != "basic":
            return False
        try:
            password = base64.b64decode(given.strip(), validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return False
        return self._is(password)

    def _is(self, given: bytes) -> bool:
        """Whether it is the token, in a time that tells neither how much of it is right nor how long it is."""
        return hmac.compare_digest(_digest(given), self._token)


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()


def _name(host: str) -> str:
    """A Host header without its port, and without the brackets of an address."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _from_elsewhere(headers: Headers, host: str) -> bool:
    """Whether a browser says that another site sends this. What is no browser says nothing."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    try:
        return origin is not None and urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:  # http://[bad
        return True
