"""Jobs that take too long, or take their process with them; and more than can wait. One process, watched through HTTP."""

import errno
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from starlette.testclient import TestClient

from advisor.faces.web import judging, work
from advisor.faces.web.service import Settings, service
from advisor.own_folders import LOCK
from tests.web import jobs
from tests.web.served import ROOT

HANG = {"engine": "vllm", "symptom": "hang"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    app = service(
        Settings(workers=1, job_s=1, waiting=2, worker_bytes=512 << 20, folder=tmp_path_factory.mktemp("uploads"))
    )
    with TestClient(app, base_url="http://localhost") as made:
        ready(made)
        yield made


def ready(client):
    while client.get("/healthz").status_code != 200:
        time.sleep(0.05)


def count(client, name):
    (line,) = [one for one in client.get("/metrics").text.splitlines() if one.startswith(f"{name} ")]
    return float(line.split()[1])


def clean(client):
    return [one.name for one in client.app.state.disk.folder.iterdir()] == [LOCK]


def test_a_job_over_its_time_is_killed_and_the_next_is_served(client, monkeypatch):
    before = count(client, "advisor_worker_restarts")
    monkeypatch.setattr(judging, "check", jobs.sleeping)
    answer = client.post("/v1/check", json=HANG)
    assert answer.status_code == 503 and answer.json()["what"] == "not judged within 1 s"
    assert answer.headers["retry-after"] == "30"
    monkeypatch.undo()
    assert client.post("/v1/check", json=HANG).status_code == 200
    assert count(client, "advisor_worker_restarts") == before + 1 and clean(client)


def test_a_process_that_dies_takes_one_request_with_it(client, monkeypatch):
    before = count(client, "advisor_worker_restarts")
    monkeypatch.setattr(judging, "check", jobs.dying)
    answer = client.post("/v1/check", json=HANG)
    assert answer.status_code == 503 and "was lost" in answer.json()["what"] and answer.headers["retry-after"]
    monkeypatch.undo()
    assert client.post("/v1/check", json=HANG).status_code == 200
    assert count(client, "advisor_worker_restarts") == before + 1 and clean(client)


def test_a_job_that_wants_too_much_memory_is_told_so_and_its_process_replaced(client, monkeypatch):
    before = count(client, "advisor_worker_restarts")
    monkeypatch.setattr(judging, "check", jobs.eating)
    answer = client.post("/v1/check", json=HANG)
    assert answer.status_code == 413 and answer.json()["what"] == "takes more memory to judge than it may"
    monkeypatch.undo()
    assert client.post("/v1/check", json=HANG).status_code == 200
    assert count(client, "advisor_worker_restarts") == before + 1 and clean(client)


def test_a_process_that_is_stopped_is_killed_after_its_time(client, monkeypatch):
    monkeypatch.setattr(judging, "check", jobs.stopping)
    answer = client.post("/v1/check", json=HANG)
    assert answer.status_code == 503 and answer.json()["what"] == "not judged within 1 s"
    monkeypatch.undo()
    assert client.post("/v1/check", json=HANG).status_code == 200


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.ENOENT, errno.EMFILE])
def test_where_a_process_finds_no_room_it_is_no_defect(client, monkeypatch, capsys, number):
    monkeypatch.setattr(judging, "check", partial(jobs.without_room, number))
    answer = client.post("/v1/check", json=HANG)
    assert answer.status_code == 503 and answer.headers["retry-after"] and "no room" in answer.json()["what"]
    assert "/secret" not in answer.text + (said := capsys.readouterr().err) and errno.errorcode[number] in said


def test_a_process_that_is_lost_while_it_waits_is_replaced_before_anyone_meets_it(client):
    before = count(client, "advisor_worker_restarts")
    (process,) = client.app.state.work._all
    process._process.kill()
    while process.there:
        time.sleep(0.01)
    assert client.post("/v1/check", json=HANG).status_code == 200
    assert count(client, "advisor_worker_restarts") == before + 1
    assert process not in client.app.state.work._all and len(client.app.state.work._all) == 1


def test_a_process_does_not_fork():
    """Who kills it would leave its children behind."""
    words = "from advisor.faces.workers import inside; from advisor import cores; inside.bounded(1 << 30); print(cores.may_fork())"
    done = subprocess.run([sys.executable, "-c", words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_defect_in_a_job_says_where_and_nothing_of_the_user(client, monkeypatch, capsys):
    monkeypatch.setattr(judging, "check", jobs.failing)
    answer = client.post("/v1/check", json=HANG)
    assert answer.status_code == 500 and answer.json()["what"] == "a defect of the advisor itself"
    said = capsys.readouterr().err
    assert "RuntimeError at" in said and "jobs.py" in said and "secret" not in said + answer.text


def test_more_than_may_wait_are_sent_away(client, monkeypatch):
    monkeypatch.setattr(judging, "check", jobs.pausing)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: client.post("/v1/check", json=HANG), range(8)))
    away = [one for one in found if one.status_code == 503]
    assert away and all(one.headers["retry-after"] == "5" and "waiting already" in one.json()["what"] for one in away)
    assert clean(client)


def test_for_one_who_has_gone_nothing_is_judged(client, monkeypatch):
    """The body has come, then the connection was closed: the job, which would take a minute, is not begun."""
    monkeypatch.setattr(judging, "check", jobs.sleeping)
    body = b'{"symptom": "hang"}'
    messages, answers = [{"type": "http.request", "body": body}, {"type": "http.disconnect"}], []

    async def receive():
        return messages.pop(0) if len(messages) > 1 else messages[0]

    async def send(message):
        answers.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/v1/check", "raw_path": b"/v1/check", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")], "http_version": "1.1",
        "scheme": "http",
    }  # fmt: skip
    client.portal.call(client.app, scope, receive, send)
    assert answers[0]["status"] == 499 and clean(client)


def test_a_process_that_does_not_start_is_tried_again(tmp_path, monkeypatch, capsys):
    """Such as for want of memory. The service says that it is not ready, and goes on."""
    monkeypatch.setattr(work, "AGAIN_S", 0.05)
    with monkeypatch.context() as broken:
        broken.setattr(work, "warmed", lambda: None)  # which no other process can be sent
        app = service(Settings(workers=1, folder=tmp_path))
        with TestClient(app, base_url="http://localhost") as client:
            time.sleep(0.2)
            assert client.get("/healthz").status_code == 503
            broken.undo()
            ready(client)
            assert client.post("/v1/check", json=HANG).status_code == 200
    assert "a process does not start, again in 0.05 s" in capsys.readouterr().err


LINTED = """
import sys
from advisor.faces.web import judging
from advisor.faces.web.parcels import Kept, Received
judging.warm()
before = set(sys.modules)
judging.lint(Received({}, (Kept("run.sh", __import__("pathlib").Path(sys.argv[1])),)))
print(sorted(one for one in set(sys.modules) - before if one.startswith("advisor.")))
"""


def test_a_process_has_loaded_what_lint_needs_before_anybody_asks(tmp_path):
    (tmp_path / "body").write_text("pip install vllm==0.28.0\nvllm serve m -tp 2 --swap-space 4\n")
    words = [sys.executable, "-c", LINTED, str(tmp_path / "body")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
