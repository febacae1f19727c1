"""Answers of a health endpoint."""

import pytest

from advisor.evidence import health
from tests.evidence.readings import assert_linear, assert_no_symptom, assert_unknown, given_text, hold_up, told
from tests.evidence.situations import handed, kinds, values
from tests.evidence.situations import notable as notable_in
from tests.evidence.test_metrics import vllm

STALLED = "Backend scheduler_tick has not advanced for 93.4s."
BODY = f'{{"status":"unhealthy","message":"{STALLED}"}}'
INCLUDED = f"HTTP/1.1 503 Service Unavailable\ndate: Wed, 19 Aug 2026 05:47:12 GMT\nserver: uvicorn\ncontent-type: application/json\n\n{BODY}\n"
VERBOSE = "*   Trying 127.0.0.1:8000...\n> GET /health HTTP/1.1\n> Host: localhost:8000\n>\n< HTTP/1.1 200 OK\n< server: uvicorn\n< content-length: 0\n<\n"
TIMED_OUT = "curl: (28) Operation timed out after 15001 milliseconds with 0 bytes received\n"


def read(text):
    return health.read(given_text(text, kind="health"))


def notable(text):
    return [fact.name for fact in read(text).facts if fact.notable]


def test_lmdeploy_is_stalled():
    for text in (INCLUDED, BODY, BODY.replace('":"', '": "')):
        assert health.mine(text) and told(read(text), "health.message") == [STALLED]
        assert notable(text) == ["health.message"]
    assert told(read(INCLUDED), "health.status") == [503]


@pytest.mark.parametrize(
    "message",
    [
        "Backend has dispatched request handle(s), but schedule metrics report no active or waiting sequences.",
        "Backend did not return schedule metrics for dispatched request handle(s).",
        "Backend health probe timed out after 10.0s.",
        "No successful health probe for 95.1s.",
        "Engine health monitor did not complete an initial probe.",
        "PyTorch engine request loop is not alive.",
        "PyTorch engine main loop has stopped.",
        "Engine health probe failed: [Errno 32] Broken pipe",
    ],
)
def test_lmdeploys_other_messages(message):
    text = BODY.replace(STALLED, message)
    assert told(read(text), "health.message") == [message] and notable(text) == ["health.message"]


@pytest.mark.parametrize(
    "status, message", [("healthy", "PyTorch engine is healthy."), ("sleeping", "Engine is sleeping.")]
)
def test_lmdeploy_is_well(status, message):
    text = f'HTTP/1.1 200 OK\n\n{{"status":"{status}","message":"{message}"}}'
    assert told(read(text), "health.status") == [200] and told(read(text), "health.message") == [message]
    assert_no_symptom(read(text))


def test_vllm_and_sglang_answer_with_an_empty_body():
    assert told(read(VERBOSE), "health.status") == [200] and notable(VERBOSE) == []
    ill = VERBOSE.replace("200 OK", "503 Service Unavailable")
    assert told(read(ill), "health.status") == [503] and notable(ill) == ["health.status"]
    assert told(read("503"), "health.status") == [503] and health.mine("200\n")


def test_no_answer():
    assert health.mine(TIMED_OUT) and told(read(TIMED_OUT), "health.status") == [0]
    assert told(read(TIMED_OUT), "health.message") == [TIMED_OUT.strip()] and notable(TIMED_OUT) == ["health.status"]
    refused = "$ curl -i http://localhost:23333/health\ncurl: (7) Failed to connect to localhost port 23333 after 0 ms: Couldn't connect to server\n"
    assert health.mine(refused) and told(read(refused), "health.status") == [0]


def test_several_answers():
    text = VERBOSE + INCLUDED + INCLUDED.replace("93.4", "105.4")
    assert told(read(text), "health.status") == [200, 503] and len(told(read(text), "health.message")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "404 requests\n",
        'INFO:     127.0.0.1:51812 - "GET /health HTTP/1.1" 200 OK\n',
        "HTTP/1.1 200 OK\n\n" + vllm(),
        "the server says unhealthy and I do not know why\n",
        '{"status":"ok", "choices": [' + "1," * 500 + "]}",
    ],
)
def test_not_its_text(text):
    assert not health.mine(text)


def test_nothing_known():
    assert_unknown(read("I am a teapot"))


def test_mangled():
    hold_up(health.read, health.mine, INCLUDED, VERBOSE, TIMED_OUT)


def test_hostile_length():
    assert_linear(
        health.read, '{"status":"', '{"status":"a","message":"', "HTTP/1.1 503\n", "curl: (28) ", '{ "status" : "\\\\'
    )


@pytest.mark.parametrize(
    "text",
    [
        TIMED_OUT,
        "000\n",
        "curl: (7) Failed to connect to localhost port 8000 after 0 ms: Couldn't connect to server\n000",
        "$ curl -m 15 http://h:8000/health\ncurl: (52) Empty reply from server\n",
    ],
)
def test_no_answer_alone_is_known_as_one(text):
    assert health.mine(text)
    for given in (text, f"I asked it again.\n\n```\n{text}\n```\n"):
        found = handed(given)
        assert (
            "health" in kinds(found) and values(found, "health.status") == [0] and "health.status" in notable_in(found)
        )


def test_curl_in_words_stays_words():
    for text in (f"I see {TIMED_OUT}", f"{TIMED_OUT}and then it came back.\n", "1000\n", "000 requests\n"):
        assert kinds(handed(text)) == ["text"]
