"""One GET of a port of this machine -> its answer, bounded as a whole; no proxy, no redirect is followed.

HTTP/1.1 200 OK                                          as `curl -i` prints it
content-type: application/json

{"status":"healthy"}

advisor: no answer from http://127.0.0.1:30000/health: timed out after 25 s
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import threading
import time
from dataclasses import dataclass

CAP_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `status` 0 when nothing did, and `problem` says why."""

    url: str
    status: int = 0
    reason: str = ""
    body: bytes = b""
    seconds: float = 0.0
    cut: bool = False
    problem: str = ""

    @property
    def whole(self) -> bytes:
        """The body without a last line that was cut: half a number is another number."""
        return self.body[: self.body.rfind(b"\n") + 1] if self.cut else self.body

    def headed(self) -> bytes:
        """Status line and body, or the line that says that there was no answer."""
        if not self.status:
            return f"advisor: no answer from {self.url}: {self.problem}\n".encode()
        return f"HTTP/1.1 {self.status} {self.reason}\n\n".encode("latin-1", "replace") + self.body + b"\n"


def address(host: str) -> str:
    """The address to ask a process that listens on `host`: its own, or loopback where it listens on all."""
    try:
        listened = ipaddress.ip_address(host)
    except ValueError:
        return "127.0.0.1"
    if listened.is_unspecified:
        return "127.0.0.1" if listened.version == 4 else "::1"
    return host


def url(host: str, port: int) -> str:
    """The server's address as it is written."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def get(host: str, port: int, path: str, timeout_s: float, cap: int = CAP_BYTES) -> Answer:
    """GET `path`. `host` is an address of this machine. Everything that goes wrong is in what is returned."""
    asked = url(host, port) + path
    began = time.monotonic()
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    over = threading.Timer(timeout_s, _shut, (connection,))
    over.daemon = True
    over.start()
    try:
        connection.request("GET", path, headers={"Accept": "*/*", "User-Agent": "advisor-collect"})
        response = connection.getresponse()
        body = response.read(cap + 1)
        if time.monotonic() - began >= timeout_s and not body:
            raise TimeoutError
        cut = len(body) > cap or time.monotonic() - began >= timeout_s
        spent = time.monotonic() - began
        return Answer(asked, response.status, response.reason, body[:cap], spent, cut)
    except (OSError, http.client.HTTPException, ValueError) as error:
        spent = time.monotonic() - began
        late = isinstance(error, TimeoutError) or spent >= timeout_s
        problem = f"timed out after {timeout_s:g} s" if late else _plain(error)
        return Answer(asked, seconds=spent, problem=problem)
    finally:
        over.cancel()
        connection.close()


def _shut(connection: http.client.HTTPConnection) -> None:
    """End a conversation whose bytes trickle: a timeout of the socket begins anew with each."""
    sock = connection.sock
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _plain(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
