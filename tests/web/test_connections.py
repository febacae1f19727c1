"""Clients that are slow, many, silent, greedy or malformed, against a service whose times are short; others are answered."""

import time
from contextlib import ExitStack, suppress

import psutil
import pytest

from advisor.faces.web.headers import SENT
from advisor.own_folders import LOCK
from tests.web.hurried import GET, answered, hurried, told

MOST = 60
POST = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hurried")
    times = {"head_s": 1, "pause_s": 0.5, "rest_s": 0.5, "take_s": 0.5}
    with hurried(folder, connections=MOST, head_bytes=8192, **times) as made:
        yield made
        assert len(list(folder.iterdir())) == 1, "its own folder"
        assert [one.name for one in next(folder.iterdir()).iterdir()] == [LOCK], "nothing of a request"
    assert not list(folder.iterdir())


def many(service, stack, count, **how):
    return [stack.enter_context(service.connect(**how)) for _ in range(count)]


def test_heads_byte_by_byte_keep_nobody_from_being_answered(service):
    with ExitStack() as stack:
        slow = many(service, stack, MOST - 10)
        begun = time.monotonic()
        for at in range(8):
            for one in slow:
                one.sendall(GET[at : at + 1])
            assert service.status() == 200
        assert [told(one) for one in slow] == [b""] * len(slow), "closed without a word"
        assert time.monotonic() - begun < 10


def test_bodies_byte_by_byte_are_told_that_they_are_late(service):
    with ExitStack() as stack:
        slow = many(service, stack, MOST - 10)
        for one in slow:
            one.sendall(POST + b"Content-Length: 5000\r\n\r\n")
        begun = time.monotonic()
        while time.monotonic() - begun < 0.8:  # never a pause, and never enough
            for one in slow:
                one.sendall(b" ")
            assert service.status() == 200
        assert {told(one)[9:12] for one in slow} == {b"408"}


def test_one_more_connection_than_may_be_takes_the_place_of_the_longest_idle(service):
    with ExitStack() as stack:
        before = service.metric("advisor_connections_closed_for_room")
        crowd = many(service, stack, 5 * MOST)
        assert all(map(answered, crowd[-3:])), "the last to come are in"
        assert service.metric("advisor_connections_closed_for_room") - before >= 4 * MOST
        assert service.metric("advisor_connections") <= MOST


def test_where_all_are_being_answered_one_more_is_told_so(service):
    with ExitStack() as stack:
        for one in many(service, stack, MOST):
            one.sendall(POST + b"Content-Length: 500\r\n\r\n{")
        time.sleep(0.1)
        more = stack.enter_context(service.connect())
        more.sendall(GET)
        said = told(more)
        assert said.startswith(b"HTTP/1.1 503 ") and b"\r\nretry-after: 5\r\n" in said
        assert all(f"\r\n{name}: {value}\r\n".encode() in said for name, value in SENT.items())
        assert b'"what": "every connection that may be open is in use"' in said


def test_a_client_that_does_not_read_is_dropped(service):
    """Ten thousand pages asked for and none taken."""
    with service.connect(small=True) as greedy:
        ask = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400
        greedy.settimeout(0.2)
        with pytest.raises((TimeoutError, ConnectionError)):
            while True:
                greedy.sendall(ask)
        begun = time.monotonic()
        while service.metric("advisor_connections") > 1:
            assert time.monotonic() - begun < 10, "it is still waited for"
            time.sleep(0.05)


def test_a_body_that_nobody_asked_for_is_not_read_for_ever(service):
    with service.connect() as one:
        one.sendall(GET.replace(b"\r\n\r\n", b"\r\nContent-Length: 100000\r\n\r\n"))
        assert one.recv(65_536).startswith(b"HTTP/1.1 200")
        begun = time.monotonic()
        with pytest.raises(ConnectionError):
            while time.monotonic() - begun < 10:
                one.sendall(b"x")
                time.sleep(0.02)


