"""The door of the service: who may come in, from which page, and what every answer is sent with.

Plain ASGI around the whole application, so that nothing is reached past it and nothing is copied.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from advisor.faces.web.metrics import Metrics
from advisor.faces.web.problems import DEFECT, Refused, answer
from advisor.faces.web.settings import ANY_HOST, Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = ("/healthz",)
"""What a probe may ask without a token and by any name."""
SAFE = ("GET", "HEAD", "OPTIONS")
SENT = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer a form of our own would come with Origin: null
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer that does not say otherwise."""


class Door:
    """The application behind its door."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._token = settings.token.encode()

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
        try:
            self._admit(scope)
            await self._app(scope, receiving, sending)
        except Refused as refused:
            await answer(refused)(scope, receive, sending)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            print(f"advisor: {DEFECT.what}: {type(error).__name__} at {last.filename}:{last.lineno}", file=sys.stderr)
            if not started:
                await answer(DEFECT)(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "")
            self._metrics.ended(scope["method"], route, status, time.perf_counter() - begun)

    def _admit(self, scope: Scope) -> None:
        """Raises Refused for whom, or from where, nothing is answered."""
        if scope["path"] in OPEN:
            return
        headers = Headers(scope=scope)
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
            return hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token)
        if scheme.lower() != "basic":
            return False
        try:
            password = base64.b64decode(given.strip(), validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(password, self._token)


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
