"""A service with short times and few places, in a process of its own, and raw sockets to it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.web.served import ROOT

START = """
import json, sys
from advisor.faces.web import server, settings
given = json.loads(sys.argv[1])
drain = given.pop("drain_s")
listening = server.bound("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
server.run(settings.Settings(**{name: tuple(one) if isinstance(one, list) else one for name, one in given.items()}), listening, drain)
"""
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Hurried(NamedTuple):
    """The process and its port."""

    process: subprocess.Popen[str]
    port: int

    def connect(self, small: bool = False) -> socket.socket:
        """A connection; `small`: with hardly any room for what is not read."""
        made = socket.socket()
        if small:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        made.settimeout(15)
        made.connect(("127.0.0.1", self.port))
        return made

    def status(self) -> int:
        """What somebody else is answered meanwhile."""
        with self.connect() as one:
            one.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            return int(told(one)[9:12])

    def metric(self, name: str) -> float:
        """One of its counters."""
        with self.connect() as one:
            one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return float(re.findall(rf"(?m)^{name} (\S+)$", told(one).decode())[0])


def answered(one: socket.socket) -> bool:
    """Whether it is answered well, and to the end, when it asks how the service is."""
    one.sendall(GET)
    said = b""
    while not said.endswith(b'"ready"}\n') and (more := one.recv(65_536)):
        said += more
    return said.startswith(b"HTTP/1.1 200")


def told(one: socket.socket) -> bytes:
    """All that comes, to the end of the connection; b"" where it was cut."""
    said = b""
    try:
        while more := one.recv(65_536):
            said += more
    except ConnectionResetError:
        pass
    return said


@contextmanager
def hurried(folder: Path, **settings: object) -> Iterator[Hurried]:
    """Running and ready; it has to end by itself on SIGTERM, having said nothing but what a test reads."""
    words = [sys.executable, "-c", START, json.dumps({"drain_s": 1, "workers": 1, **settings})]
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        made = Hurried(process, int(process.stdout.readline()))
        while made.status() != 200:
            time.sleep(0.05)
        yield made
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
