"""`make soak`: load, attacks and faults against a service in a process of its own; exits 1 where a promise was broken.

`SOAK_REQUESTS=100000` asks more (15,000 by default, which with all else takes four to five minutes on two idle cores).
All traffic is to 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from tests.soak import faults, hostile
from tests.soak.asking import NEVER, Client, Seen, get
from tests.soak.hostile import Line
from tests.soak.service import Service, serving
from tests.soak.traffic import CLIENTS, Memory, load

REQUESTS = int(os.environ.get("SOAK_REQUESTS", "15000"))
MUTATED = 2000
WARM = 0.2
"""Of the requests; until then caches fill."""
SLOPE, STEP = 512, 10 << 20
"""Bytes that memory may grow a request, once warm; in a short run a step of so many cannot be told from growth."""
OPTIONS = ("--trust-proxy", "127.0.0.1", "--client-rate", "10", "--client-requests", "30", "--worker-mib", "768")
ATTACKS = (hostile.slow, hostile.many, hostile.shapes, hostile.choking, hostile.gone)
FAULTS = (
    faults.killed, faults.stopped, faults.hungry, faults.swept, faults.full, faults.no_descriptors, faults.clock,
    faults.limited,
)  # fmt: skip


async def soaked(service: Service, scratch: Path) -> bool:
    """Whether all was borne; each line is printed as it comes."""
    seen, kept = Seen(), True
    begun = time.monotonic()

    def say(line: Line) -> None:
        nonlocal kept
        kept = kept and line[1]
        print(f"  {'ok  ' if line[1] else 'FAIL'} {line[0]}", flush=True)

    asker = Client(service.port, Seen())  # until it is ready
    while (await asker.ask(get("/healthz"))).status != 200:
        await asyncio.sleep(0.1)
    asker.close()
    print(f"soak: {REQUESTS} requests of {CLIENTS} clients, then attacks and faults", flush=True)
    steady = Seen()
    memory = Memory(service, steady)
    watching = asyncio.create_task(memory.watch())
    rate = await load(service.port, steady, REQUESTS)
    watching.cancel()
    say(_steady(steady, memory, rate))
    for attack in ATTACKS:
        say(await attack(service, seen))
    say(await hostile.mutated(service, seen, MUTATED))
    injected = []
    for fault in FAULTS:
        injected.append(await fault(service, seen))
        say(injected[-1])
    after = service.memory_kib() / 1024
    warm, _ = memory.ends(WARM)
    say((f"memory: {warm:.0f} MiB when warm, {after:.0f} MiB after all that", after < 1.5 * warm))
    for line in (await faults.drained(service, seen), await faults.ended(scratch)):
        injected.append(line)
        say(line)
    said = service.said.read_text()
    told = [word for word in (*NEVER, "defect") if word in said]
    say(
        (
            f"standard error: {len(said.splitlines())} lines, with a path, a stack, a secret or a defect: {told or 'none'}",
            not told,
        )
    )
    seen.statuses += steady.statuses
    seen.wrong += steady.wrong
    survived = sum(borne for _, borne in injected)
    print(
        f"soak: {sum(seen.statuses.values())} requests: {seen.classes()}; 5xx other than 503 with Retry-After: {_other(seen)}"
    )
    print(
        f"soak: {len(ATTACKS) + 1} attacks, {survived} of {len(injected)} faults survived, {time.monotonic() - begun:.0f} s"
    )
    for one in seen.wrong[:20]:
        print(f"  WRONG {one}")
    return kept and not seen.wrong and not _other(seen)


def _steady(seen: Seen, memory: Memory, rate: float) -> Line:
    warm, end = memory.ends(WARM)
    slope, most = memory.slope(WARM), max(SLOPE, int(STEP / (REQUESTS * (1 - WARM))))
    return (
        f"load: {sum(seen.statuses.values())} requests, {rate:.0f} a second, p95 {seen.p95_ms():.0f} ms; {seen.classes()}; memory "
        f"{warm:.0f} MiB when warm, {end:.0f} MiB at the end, {slope:.0f} bytes a request (at most {most})",
        0 not in seen.statuses and slope <= most and seen.classes().count("5xx") == 0,
    )


def _other(seen: Seen) -> int:
    return sum(count for status, count in seen.statuses.items() if status >= 500 and status != 503)


def main() -> int:
    """Soak."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name) / "first", *OPTIONS) as service:
        borne = asyncio.run(soaked(service, Path(name)))
    print(f"soak: {'all was borne' if borne else 'NOT all was borne'}")
    return 0 if borne else 1


if __name__ == "__main__":
    raise SystemExit(main())
