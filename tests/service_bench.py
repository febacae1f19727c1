"""Load on `advisor serve`: `python -m tests.service_bench [--clients 200] [--seconds 60]`.

A service in a process of its own, two hundred clients on loopback, each asking one thing after another: flags alone, a
pasted log, the demo's files as multipart. Printed are latencies, requests a second, statuses, and the memory of the
service and its processes when the load is steady and at its end. Exits 1 for any answer that is no 200, or for memory
that grew by more than a tenth.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from itertools import cycle
from pathlib import Path

import psutil

from tests.web.served import ROOT, multipart, serving

DEMO = ROOT / "docs" / "demo"
STEADY = 0.25  # of the time; until then caches fill
GROWTH = 1.1


def cases() -> list[bytes]:
    """Whole requests."""
    flags = [
        {"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve Qwen/Qwen3-32B -tp 4 -pp 2"]},
        {
            "engine": "sglang",
            "version": "0.5.16",
            "flags": ["--tp 8 --enable-dp-attention"],
            "env": ["NCCL_DEBUG=INFO"],
        },
        {"engine": "lmdeploy", "version": "0.12.1", "flags": ["--backend pytorch --tp 2"]},
    ]
    log = (DEMO / "scheduler.log").read_text()
    pasted = {"engine": "sglang", "files": [{"name": "scheduler.log", "content": log}], "symptom": ["it hangs"]}
    names = {"rank0.stack.txt": "stack", "rank1.stack.txt": "stack", "scheduler.log": "log"}
    parts: list[tuple[str, str | None, bytes]] = [("engine", None, b"sglang"), ("version", None, b"0.5.16")]
    parts += [(kind, name, (DEMO / name).read_bytes()) for name, kind in names.items()]
    small = [request("application/json", json.dumps(one).encode()) for one in flags]
    return [*small, request("application/json", json.dumps(pasted).encode()), *small, request(*multipart(parts))]


def request(kind: str, body: bytes) -> bytes:
    """A POST to /v1/check on a connection that stays."""
    head = f"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def client(port: int, number: int, until: float, seen: list[float], statuses: Counter[int]) -> None:
    """Ask until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = cycle(cases()[number % 8 :] + cases()[: number % 8])
    while time.perf_counter() < until:
        begun = time.perf_counter()
        writer.write(next(asked))
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        seen.append(time.perf_counter() - begun)
        statuses[int(head[9:12])] += 1
    writer.close()


def memory(pid: int) -> list[float]:
    """MiB that the service and each of its processes hold, the service first."""
    whole = psutil.Process(pid)
    return [one.memory_info().rss / (1 << 20) for one in (whole, *whole.children())]


async def load(
    port: int, pid: int, clients: int, seconds: float
) -> tuple[list[float], Counter[int], list[list[float]]]:
    """All clients at once; memory when steady and at the end."""
    seen: list[float] = []
    statuses: Counter[int] = Counter()
    until = time.perf_counter() + seconds
    asking = [asyncio.create_task(client(port, at, until, seen, statuses)) for at in range(clients)]
    await asyncio.sleep(seconds * STEADY)
    held = [memory(pid)]
    await asyncio.gather(*asking)
    return seen, statuses, [*held, memory(pid)]


def service_under_load(clients: int = 200, seconds: float = 60) -> bool:
    """Print what the load came to; whether it was borne."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        seen, statuses, held = asyncio.run(load(served.port, served.process.pid, clients, seconds))
        left = [one for own in Path(folder).iterdir() for one in own.iterdir()]
    parts = statistics.quantiles(seen, n=100)
    print(f"service under load: {clients} clients, {seconds:g} s, {len(held[0]) - 1} processes")
    print(f"  {len(seen)} answers, {len(seen) / seconds:.0f} a second; statuses {dict(statuses)}")
    print(f"  latency p50 {parts[49] * 1000:.0f} ms, p95 {parts[94] * 1000:.0f} ms, p99 {parts[98] * 1000:.0f} ms")
    for name, one in zip(("steady", "at the end"), held, strict=True):
        print(
            f"  memory {name}: service {one[0]:.0f} MiB, processes {', '.join(f'{each:.0f}' for each in one[1:])} MiB"
        )
    borne = set(statuses) == {200} and sum(held[1]) < sum(held[0]) * GROWTH and not left
    print(f"  all answered, memory flat, nothing left on disk: {'yes' if borne else 'NO'}")
    return borne


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--clients", type=int, default=200)
    options.add_argument("--seconds", type=float, default=60)
    given = options.parse_args()
    raise SystemExit(0 if service_under_load(given.clients, given.seconds) else 1)
