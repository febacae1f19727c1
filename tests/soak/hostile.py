"""Clients that are slow, many, greedy, malformed or gone. Each returns a line with figures, and whether it was borne."""

from __future__ import annotations

import asyncio
import gzip
import io
import random
import resource
import zipfile
from contextlib import suppress

from tests.soak.asking import Answer, Client, Seen, get, post, upload
from tests.soak.service import TOKEN, Service
from tests.soak.traffic import Beside, kinds
from tests.web.served import multipart
from tests.web.test_connections import SHAPES

Line = tuple[str, bool]
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SLOW, SLOW_S, DRIP_S = 300, 24, 0.5
CONNECTIONS = 11_000
OWN = 400
"""Descriptors that this process needs for itself."""
PATIENT_MS = 3000
"""What somebody else may wait for an answer meanwhile (95 of 100), on a machine that others use as well."""
AUTHORITY = f"Authorization: Bearer {TOKEN}\r\n".encode()


async def connections(port: int, count: int) -> list[Pair]:
    """So many that do nothing yet; fewer where they are not let in."""
    made = []
    for _ in range(count):
        with suppress(OSError):
            made.append(await asyncio.open_connection("127.0.0.1", port))
    return made


async def slow(service: Service, seen: Seen) -> Line:
    """Heads and bodies byte by byte, and answers that nobody takes, while others ask."""
    heads, bodies = await connections(service.port, SLOW), await connections(service.port, SLOW)
    greedy = await connections(service.port, SLOW // 10)
    for _, writer in bodies:
        writer.write(post("/v1/check", b" " * 100_000)[:-100_000])
    for _, writer in greedy:
        writer.write(get("/openapi.json") * 500)  # and none of them is read
    head = get("/v1/rules")
    async with Beside(service.port, seen) as beside:
        for at in range(int(SLOW_S / DRIP_S)):
            for one, text in ((heads, head), (bodies, b" " * len(head))):
                for _, writer in one:
                    if not writer.is_closing():
                        writer.write(text[at : at + 1])
            await asyncio.sleep(DRIP_S)
    cut = [await _end(reader) for reader, _ in heads]
    late = [await _end(reader) for reader, _ in bodies]
    for _, writer in (*heads, *bodies, *greedy):
        writer.transport.abort()
    told = sum(said.startswith(b"HTTP/1.1 408 ") for said in late)
    others = beside.seen
    borne = all(said == b"" for said in cut) and told == SLOW and 0 not in others.statuses
    borne = borne and others.p95_ms() < PATIENT_MS
    return (
        f"slow: {len(cut)} heads closed, {told} bodies told 408 and {len(greedy)} that do not read; others meanwhile: "
        f"{others.classes()}, p95 {others.p95_ms():.0f} ms",
        borne,
    )


async def _end(reader: asyncio.StreamReader) -> bytes:
    """What was said to the end; b"?" where it has not ended."""
    try:
        async with asyncio.timeout(20):
            return await reader.read()
    except TimeoutError:
        return b"?"
    except OSError:
        return b""


async def many(service: Service, seen: Seen) -> Line:
    """More connections than may be open, while others ask."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wanted = CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard - OWN)
    before = service.memory_kib()
    async with Beside(service.port, seen) as beside:
        crowd = await connections(service.port, wanted)
        asker = Client(service.port, beside.seen)
        text = (await asker.ask(get("/metrics"))).body.decode()
        asker.close()
        held = service.memory_kib()
        for _, writer in crowd:
            writer.transport.abort()
    metric = {
        name: float(value) for name, _, value in (one.partition(" ") for one in text.splitlines()) if name[0] != "#"
    }
    opened, room = int(metric["advisor_connections"]), int(metric["advisor_connections_closed_for_room"])
    others = beside.seen
    borne = len(crowd) == wanted and opened + room >= wanted and others.p95_ms() < PATIENT_MS
    return (
        f"many: {wanted} connections of which {opened} open at once, {room} closed for room, {max(0, held - before) / opened:.1f} KiB "
        f"each; others meanwhile: {others.classes()}, p95 {others.p95_ms():.0f} ms",
        borne and opened >= min(10_000, wanted) - 1,
    )


async def shapes(service: Service, seen: Seen) -> Line:
    """What is no request, or could be two: one 400 each, and the connection closed."""
    right = 0
    for sent in SHAPES.values():
        ((reader, writer),) = await connections(service.port, 1)
        with suppress(OSError):
            writer.write(sent.replace(b"\r\nContent-Type", b"\r\n" + AUTHORITY[:-2] + b"\r\nContent-Type"))
            said = await _end(reader)
            right += said.startswith(b"HTTP/1.1 400 ") and said.count(b"HTTP/1.1 ") == 1
        writer.close()
        seen.statuses[int(said[9:12] or 0)] += 1
    return f"malformed and smuggled: {right} of {len(SHAPES)} shapes got one 400 and were closed", right == len(SHAPES)


def bodies() -> dict[str, tuple[bytes, tuple[int, ...]]]:
    """Bodies to choke on, and what they may be answered with."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for at in range(20):
            archive.writestr(f"{at}.log", b"\0" * (20 << 20))
    bomb = gzip.compress(b"a" * (200 << 20), 9)
    for _ in range(2):
        bomb = gzip.compress(bomb, 9)
    kind, parts = multipart([("symptom", None, b"x")] * 100_000)
    named = parts[:200].replace(b"form-data;", b"form-data; " + b"x" * (1 << 20) + b"=1;")
    return {
        "65 MiB": (post("/v1/check", b" " * (65 << 20)), (413,)),
        "65 MiB that says 1 GiB": (post("/v1/check", b"").replace(b"Length: 0", b"Length: 1073741824"), (413,)),
        "65 MiB in chunks": (chunked("application/json", b" " * (65 << 20)), (413,)),
        "a million chunks of one byte": (chunked("application/json", b" " * 1_000_000, 1), (400,)),
        "a gzip bomb in a gzip bomb": (upload("/v1/check", ("log", "a.log.gz", bomb)), (200, 413, 422, 503)),
        "a zip of 400 MiB of zeros": (upload("/v1/check", ("file", "a.zip", zipped.getvalue())), (200, 413, 422, 503)),
        "100,000 parts": (post("/v1/check", parts).replace(b"application/json", kind.encode()), (413,)),
        "a part's header of 1 MiB": (post("/v1/check", named).replace(b"application/json", kind.encode()), (400,)),
        "a million brackets": (post("/v1/check", b"[" * 1_000_000), (400,)),
        "a field nested 100,000 deep": (post("/v1/check", b'{"a":' * 100_000 + b"1" + b"}" * 100_000), (400,)),
        "20 million objects": (post("/v1/check", b'{"files": [' + b"{}," * 20_000_000 + b"{}]}"), (413,)),
        "zeros": (upload("/v1/check", ("log", "a.log", b"\0" * (8 << 20))), (200, 422)),
        "one line of 60 MiB": (upload("/v1/check", ("log", "a.log", b"x" * (60 << 20))), (200, 413, 422)),
        "a number of a megabyte": (post("/v1/check", b'{"engine": ' + b"1" * 1_000_000 + b"}"), (400,)),
    }


def chunked(kind: str, body: bytes, each: int = 1 << 16) -> bytes:
    """A POST whose length is not told."""
    head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n" + AUTHORITY + f"Content-Type: {kind}\r\n".encode()
    parts = [b"%x\r\n%b\r\n" % (len(part), part) for at in range(0, len(body), each) if (part := body[at : at + each])]
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(parts) + b"0\r\n\r\n"


async def choking(service: Service, seen: Seen) -> Line:
    """Bodies to choke on, one by one, while others ask."""
    wrong = []
    given = await asyncio.to_thread(bodies)
    async with Beside(service.port, seen, 2) as beside:
        for name, (sent, allowed) in given.items():
            client = Client(service.port, seen)
            answer = await client.ask(sent)
            client.close()
            if answer.status not in allowed:
                wrong.append(f"{name}: {answer.status}")
    others = beside.seen
    borne = not wrong and others.p95_ms() < PATIENT_MS
    return (
        f"bodies to choke on: {len(given) - len(wrong)} of {len(given)} answered as they should{''.join(f' ({one})' for one in wrong)}; "
        f"others meanwhile: {others.classes()}, p95 {others.p95_ms():.0f} ms",
        borne,
    )


async def mutated(service: Service, seen: Seen, count: int) -> Line:
    """Ordinary requests of which bytes were changed, lost or doubled. What then waits for more is closed from here."""
    chosen = random.Random(7)
    whole = [one for _, some in kinds() for one in some]
    answers = 0

    async def one() -> None:
        nonlocal answers
        for _ in range(count // 20):
            ((reader, writer),) = await connections(service.port, 1)
            sent = _mutated(chosen.choice(whole), chosen)
            with suppress(OSError):
                writer.write(sent)
                writer.write_eof()
                said = await _end(reader)
                for part in said.split(b"HTTP/1.1 ")[1:]:
                    head, _, body = part.partition(b"\r\n\r\n")
                    seen.add(sent, Answer(int(head[:3]), head.decode("latin-1") + "\r\n", body), 0.0)
                    answers += 1
            writer.close()

    await asyncio.gather(*(one() for _ in range(20)))
    return f"mutated: {count} requests with bytes changed, lost or doubled; {answers} answers", answers > count // 2


def _mutated(request: bytes, chosen: random.Random) -> bytes:
    made = bytearray(request)
    for _ in range(chosen.randrange(1, 6)):
        at = chosen.randrange(len(made))
        what = chosen.randrange(4)
        if what == 0:
            made[at] = chosen.randrange(256)
        elif what == 1:
            del made[at : at + chosen.randrange(1, 40)]
        elif what == 2:
            made[at:at] = made[at : at + chosen.randrange(1, 40)]
        else:
            made[at:at] = bytes(chosen.choice((0, 13, 10, 34, 92, 123, 255)) for _ in range(chosen.randrange(1, 4)))
        made = made or bytearray(b"x")
    return bytes(made)


async def gone(service: Service, seen: Seen) -> Line:
    """Clients that close in the middle of what they send, or of what they are sent."""
    before = service.whole.num_fds()
    whole = upload("/v1/check", ("log", "a.log", b"x" * 300_000))
    sent = (whole[:200], whole[:150_000], whole, get("/openapi.json") * 50, post("/v1/check", {"symptom": "hang"}))
    count = 0
    for text in sent:
        for _, writer in await connections(service.port, 60):
            writer.write(text)
            with suppress(OSError):
                await writer.drain()
            writer.transport.abort()
            count += 1
    asker = Client(service.port, seen)
    for _ in range(300):
        running = (await asker.ask(get("/metrics"))).body
        if b"\nadvisor_requests_in_flight 1.0" in running and b"\nadvisor_running 0.0" in running:
            break
        await asyncio.sleep(0.1)
    asker.close()
    left = service.left()
    more = service.whole.num_fds() - before
    return (
        f"gone: {count} clients closed in the middle; left of them: {len(left)} files, {max(0, more - 1)} descriptors",
        not left and more <= 1,
    )
