"""A service in a process of its own, as `advisor serve` starts it, and requests to it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
STARTS_WITHIN_S = 90
"""Of one that is started beside a whole suite: twenty times what it takes."""


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


class Served(NamedTuple):
    """A running service: its process, its port, the folder for its temporary files, what it said when it started."""

    process: subprocess.Popen[str]
    port: int
    folder: Path
    said: str

    def rest(self) -> str:
        """What it said after that, to its end."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request on a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def post(self, path: str, said: object) -> Answer:
        """JSON."""
        return self.ask("POST", path, json.dumps(said).encode(), Content_Type="application/json")

    def upload(self, path: str, parts: Sequence[tuple[str, str | None, bytes]]) -> Answer:
        """Multipart: names, file names (None for a field), contents."""
        kind, body = multipart(parts)
        return self.ask("POST", path, body, Content_Type=kind)


def multipart(parts: Sequence[tuple[str, str | None, bytes]], boundary: str = "b0undary") -> tuple[str, bytes]:
    """A body, and its content type."""
    body = b""
    for name, file, content in parts:
        said = f'form-data; name="{name}"' + (f'; filename="{file}"' if file is not None else "")
        body += f"--{boundary}\r\nContent-Disposition: {said}\r\n\r\n".encode() + content + b"\r\n"
    return f"multipart/form-data; boundary={boundary}", body + f"--{boundary}--\r\n".encode()


@contextmanager
def serving(
    folder: Path, *options: str, ready: bool = True, cwd: Path = ROOT, within_s: float = STARTS_WITHIN_S
) -> Iterator[Served]:
    """`advisor serve` on a free port, started in a folder; killed at the end if it is still there.

    AssertionError with what it printed where it does not start in time, or ends instead.
    """
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "advisor", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    late = Timer(within_s, process.kill)  # which ends every wait below
    try:
        late.start()
        yield _started(process, folder, late, ready)
    finally:
        late.cancel()
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def _started(process: subprocess.Popen[str], folder: Path, late: Timer, ready: bool) -> Served:
    """The service once it has said where it listens and, if asked for, that its workers are there."""
    assert process.stderr is not None
    said, began = "", time.monotonic()
    try:
        while not (found := re.search(r"http://\S+:(\d+)/", said)):
            line = process.stderr.readline()
            if not line:
                raise OSError("it said no address")
            said += line
        served = Served(process, int(found[1]), folder, said)
        while ready and served.ask("GET", "/healthz").status != 200:
            time.sleep(0.05)
    except (OSError, HTTPException) as error:
        in_time = time.monotonic() - began < late.interval - 0.1  # its timer starts before this does
        slow = "ended before it was ready" if in_time else f"not ready within {late.interval:g} s"
        process.kill()
        raise AssertionError(f"advisor serve: {slow} ({error}); it printed:\n{said}{process.stderr.read()}") from error
    late.cancel()
    return served


def a_log(lines: int) -> bytes:
    """A healthy log, as long as a job is to take."""
    row = (
        "INFO 08-22 11:{:02}:{:02} [loggers.py:123] Engine 000: Avg prompt throughput: {}.3 tokens/s, Running: 8 reqs\n"
    )
    return "".join(row.format(at // 60 % 60, at % 60, at) for at in range(lines)).encode()
