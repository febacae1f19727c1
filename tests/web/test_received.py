"""Bodies that are too large, too slow, or none; and afterwards nothing is left of them. Nothing is judged here."""

import asyncio
import errno
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from advisor.faces.web.service import Settings, service
from tests.web.served import multipart

SMALL = Settings(body_bytes=100_000, file_bytes=20_000, field_bytes=1_000, fields=5, files=3, pause_s=0.1, body_s=0.3)


@pytest.fixture
def app(tmp_path):
    made = service(SMALL)
    made.state.disk.folders.append(tmp_path)
    yield made
    assert list(tmp_path.iterdir()) == [], "an upload was left"
    assert made.state.disk.used == 0


@pytest.fixture
def client(app):
    return TestClient(app, base_url="http://localhost")


def refused(answer, status, says):
    assert answer.status_code == status, answer.text
    assert says in answer.text and set(answer.json()) == {"what", "where", "hint"}


def parts(client, *given):
    kind, body = multipart(list(given))
    return client.post("/v1/check", content=body, headers={"Content-Type": kind})


def test_a_body_that_says_how_large_it_is(client):
    refused(client.post("/v1/check", json={"symptom": "x" * 200_000}), 413, "larger than 100000 bytes")


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=b0undary"])
def test_a_body_that_does_not_say_how_large_it_is(client, kind):
    def endless():
        yield (
            b'--b0undary\r\nContent-Disposition: form-data; name="log"; filename="a"\r\n\r\n'
            if "multi" in kind
            else b'{"a": "'
        )
        for _ in range(1_000):
            yield b"x" * 1_000

    answer = client.post("/v1/check", content=endless(), headers={"Content-Type": kind})
    refused(answer, 413, "larger than")


def test_a_file_or_field_or_number_of_them_that_is_too_large(client):
    refused(parts(client, ("log", "a.log", b"x" * 30_000)), 413, "'a.log'")
    refused(parts(client, ("symptom", None, b"x" * 2_000)), 413, "'symptom'")
    refused(parts(client, *[("symptom", None, b"x")] * 6), 413, "more than 5 fields")
    refused(parts(client, *[("log", f"{at}", b"x") for at in range(4)]), 413, "more than 3 files")
    files = [{"name": str(at), "content": "x"} for at in range(4)]
    refused(client.post("/v1/check", json={"files": files}), 413, "more than 3 files")
    refused(client.post("/v1/check", json={"symptom": ["x"] * 6}), 413, "more than 5 values")
    refused(client.post("/v1/check", json={"symptom": "x" * 2_000}), 413, "'symptom'")
    refused(client.post("/v1/check", json={"files": [{"name": "a", "content": "x" * 30_000}]}), 413, "files[0]")


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "malformed JSON"),
        (b"{", 400, "line 1 column 2"),
        (b"\xff\xfe", 400, "UTF-8"),
        (b'{"engine": NaN}', 400, "NaN"),
        (b"[" * 50_000, 400, "nested too deeply"),
        (b'{"engine": ' + b"1" * 5_000 + b"}", 400, "malformed JSON"),
        (b'"vllm"', 422, "an object"),
        (b'{"files": {}}', 422, "a list"),
        (b'{"files": [1]}', 422, "files[0]"),
        (b'{"files": [{"name": "a", "contents": "x"}]}', 422, "contents"),
        (b'{"files": [{"name": "a", "content": 1}]}', 422, "a text"),
        (b'{"files": [{"content": "x"}]}', 422, "without a name"),
        (b'{"files": [{"name": "a", "content": "x", "kind": "core"}]}', 422, "no such kind"),
    ],
)
def test_json_that_is_none_or_says_nothing(client, body, status, says):
    refused(client.post("/v1/check", content=body, headers={"Content-Type": "application/json"}), status, says)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "end of the multipart body"),
        (b"nonsense", 400, "malformed multipart"),
        (
            b'--b0undary\r\nContent-Disposition: form-data; name="log"; filename="a"\r\n\r\nhalf',
            400,
            "end of the multipart",
        ),
        (b"--b0undary\r\nContent-Type: text/plain\r\n\r\nx\r\n--b0undary--\r\n", 400, "without a name"),
        (b"--b0undary\r\n" + b"X-A: b\r\n" * 100 + b"\r\nx\r\n--b0undary--\r\n", 400, "malformed multipart"),
        (
            b'--b0undary\r\nContent-Disposition: form-data; name="core"; filename="a"\r\n\r\nx\r\n--b0undary--\r\n',
            422,
            "'core'",
        ),
        (
            b'--b0undary\r\nContent-Disposition: form-data; name="log"; filename="a\0"\r\n\r\nx\r\n--b0undary--\r\n',
            422,
            "control",
        ),
        (multipart([("log", "n" * 2_000, b"x")])[1], 422, "longer than 1024"),
    ],
)
def test_multipart_that_is_none(client, body, status, says):
    kind = "multipart/form-data; boundary=b0undary"
    refused(client.post("/v1/check", content=body, headers={"Content-Type": kind}), status, says)


