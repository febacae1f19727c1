"""Requests on connections that stay, and what was answered: counted, timed, and looked through for what nobody may see."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.soak.service import TOKEN
from tests.web.served import multipart

NEVER = ("Traceback", "site-packages", "advisor-serve-", "/request-", TOKEN)
"""What no answer says, nor standard error."""


class Answer(NamedTuple):
    """What came back; status 0 where the connection was closed instead."""

    status: int
    head: str = ""
    body: bytes = b""


@dataclass
class Seen:
    """Everything that was answered."""

    statuses: Counter[int] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, asked: bytes, answer: Answer, seconds: float) -> Answer:
        """Count one."""
        self.statuses[answer.status] += 1
        self.times.append(seconds)
        first = asked.partition(b"\r\n")[0][:80].decode("latin-1")
        if answer.status >= 500 and not (answer.status == 503 and "\r\nretry-after: " in answer.head.lower()):
            self.wrong.append(f"{first}: {answer.status} {answer.body[:200]!r}")
        if answer.status and "\r\nx-content-type-options: nosniff\r\n" not in answer.head.lower():
            self.wrong.append(f"{first}: {answer.status} without its headers")
        if answer.status >= 400:
            said = answer.head + answer.body.decode("utf-8", "replace")
            self.wrong += [f"{first}: {answer.status} says {word}" for word in NEVER if word in said]
        return answer

    def p95_ms(self) -> float:
        """Of all times."""
        return statistics.quantiles(self.times, n=20)[18] * 1000 if len(self.times) > 1 else 0.0

    def classes(self) -> str:
        """How many of each class."""
        of: Counter[str] = Counter()
        for status, count in self.statuses.items():
            of[f"{status // 100}xx" if status else "closed"] += count
        return ", ".join(f"{name} {count}" for name, count in sorted(of.items()))


class Client:
    """One client, who connects again when the connection was closed."""

    def __init__(self, port: int, seen: Seen) -> None:
        self._port, self._seen = port, seen
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, asked: bytes) -> Answer:
        """One request and its answer."""
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(60):
                answer = await self._asked(asked)
        except (OSError, asyncio.IncompleteReadError):
            answer = Answer(0)
        except TimeoutError:
            answer = Answer(0)
            self._seen.wrong.append(f"{asked[:80]!r}: no answer in a minute")
        if not answer.status or "\r\nconnection: close" in answer.head.lower():
            self.close()
        return self._seen.add(asked, answer, time.perf_counter() - begun)

    async def _asked(self, asked: bytes) -> Answer:
        if self._open is None:
            self._open = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._open
        writer.write(asked)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return Answer(int(head[9:12]), head.decode("latin-1"), await reader.readexactly(length))

    def close(self) -> None:
        """Go."""
        if self._open is not None:
            self._open[1].close()
            self._open = None


def get(path: str, **headers: str) -> bytes:
    """A GET with the token."""
    return _request("GET", path, "", b"", headers)


def post(path: str, said: object, **headers: str) -> bytes:
    """A POST of JSON; bytes as they are."""
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    return _request("POST", path, "application/json", body, headers)


def upload(path: str, *parts: tuple[str, str | None, bytes], **headers: str) -> bytes:
    """A POST of multipart."""
    kind, body = multipart(parts)
    return _request("POST", path, kind, body, headers)


def _request(method: str, path: str, kind: str, body: bytes, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {TOKEN}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if method == "POST":
        lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
