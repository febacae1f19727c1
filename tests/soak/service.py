"""A service to wear down: `python -m tests.soak.service OPTIONS…` is `advisor serve OPTIONS…`, whose clock SIGUSR2 sets."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import psutil

from advisor.own_folders import LOCK
from tests.web.served import ROOT

TOKEN = "a-token-that-nobody-may-see"
DAY_S = 86_400
WORKERS = 2
JOB_S = 10


class Service(NamedTuple):
    """The process, its port and its folder for temporary files; its standard error goes to a file."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path
    said: Path

    @property
    def whole(self) -> psutil.Process:
        """To look at."""
        return psutil.Process(self.process.pid)

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that judge."""
        return self.whole.children()

    def memory_kib(self) -> int:
        """What it and its processes hold, what they share counted once."""
        held = 0
        for one in (self.whole, *self.workers):
            try:
                held += one.memory_full_info().pss >> 10
            except psutil.NoSuchProcess:  # replaced at this moment
                continue
        return held

    def left(self) -> list[str]:
        """What of requests lies on disk."""
        return [one.name for own in self.folder.glob("advisor-serve-*") for one in own.iterdir() if one.name != LOCK]


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Service]:
    """Listening, with a token; killed at the end if it is still there."""
    uploads, said, token = folder / "uploads", folder / "said", folder / "token"
    uploads.mkdir(parents=True)
    token.write_text(TOKEN)
    given = ("--port", "0", "--token-file", str(token), "--workers", str(WORKERS), "--max-seconds", str(JOB_S))
    with said.open("wb") as error:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.service", *given, *options],
            stderr=error,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(uploads)},
        )
    try:
        until = time.monotonic() + 60
        while not (found := re.search(r"http://\S+:(\d+)/", said.read_text())):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"the service does not start: {said.read_text()}")
            time.sleep(0.05)
        yield Service(process, int(found[1]), uploads, said)
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Serve. Every SIGUSR2 sets the wall clock of this process: a day ahead, a day back, right."""
    from advisor.__main__ import run

    really, shifts, shift = time.time, cycle((DAY_S, -DAY_S, 0)), [0]

    def turned(*_: object) -> None:
        shift[0] = next(shifts)

    time.time = lambda: really() + shift[0]
    signal.signal(signal.SIGUSR2, turned)
    sys.argv = ["advisor", "serve", *sys.argv[1:]]
    run()


if __name__ == "__main__":
    main()
