"""`advisor serve` as a process: how it starts, what it says, how it ends."""

import gzip
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress

import psutil
import pytest

from tests.front_door import advisor
from tests.web.served import ROOT, a_log, serving


def end(served, sent):
    served.process.send_signal(sent)
    return served.process.wait(30)


@contextmanager
def held(served):
    """Its processes stand still, so that what is asked meanwhile is certain to wait."""
    workers = psutil.Process(served.process.pid).children()
    for one in workers:
        one.suspend()
    try:
        yield
    finally:
        for one in workers:
            one.resume()


def until_at(served, waiting, running, **headers):
    """Return once so many requests wait for a process, and so many have one."""
    wanted = {f"advisor_waiting {waiting}.0".encode(), f"advisor_running {running}.0".encode()}
    begun = time.monotonic()
    while not wanted <= set((said := served.ask("GET", "/metrics", **headers).content).splitlines()):
        assert time.monotonic() - begun < 20, re.findall(rb"\nadvisor_(?:waiting|running) .*", said)
        time.sleep(0.01)


def test_told_to_stop_it_finishes_what_runs_and_leaves_nothing(tmp_path):
    """A log is with its process when SIGTERM comes."""
    with serving(tmp_path / "folder", "--workers", "1") as served:
        answers = []
        log = [("log", "serve.log", a_log(15_000))]
        asking = threading.Thread(target=lambda: answers.append(served.upload("/v1/check", log)))
        with held(served):
            asking.start()
            until_at(served, waiting=0, running=1)
            served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(30) == 0
        asking.join()
        assert answers[0].status == 200 and answers[0].json["schema"].startswith("advisor-report/")
        assert list(served.folder.iterdir()) == []


@pytest.mark.parametrize(
    "first, second",
    [
        (("log", "serve.log", a_log(15_000)), ("log", "serve.log", a_log(15_000))),
        (("log", "serve.log.gz", gzip.compress(a_log(15_000))), ("symptom", None, a_log(9_000))),
    ],
    ids=["logs", "a packed log and a text in fields"],
)
def test_what_is_large_leaves_a_process_to_what_is_small(server, first, second):
    """Two large ones for two processes: one of them waits, and a question of the moment does not."""
    large = [[one] if one[1] else [one] * 2 for one in (first, second)]
    small = [("symptom", None, b"hang")]
    with ThreadPoolExecutor(3) as pool, held(server):
        asked = [pool.submit(server.upload, "/v1/check", one) for one in large]
        until_at(server, waiting=1, running=1)
        asked.append(pool.submit(server.upload, "/v1/check", small))
        until_at(server, waiting=1, running=2)
    assert [one.result().status for one in asked] == [200] * 3


def test_interrupted_while_it_starts(tmp_path):
    with serving(tmp_path / "folder", "--workers", "1", ready=False) as served:
        assert end(served, signal.SIGINT) == 130
        assert served.said.startswith("advisor: no token is asked for: only this machine reaches it\n")
        assert served.rest() == ""


def test_away_from_loopback_it_makes_a_token_and_shows_it_once(tmp_path):
    with serving(tmp_path / "folder", "--host", "0.0.0.0", "--workers", "1", ready=False) as served:
        token = re.findall("shown once: (.*)", served.said)[0]
        assert len(token) >= 32
        assert served.ask("GET", "/metrics").status == 401
        assert served.ask("GET", "/metrics", Authorization=f"Bearer {token}", Host="anything").status == 200
        assert end(served, signal.SIGTERM) == 0


def test_a_head_that_is_too_long(server):
    with closing(socket.create_connection(("127.0.0.1", server.port))) as long:
        long.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000)
        assert long.recv(100).startswith(b"HTTP/1.1 400")


def test_what_is_not_finished_in_time_is_told_to_come_again(tmp_path):
    """SIGTERM, a second to finish, and a process that hangs."""
    with serving(tmp_path / "folder", "--workers", "1", "--drain-seconds", "1") as served:
        answers = []
        asking = threading.Thread(target=lambda: answers.append(served.post("/v1/check", {"symptom": "hang"})))
        (worker,) = psutil.Process(served.process.pid).children()
        worker.suspend()
        asking.start()
        until_at(served, waiting=0, running=1)
        assert end(served, signal.SIGTERM) == 0
        asking.join()
        assert answers[0].status == 503 and answers[0].headers["retry-after"] == "5"
        assert answers[0].json["what"] == "the service is being stopped"
        assert served.rest() == "" and list(served.folder.iterdir()) == []