def test_types_that_are_not_taken(client):
    refused(client.post("/v1/check", content=b"x"), 415, "multipart/form-data")
    refused(client.post("/v1/check", data={"engine": "vllm"}), 415, "application/json")
    refused(client.post("/v1/check", content=b"x", headers={"Content-Type": "multipart/form-data"}), 400, "no boundary")
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    refused(client.post("/v1/check", content=b"x", headers=headers), 415, "compressed")


def test_what_others_hand_over_counts_against_the_disk(app, client):
    app.state.disk.used = SMALL.disk_bytes
    answer = client.post("/v1/check", json={"symptom": "hang"})
    app.state.disk.used -= SMALL.disk_bytes
    refused(answer, 503, "handed over by others")
    assert answer.headers["retry-after"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.EACCES])
def test_where_nothing_can_be_kept_it_is_said_and_is_no_defect(app, client, monkeypatch, capsys, number):
    def no_room(*_, **__):
        raise OSError(number, os.strerror(number), "/secret/place")

    with monkeypatch.context() as full:
        full.setattr(Path, "open", no_room)
        inline = {"files": [{"name": "a", "content": "x"}]}
        answers = [parts(client, ("log", "a.log", b"x")), client.post("/v1/check", json=inline)]
    with monkeypatch.context() as full:
        full.setattr(tempfile, "mkdtemp", no_room)
        answers.append(parts(client, ("log", "a.log", b"x")))
    for answer in answers:
        refused(answer, 503, "no room")
    assert answers[0].headers["retry-after"] == "30"
    said = capsys.readouterr().err
    assert said == f"advisor: uploads cannot be kept: {os.strerror(number)}\n", "once, and without the place"
    assert "secret" not in "".join(one.text for one in answers)
    refused(parts(client, ("core", "a.log", b"x")), 422, "'core'")


def test_a_folder_that_was_swept_away_is_made_anew(tmp_path):
    made = service(Settings(folder=tmp_path))
    disk = made.state.disk
    with disk.request():
        shutil.rmtree(disk.folder)
    with disk.request() as folder:
        assert folder.parent == disk.folder and folder.stat().st_mode & 0o077 == 0
    disk.close()
    assert list(tmp_path.iterdir()) == []


def sent(app, *messages):
    """The status of a request whose body comes as these messages; None of them stands for silence."""
    waiting, answers = list(messages), []

    async def receive():
        if not waiting or waiting[0] is None:
            await asyncio.sleep(5)
        return waiting.pop(0)

    async def send(message):
        answers.append(message)

    kind = b"multipart/form-data; boundary=b0undary"
    scope = {
        "type": "http", "method": "POST", "path": "/v1/check", "raw_path": b"/v1/check", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", kind)], "http_version": "1.1", "scheme": "http",
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return answers[0]["status"], json.loads(answers[1]["body"])["what"]


def test_a_body_that_comes_too_slowly_or_not_to_its_end(app):
    begun = {"type": "http.request", "body": multipart([("log", "a", b"x" * 100)])[1][:90], "more_body": True}
    assert sent(app, begun, None) == (408, "the body did not arrive in time")
    assert sent(app, begun, {"type": "http.disconnect"})[0] == 400


def test_half_a_surrogate_pair_is_no_text(client):
    """JSON can spell what UTF-8 cannot; it is taken for a question mark, and nothing falls over."""
    refused(
        client.post("/v1/check", content=b'{"\\ud800": "x"}', headers={"Content-Type": "application/json"}), 422, "'?'"
    )
