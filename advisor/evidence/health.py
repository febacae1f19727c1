"""Answers of a health endpoint, and what `curl` says when there is none -> status and message.

    HTTP/1.1 503 Service Unavailable                                                     curl -i
    {"status":"unhealthy","message":"Backend scheduler_tick has not advanced for 93.4s."}
    < HTTP/1.1 200 OK                                                                    curl -v
    503                                                                                  curl -w '%{http_code}'
    curl: (28) Operation timed out after 15001 milliseconds with 0 bytes received
    advisor: no answer from http://127.0.0.1:30000/health: timed out after 25 s          advisor collect

Facts: `health.status`, 0 when nothing answered; `health.message`, as the engine or `curl` words it. A status of 500
or more, or an answer that is not healthy, is what a user came with, so it must be explained; no symptom is drawn from
it: vLLM answers 200 until its engine is known dead, and SGLang 503 while it starts. Empty: the text is no answer of
this kind.

LMDeploy answers with JSON, status `healthy`, `sleeping` (both 200), `initializing` or `unhealthy` (503). vLLM answers
with an empty body, 200, or 503 on `EngineDeadError`. SGLang answers with an empty body, 200, or 503 while it starts,
while it stops, and when no token came back within 20 s.

**Source:** LMDeploy 0.14.0 to 0.18.0 and main at 1263d5cd `lmdeploy/serve/core/health.py`,
`serve/core/async_engine.py`; vLLM 0.25.0 `entrypoints/serve/instrumentator/health.py`; SGLang 0.5.17
`srt/entrypoints/http_server.py` (`health_generate`); `man 1 curl`, exit codes 7, 28, 52, 56 (read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence.devices import Reading
from advisor.evidence.sighting import once, sighting, span_of
from advisor.model.fact import Artifact, Fact, FactKind, Note
from advisor.model.shape import Shape

_HOW = "curl -m 15 -i http://HOST:PORT/health"
FACTS = (
    FactKind(
        "health.status",
        "int",
        "the HTTP status of the health endpoint, 0 when it did not answer",
        "Which status does GET /health answer?",
        _HOW,
    ),
    FactKind(
        "health.message",
        "str",
        "what the health endpoint says, or curl when it says nothing",
        "What does GET /health say?",
        _HOW,
    ),
)

_MAX = 200_000
_STATUS = Shape(r"^(?:< )?HTTP/\d(?:\.\d)? (\d{3})\b", 8)  # re.M
_CODE = Shape(r"\s*(000|200|404|500|502|503|504)\s*$")
_QUOTED = r'"((?:[^"\\\n]|\\.){0,2000})"'
_BODY = Shape(r'\{\s*"status"\s*:\s*' + _QUOTED + r'(?:\s*,\s*"message"\s*:\s*' + _QUOTED + r")?\s*[,}]")
_CURL = Shape(r"^(?:\$ )?(?:curl: \((7|28|52|56)\) |advisor: no answer from )[^\n]{0,300}", 8)
_OTHER = Shape(r"^# (?:HELP|TYPE) |^(?:vllm|sglang|lmdeploy):\w", 8)
_WELL = ("healthy", "sleeping", "ok", "ready", "alive")


def mine(text: str) -> bool:
    """Whether this is an answer of a health endpoint: short, and a status line, LMDeploy's JSON or curl's complaint."""
    if len(text) > _MAX or _OTHER.search(text):
        return False
    body = _BODY.search(text)
    return bool(
        _CODE.match(text)
        or (body and (body[2] is not None or len(text) < 200))
        or ("/health" in text and (_STATUS.search(text) or _CURL.search(text)))
        or (len(text) < 2000 and (_STATUS.match(text.lstrip()) or _CURL.match(text.lstrip())))
    )


def read(artifact: Artifact) -> Reading:
    """The answers, in the order given; the same one twice is told once."""
    facts = once([*_statuses(artifact), *_messages(artifact)])
    if facts:
        return Reading(facts)
    return Reading(
        notes=(Note("unreadable", "no answer of a health endpoint that is known here", span_of(artifact, 0)),)
    )


def _statuses(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text[:_MAX]
    lone = _CODE.match(text)
    found = [(int(one[1]), one.start(1)) for one in _STATUS.finditer(text)]
    found += [(int(lone[1]), lone.start(1))] if lone else []
    found += [(0, one.start()) for one in _CURL.finditer(text)]
    ill = not _BODY.search(text)
    for status, at in sorted(found, key=lambda one: one[1]):
        yield sighting(artifact, "health.status", status, at, notable=ill and (status >= 500 or status == 0))


def _messages(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text[:_MAX]
    for body in _BODY.finditer(text):
        at = body.start(2) if body[2] is not None else body.start(1)
        said = body[1] if body[2] is None else body[2]
        yield sighting(artifact, "health.message", said, at, notable=body[1].lower() not in _WELL)
    for curl in _CURL.finditer(text):
        yield sighting(artifact, "health.message", curl.group().removeprefix("$ ").strip(), curl.start())
