"""What ordinary clients ask, so many times; and what the service holds in memory meanwhile."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from tests.ci_ground import FAULTY
from tests.soak.asking import Client, Seen, get, post, upload
from tests.soak.service import Service
from tests.web.served import ROOT

CLIENTS = 12
SAMPLE_S = 1.0
DEMO = ROOT / "docs" / "demo"


def kinds() -> list[tuple[int, list[bytes]]]:
    """How often of a hundred, and what: judgements, look-ups, pages, refusals."""
    log = (DEMO / "scheduler.log").read_text()
    stack = (DEMO / "rank0.stack.txt").read_bytes()
    return [
        (8, [post("/v1/check", {"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve m/x -tp 4 -pp 2"]})]),
        (4, [post("/v1/check", {"engine": "sglang", "files": [{"name": "scheduler.log", "content": log}]})]),
        (3, [upload("/v1/check", ("engine", None, b"sglang"), ("stack", "rank0.stack.txt", stack))]),
        (3, [upload("/v1/lint", ("file", "k8s/vllm.yaml", FAULTY.read_bytes()))]),
        (2, [upload("/diagnose", ("file", "a.log", log.encode()), ("engine", None, b"sglang"))]),
        (8, [get("/v1/rules/vllm/pp-broadcast-skew"), get("/v1/flags/vllm/0.28.0?grep=spec")]),
        (8, [get("/v1/rules?q=hang&limit=3"), get("/rules/vllm/pp-broadcast-skew"), get("/")]),
        (40, [get("/healthz"), get("/static/page.css"), get("/metrics"), get("/openapi.json")]),
        (12, [get("/nothing"), get("/v1/check"), get("/v1/rules?nonsense=1"), get("/metrics", Host="evil.example")]),
        (12, [post("/v1/check", {"enigne": "vllm"}), post("/v1/check", b"{"), upload("/v1/check", ("core", "a", b""))]),
    ]


def asked(seed: int = 1) -> Iterator[bytes]:
    """Requests without end, the same ones for one seed."""
    chosen = random.Random(seed)
    of = kinds()
    while True:
        for _, some in chosen.choices(of, [count for count, _ in of], k=100):
            yield chosen.choice(some)


class Memory:
    """What was held, each time with how many requests had been answered."""

    def __init__(self, service: Service, seen: Seen) -> None:
        self._service, self._seen = service, seen
        self.samples: list[tuple[int, int]] = []

    async def watch(self) -> None:
        """Look, until cancelled."""
        while True:
            self.samples.append((len(self._seen.times), await asyncio.to_thread(self._service.memory_kib)))
            await asyncio.sleep(SAMPLE_S)

    def slope(self, warm: float) -> float:
        """Bytes a request, once so much of all was asked."""
        after = self.samples[-1][0] * warm
        late = [one for one in self.samples if one[0] >= after]
        return statistics.linear_regression(*zip(*late, strict=True)).slope * 1024 if len(late) > 2 else 0.0

    def ends(self, warm: float) -> tuple[float, float]:
        """MiB when warm, and at the end: the middle of some samples each."""
        after = self.samples[-1][0] * warm
        late = [held / 1024 for at, held in self.samples if at >= after] or [self.samples[-1][1] / 1024]
        some = max(1, len(late) // 5)
        return statistics.median(late[:some]), statistics.median(late[-some:])


async def load(port: int, seen: Seen, count: int) -> float:
    """So many requests by a few clients; how many a second."""
    feed = islice(asked(), count)
    begun = time.perf_counter()

    async def one() -> None:
        client = Client(port, seen)
        for request in feed:
            await client.ask(request)
        client.close()

    await asyncio.gather(*(one() for _ in range(CLIENTS)))
    return count / (time.perf_counter() - begun)


class Beside:
    """Ordinary clients while something else goes on: `async with`; then `seen` is what they were answered."""

    def __init__(self, port: int, all_seen: Seen, clients: int = 4) -> None:
        self._port, self._all, self._clients = port, all_seen, clients
        self.seen = Seen()
        self._tasks: Sequence[asyncio.Task[None]] = ()

    async def __aenter__(self) -> Beside:
        self._stop = False
        self._tasks = [asyncio.create_task(self._one(at)) for at in range(self._clients)]
        return self

    async def _one(self, seed: int) -> None:
        client = Client(self._port, self.seen)
        for request in asked(seed):
            if self._stop:
                break
            await client.ask(request)
        client.close()

    async def __aexit__(self, *_: object) -> None:
        self._stop = True
        await asyncio.gather(*self._tasks)
        self._all.statuses += self.seen.statuses
        self._all.wrong += self.seen.wrong