def test_one_who_goes_in_the_middle_leaves_nothing(service):
    """The fixture looks for what is left on disk; descriptors are counted here."""
    whole = psutil.Process(service.process.pid)
    before, children = whole.num_fds(), len(whole.children())
    for sent in (POST + b"Content-Length: 5000\r\n\r\n{", GET[:20], GET * 20):
        for one in [service.connect() for _ in range(20)]:
            one.sendall(sent)
            one.close()
    begun = time.monotonic()
    while whole.num_fds() > before + 1 and time.monotonic() - begun < 5:
        time.sleep(0.05)
    assert whole.num_fds() <= before + 1 and len(whole.children()) == children
    assert service.metric("advisor_requests_in_flight") == 1


BODY = b'{"symptom": "hang"}'
SHAPES = {
    "two lengths": POST + b"Content-Length: 19\r\nContent-Length: 3\r\n\r\n" + BODY,
    "a length and chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "chunks and a length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 100\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a coding that is none": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "two codings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "chunks of an old client": POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a length below nothing": POST + b"Content-Length: -1\r\n\r\n" + SMUGGLED,
    "a length with a sign": POST + b"Content-Length: +19\r\n\r\n" + BODY,
    "a length in hex": POST + b"Content-Length: 0x13\r\n\r\n" + BODY,
    "a length of many digits": POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + BODY,
    "a space before the colon": POST + b"Content-Length : 19\r\n\r\n" + BODY,
    "a chunk that is none": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + BODY,
    "a chunk longer than it says": POST + b"Transfer-Encoding: chunked\r\n\r\n3\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a name of a megabyte": b"GET / HTTP/1.1\r\n" + b"x" * (1 << 20) + b": y\r\n\r\n",
    "a path of a megabyte": b"GET /" + b"x" * (1 << 20) + b" HTTP/1.1\r\n\r\n",
    "ten thousand headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 10_000 + b"\r\n",
    "a zero in a header": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    "two hosts": b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    "no host": b"GET /metrics HTTP/1.1\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100,
    "no protocol": b"GET /\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


@pytest.mark.parametrize("sent", SHAPES.values(), ids=SHAPES)
def test_what_is_no_request_or_could_be_two_gets_one_400_and_is_closed(service, sent):
    with service.connect() as one:
        with suppress(ConnectionError):  # it may have seen enough
            one.sendall(sent)
        said = told(one)
    assert said.startswith(b"HTTP/1.1 400 ") and said.count(b"HTTP/1.1 ") == 1, said[:300]
    assert b"\r\nx-content-type-options: nosniff\r\n" in said and b'{"what": ' in said
    assert service.status() == 200


@pytest.mark.parametrize(
    "sent, statuses",
    [
        (GET.replace(b"1.1", b"1.0"), [b"200"]),
        (b"GET /metrics HTTP/1.0\r\n\r\n", [b"421"]),
        (GET * 3 + GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), [b"200"] * 4),
        (POST + b"Connection: close\r\n\r\n", [b"400"]),
        (POST + b"Content-Length: 99999999999\r\nConnection: close\r\n\r\n" + BODY, [b"413"]),
        (POST + b"Content-Length: 99999999999\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", [b"413"]),
        (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", [b"404"]),
        (b"GET /%00/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", [b"404"]),
        (b"TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", [b"405"]),
    ],
)  # fmt: skip
def test_old_pipelined_and_odd_requests(service, sent, statuses):
    with service.connect() as one:
        one.sendall(sent)
        said = told(one)
    assert [part[:3] for part in said.split(b"HTTP/1.1 ")[1:]] == statuses


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="descriptors are taken away by prlimit")
def test_without_a_descriptor_left_it_waits_and_says_so_once(service):
    whole = psutil.Process(service.process.pid)
    given = whole.rlimit(psutil.RLIMIT_NOFILE)
    with service.connect() as before, ExitStack() as stack:
        assert answered(before)
        whole.rlimit(psutil.RLIMIT_NOFILE, (whole.num_fds(), given[1]))
        waiting = many(service, stack, 5)
        assert answered(before), "who is in is answered"
        whole.rlimit(psutil.RLIMIT_NOFILE, given)
        assert all(map(answered, waiting))
    assert service.process.stderr.readline() == "advisor: socket.accept() out of system resource: Too many open files\n"
