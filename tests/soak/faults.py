"""Faults, planted from outside: processes lost, hung and hungry; disk, descriptors, clock, signals."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from tests.soak.asking import Answer, Client, Seen, get, post, upload
from tests.soak.hostile import Line
from tests.soak.service import DAY_S, JOB_S, WORKERS, Service, serving
from tests.web.served import a_log

HANG = post("/v1/check", {"engine": "vllm", "symptom": "hang"})
SMALL = upload("/v1/check", ("log", "a.log", a_log(50)), ("symptom", None, b"hang"))
TIMES, AT_ONCE = 5, 6


async def _once(service: Service, seen: Seen, asked: bytes) -> Answer:
    client = Client(service.port, seen)
    try:
        return await client.ask(asked)
    finally:
        client.close()


async def _until(true: Callable[[], bool], within_s: float = 30) -> bool:
    until = time.monotonic() + within_s
    while not true():
        if time.monotonic() > until:
            return False
        await asyncio.sleep(0.05)
    return True


def _again(one: Answer) -> bool:
    return one.status == 503 and "\r\nretry-after: " in one.head.lower()


async def _with_one_stopped(service: Service, seen: Seen, then: Callable[[psutil.Process], object]) -> list[Answer]:
    """Requests that one process, which has been stopped, has in its hands or not; what was answered.

    The service gives a request to whichever process was idle last: where none has met the stopped one, the next is.
    """
    asking: list[asyncio.Task[Answer]] = []
    for victim in (*service.workers, *service.workers):
        victim.suspend()
        asking += [asyncio.create_task(_once(service, seen, HANG)) for _ in range(AT_ONCE)]
        await asyncio.sleep(1)
        if not all(one.done() for one in asking):
            break
        victim.resume()
    then(victim)
    answers = [await one for one in asking]
    await _until(lambda: victim.pid not in {one.pid for one in service.workers})
    await _until(lambda: len(service.workers) == WORKERS)
    return answers


async def killed(service: Service, seen: Seen) -> Line:
    """A process is killed in the middle of a request: that one is told to come again, others are not disturbed."""
    answers = []
    for _ in range(TIMES):
        answers += await _with_one_stopped(service, seen, lambda victim: victim.kill())
    again, well = sum(map(_again, answers)), sum(one.status == 200 for one in answers)
    whole = (await _once(service, seen, HANG)).status == 200 and len(service.workers) == WORKERS
    return (
        f"processes killed in the middle of a request: {TIMES}; {again} told to come again, {well} others answered, "
        f"{len(service.workers)} processes again",
        again == TIMES and well == len(answers) - TIMES and whole,
    )


async def stopped(service: Service, seen: Seen) -> Line:
    """A process hangs (SIGSTOP): it is killed after the time of a judgement and replaced."""
    begun = time.monotonic()
    answers = await _with_one_stopped(service, seen, lambda victim: None)
    took = time.monotonic() - begun
    again = [one for one in answers if _again(one)]
    return (
        f"process hung: replaced after {took:.0f} s (limit {JOB_S} s); {len(again)} told to come again, "
        f"{len(answers) - len(again)} others answered",
        len(again) == 1 and all(one.status == 200 for one in answers if one not in again) and took < JOB_S + 20,
    )


async def hungry(service: Service, seen: Seen) -> Line:
    """A request that would take gigabytes: 413, and a new process."""
    before = {one.pid for one in service.workers}
    answer = await _once(service, seen, post("/v1/check", b'{"files": [' + b"{}," * 20_000_000 + b"{}]}"))
    new = await _until(lambda: len(service.workers) == WORKERS and {one.pid for one in service.workers} != before)
    well = (await _once(service, seen, HANG)).status == 200
    return (
        f"memory of a process at its limit: answered {answer.status}, replaced {new}",
        answer.status == 413 and new and well,
    )


async def swept(service: Service, seen: Seen) -> Line:
    """The folder for uploads is removed."""
    for one in service.folder.glob("advisor-serve-*"):
        shutil.rmtree(one)
    answer = await _once(service, seen, SMALL)
    return f"folder for uploads removed: the next upload answered {answer.status}", answer.status == 200


async def full(service: Service, seen: Seen) -> Line:
    """No byte can be written to a file (RLIMIT_FSIZE), as on a full disk."""
    whole = service.whole
    given = whole.rlimit(psutil.RLIMIT_FSIZE)
    whole.rlimit(psutil.RLIMIT_FSIZE, (0, given[1]))
    try:
        answer = await _once(service, seen, SMALL)
        other = await _once(service, seen, get("/v1/rules?q=hang"))
    finally:
        whole.rlimit(psutil.RLIMIT_FSIZE, given)
    after = await _once(service, seen, SMALL)
    return (
        f"no byte can be written: an upload told {answer.status} with Retry-After, a look-up {other.status}; then "
        f"{after.status}",
        _again(answer) and other.status == after.status == 200 and not service.left(),
    )


async def no_descriptors(service: Service, seen: Seen) -> Line:
    """No descriptor is left: who is connected is answered, who comes waits until there are again."""
    whole, before = service.whole, Client(service.port, seen)
    await before.ask(get("/healthz"))
    given = whole.rlimit(psutil.RLIMIT_NOFILE)
    whole.rlimit(psutil.RLIMIT_NOFILE, (whole.num_fds(), given[1]))
    try:
        within = await before.ask(get("/healthz"))
        waiting = [asyncio.create_task(_once(service, seen, get("/healthz"))) for _ in range(20)]
        await asyncio.sleep(1)
    finally:
        whole.rlimit(psutil.RLIMIT_NOFILE, given)
    after = [(await one).status for one in waiting]
    before.close()
    return (
        f"no descriptor left for a second: connected answered {within.status}, {after.count(200)} of {len(after)} that waited answered after",
        within.status == 200 and after == [200] * len(after),
    )


async def clock(service: Service, seen: Seen) -> Line:
    """The wall clock is set a day ahead, a day back, and right; a client at its limit stays there no longer than before."""
    right = 0
    for _ in range(3):
        service.process.send_signal(signal.SIGUSR2)
        await asyncio.sleep(0.2)
        who = {"X_Forwarded_For": f"198.51.100.{10 + right}"}
        client = Client(service.port, seen)
        told = [(await client.ask(get("/healthz?", **who))).status for _ in range(3)]
        limited = [(await client.ask(get("/nothing", **who))).status for _ in range(130)]
        await asyncio.sleep(1.2)
        after = (await client.ask(get("/nothing", **who))).status
        judged = (await client.ask(HANG)).status
        client.close()
        right += told == [200] * 3 and 429 in limited and limited[0] == 404 and after == 404 and judged == 200
    return f"clock set by {DAY_S:+d} s, {-DAY_S:+d} s and right: {right} of 3 left the limits as they were", right == 3


async def limited(service: Service, seen: Seen) -> Line:
    """One client asks more than it may, another does not, behind a proxy that is trusted."""
    mine, yours = {"X_Forwarded_For": "203.0.113.7, 198.51.100.7"}, {"X_Forwarded_For": "198.51.100.7, 203.0.113.8"}
    client = Client(service.port, seen)
    statuses = [await client.ask(get("/nothing", **mine)) for _ in range(300)]
    other = await client.ask(get("/nothing", **yours))
    client.close()
    asking = [asyncio.create_task(_once(service, seen, post("/v1/check", {"symptom": "hang"}, X_Forwarded_For="198.51.100.9")))
              for _ in range(60)]  # fmt: skip
    at_once = [(await one).status for one in asking]
    away = [one for one in statuses if one.status == 429]
    told = all("\r\nretry-after: " in one.head.lower() for one in away)
    return (
        f"limits of a client: of 300 requests in a row {len(away)} got 429 with Retry-After, of 60 at once {at_once.count(429)}; another "
        f"client {other.status}",
        bool(away) and told and other.status == 404 and 0 < at_once.count(429) < 60 and set(at_once) <= {200, 429},
    )


async def drained(service: Service, seen: Seen) -> Line:
    """SIGTERM while requests run: those are answered, others find nobody, and it exits 0 leaving nothing."""
    log = upload("/v1/check", ("log", "a.log", a_log(60_000)))
    asking = [asyncio.create_task(_once(service, seen, log)) for _ in range(4)]
    await asyncio.sleep(0.7)
    begun = time.monotonic()
    service.process.send_signal(signal.SIGTERM)
    await asyncio.sleep(0.3)
    refused = (await _once(service, Seen(), get("/healthz"))).status == 0
    service.process.send_signal(signal.SIGTERM)  # a second one changes nothing
    code = await asyncio.to_thread(service.process.wait, 40)
    took = time.monotonic() - begun
    answers = [(await one).status for one in asking]
    left = list(service.folder.iterdir())
    return (
        f"SIGTERM: {answers.count(200)} of {len(answers)} in flight answered, new ones refused {refused}, exit {code} after {took:.1f} s, "
        f"{len(left)} files left",
        set(answers) == {200} and refused and code == 0 and not left,
    )


async def ended(scratch: Path) -> Line:
    """kill -9 of the service: its processes end by themselves, also one in the middle of a request."""
    with serving(scratch / "second") as service:
        seen = Seen()
        until = time.monotonic() + 60
        while (await _once(service, seen, get("/healthz"))).status != 200 and time.monotonic() < until:
            await asyncio.sleep(0.1)
        asking = asyncio.create_task(_once(service, seen, upload("/v1/check", ("log", "a.log", a_log(60_000)))))
        await asyncio.sleep(0.4)
        children = service.workers
        service.process.kill()
        _, alive = await asyncio.to_thread(psutil.wait_procs, children, 30)
        await asking
        with suppress(OSError):
            shutil.rmtree(service.folder)
        return f"kill -9 of the service: of {len(children)} processes {len(alive)} left", len(
            children
        ) == WORKERS and not alive
