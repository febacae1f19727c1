"""Processes that look like a wedged deployment, for `advisor collect`: two ranks, a server, a flight recorder's pipe.

Each is `python -m sglang.launch_server …` out of a folder with a package of that name, whose program serves /health and
/metrics, answers its pipe with a real dump, and stands in a function called all_gather. Each ends itself.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DUMPS = Path(__file__).parent / "evidence" / "data" / "tp_divergence"
LIVES_S = 120

PROGRAM = """
import http.server, os, signal, sys, threading, time

signal.alarm({lives})

class Answers(http.server.BaseHTTPRequestHandler):
    count = 0
    def do_GET(self):
        Answers.count += 1
        texts = {{"/health": "", "/metrics": "# TYPE sglang:num_running_reqs gauge\\n"
                 "sglang:num_running_reqs{{model_name=\\"m\\"}} 3.0\\nsglang:num_queue_reqs{{model_name=\\"m\\"}} %d\\n" % 7}}
        body = texts.get(self.path)
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write((body or "").encode())
    def log_message(self, *args):
        pass

def record():
    rank = os.environ["RANK"]
    pipe = os.environ["TORCH_NCCL_DEBUG_INFO_PIPE_FILE"] + rank + ".pipe"
    other = open(os.environ["TORCH_NCCL_DEBUG_INFO_PIPE_FILE"] + "no" + rank + ".pipe", "w")
    print("a file and no pipe", file=other, flush=True)
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    while True:
        try:
            asked = os.read(handle, 128)
        except BlockingIOError:
            asked = b""
        if asked:
            dump = open(os.environ["DUMPS"] + rank + ".json", "rb").read()
            open(os.environ["TORCH_NCCL_DEBUG_INFO_TEMP_FILE"] + rank, "wb").write(dump)
        time.sleep(0.02)

def all_gather():
    print("[rank" + os.environ["RANK"] + "] ready, token=hf_" + "a" * 24, flush=True)
    threading.Event().wait()

if "--port" in sys.argv and os.environ["RANK"] == "0":
    port = int(sys.argv[sys.argv.index("--port") + 1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
if "TORCH_NCCL_DEBUG_INFO_PIPE_FILE" in os.environ:
    threading.Thread(target=record, daemon=True).start()
all_gather()
"""


@dataclass(frozen=True)
class Deployment:
    """The ranks' processes, the server's port and the folder they live in."""

    ranks: tuple[subprocess.Popen[bytes], ...]
    port: int
    folder: Path

    @property
    def named(self) -> list[str]:
        """The options that name the processes."""
        return [word for one in self.ranks for word in ("--pid", str(one.pid))]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def deployed(folder: Path, ranks: int = 2, environment: Mapping[str, str] | None = None) -> Iterator[Deployment]:
    """A deployment that runs, every rank at the place where it will stay."""
    package = folder / "packages" / "sglang"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "launch_server.py").write_text(PROGRAM.format(lives=LIVES_S))
    site = folder / "venv" / "lib" / "python3.12" / "site-packages"
    for name in ("sglang-0.5.16", "torch-2.9.1", "nvidia_nccl_cu12-2.27.5", "transformers-4.57.1"):
        (site / f"{name}.dist-info").mkdir(parents=True)
    port = free_port()
    started = []
    try:
        for rank in range(ranks):
            log = folder / f"rank{rank}.log"
            with log.open("wb") as out:
                started.append(subprocess.Popen(
                    [sys.executable, "-m", "sglang.launch_server", "--model-path", "m", "--tp", "2", "--port", str(port),
                     "--api-key", "k3y", "--admin-api-key=very secret", "--max-queued-requests", "7"],
                    stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                    env={
                        **os.environ, "PYTHONPATH": str(package.parent), "RANK": str(rank), "WORLD_SIZE": "2",
                        "VIRTUAL_ENV": str(folder / "venv"), "NCCL_DEBUG": "INFO", "DUMPS": f"{DUMPS}/fr_rank_",
                        "SGLANG_API_TOKEN": "very-secret-token", "NOBODYS_BUSINESS": "x", **(environment or {}),
                    },
                ))  # fmt: skip
        deployment = Deployment(tuple(started), port, folder)
        _wait(deployment)
        yield deployment
    finally:
        for one in started:
            one.kill()
            one.wait()


def recorder(folder: Path) -> dict[str, str]:
    """What arms the flight recorder, with its files in this folder."""
    return {
        "TORCH_NCCL_TRACE_BUFFER_SIZE": "2000",
        "TORCH_NCCL_DEBUG_INFO_PIPE_FILE": f"{folder}/fr_",
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{folder}/trace_",
    }


def _wait(deployment: Deployment) -> None:
    until = time.monotonic() + 20
    waiting = list(range(len(deployment.ranks)))
    while waiting and time.monotonic() < until:
        waiting = [rank for rank in waiting if b"ready" not in (deployment.folder / f"rank{rank}.log").read_bytes()]
        time.sleep(0.02)
    logs = [(deployment.folder / f"rank{rank}.log").read_text() for rank in waiting]
    assert not waiting, f"ranks {waiting} did not get ready: {logs}"


def tool(folder: Path, name: str, script: str) -> Path:
    """A program of that name which does what the shell script says."""
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def only(folder: Path, *names: str) -> str:
    """A PATH with these programs of the machine and those that stand in `folder`."""
    folder.mkdir(exist_ok=True, parents=True)
    for name in names:
        found = shutil.which(name)
        assert found, name
        if not (folder / name).exists():
            (folder / name).symlink_to(found)
    return str(folder)