def test_interrupted_twice_it_does_not_wait(tmp_path, monkeypatch):
    """And the process that judges never had the token."""
    token = "a-token-of-some-length"
    monkeypatch.setenv("ADVISOR_TOKEN", token)
    with serving(tmp_path / "folder", "--workers", "1") as served:
        (worker,) = psutil.Process(served.process.pid).children()
        if sys.platform == "linux":
            assert token not in " ".join([*worker.environ().values(), *worker.cmdline()])
        worker.suspend()
        know = {"Authorization": f"Bearer {token}"}
        asking = threading.Thread(target=lambda: served.ask("GET", "/v1/rules", None, **know))
        asking.start()
        until_at(served, waiting=0, running=1, **know)
        ended = None
        for _ in range(60):  # the second is another one once the first has been taken
            served.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                ended = served.process.wait(0.3)
                break
        assert ended == 130
        asking.join()
        assert not worker.is_running() and list(served.folder.iterdir()) == []


@contextmanager
def ending(process):
    try:
        yield
    finally:
        process.kill()


HURRIED = """
from advisor.faces.web import server, settings
listening = server.bound("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
server.run(settings.Settings(head_s=0.3, workers=1), listening, 1)
"""


def test_a_head_that_does_not_come_to_its_end(tmp_path):
    """Neither the first of a connection nor a later one, nor one that begins while another is answered."""
    whole, part = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /metrics HTTP/1.1\r\n"
    words = [sys.executable, "-c", HURRIED]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process, ending(process):
        assert process.stdout is not None
        port = int(process.stdout.readline())
        for sent in ((b"",), (part,), (whole, part), (whole + part,)):
            with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as one:
                for each in sent:
                    one.sendall(each)
                    if each.startswith(whole):
                        assert one.recv(65_536).startswith(b"HTTP/1.1 200")
                while one.recv(65_536):
                    pass
        process.terminate()
        assert process.wait(20) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--token-file", "none"), "no such file"),
        (("--token-file", "empty"), "holds no token"),
        (("--token-file", "short"), "at least 16 characters"),
        (("--trust-proxy", "nonsense"), "nonsense"),
        (("--host", "no such host"), "no address to listen on"),
        (("--host", "192.0.2.1"), "cannot be listened on"),
    ],
)
def test_what_it_cannot_be_started_with(tmp_path, words, says):
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "short").write_text("secret\n")
    ran = advisor("serve", *words, cwd=tmp_path)
    assert ran.code == 2 and says in ran.err and ran.err.count("\n") == 1


def test_a_port_that_is_taken(server):
    ran = advisor("serve", "--port", str(server.port))
    assert ran.code == 2 and "cannot be listened on" in ran.err and ran.err.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    from advisor.errors import UsageError
    from advisor.faces import serve

    monkeypatch.setattr(serve, "NEEDED", (*serve.NEEDED, "no_such_library"))
    with pytest.raises(UsageError, match=r"no_such_library.*pip install 'inference-advisor\[serve\]'"):
        serve.serve()


@pytest.mark.parametrize(
    "code, why",
    [
        ("print('stuck at', file=sys.stderr, flush=True)\ntime.sleep(30)", "not ready within 1 s"),
        ("print('stuck at', file=sys.stderr)", "ended before it was ready"),
        (
            "import socket\nat = socket.create_server(('127.0.0.1', 0))\n"
            "print('stuck at', f'http://127.0.0.1:{at.getsockname()[1]}/', file=sys.stderr, flush=True)\ntime.sleep(30)",
            "not ready within 1 s",
        ),
    ],
)
def test_a_service_that_does_not_start_fails_its_test_and_shows_what_it_printed(code, why, tmp_path) -> None:
    (tmp_path / "advisor.py").write_text(f"import sys, time\n{code}\n")
    with (
        pytest.raises(AssertionError, match=f"(?s){why} .* it printed:.*stuck at"),
        serving(tmp_path / "t", cwd=tmp_path, within_s=1),
    ):
        pass
