"""What the OpenAPI document says beyond the routes themselves: bodies, answers, and the nouns that they are made of.

The schemas of answers are those that `advisor schema` prints, so that one contract holds for the command and the route.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from advisor.model.reference import SettingsOut
from advisor.model.rule_report import RulesReport
from advisor.render.schema import schema_of

Described = dict[str, Any]
REPORTS = {"check": "report", "lint": "lint", "rule": "explain"}
OTHERS: dict[str, Any] = {"rules": RulesReport, "flags": SettingsOut}
PROBLEM = {
    "type": "object",
    "description": "Why a request is not followed: what is wrong, where in the request, what to do about it.",
    "required": ["what", "where", "hint"],
    "properties": {
        "what": {"type": "string"},
        "where": {"type": ["string", "null"]},
        "hint": {"type": ["string", "null"]},
    },
    "example": {"what": "no such field", "where": "'enigne'", "hint": "did you mean engine?"},
}
SAID = {
    400: "Malformed: no HTTP, no JSON, no multipart, or the connection was closed.",
    401: "A token is needed.",
    403: "Sent by a page of another site.",
    404: "Nothing of this name is known; the hint has the nearest.",
    405: "Not with this method.",
    408: "The body did not arrive in time.",
    413: "Larger than is taken.",
    415: "Neither JSON nor multipart, or compressed.",
    421: "The Host header is not a name of this service.",
    422: "Understood and not to be followed: what `advisor` says with exit code 2.",
    429: "More than one client may ask; Retry-After says when again.",
    500: "A defect of the advisor itself.",
    503: "Not now; Retry-After says when again: too many wait, not judged in time, a process lost, no room, stopping.",
}
ANYWHERE = (400, 401, 421, 429, 500, 503)
BODIES = (403, 408, 413, 415, 422)


def answers(noun: str, media: tuple[str, ...] = (), codes: tuple[int, ...] = ()) -> dict[int | str, Described]:
    """The answers of a route: the noun as JSON, other media as text, refusals."""
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{noun}"}}}
    content |= {one.partition(";")[0]: {"schema": {"type": "string"}} for one in media}
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    refusals: dict[int | str, Described]
    refusals = {code: {"description": SAID[code], "content": problem} for code in sorted({*ANYWHERE, *codes})}
    return {200: {"description": "The answer.", "content": content}, **refusals}


def _texts(says: str, example: str) -> Described:
    one = {"type": "string", "examples": [example]}
    return {"description": says, "anyOf": [one, {"type": "array", "items": one}]}


def _text(says: str, example: str, among: tuple[str, ...] = ()) -> Described:
    found: Described = {"type": "string", "description": says, "examples": [example]}
    return found | ({"enum": list(among)} if among else {})


CASE = {
    "engine": _text("vllm, vllm-ascend, sglang, lmdeploy or xllm; found in the rest when left out.", "sglang"),
    "version": _text("Version, commit, version+gSHA or image reference.", "0.5.16"),
    "flags": _texts(
        "The whole command line, or just the flags. Several for several ranks or roles.", "--tp 2 --nnodes 2"
    ),
    "env": _texts("NAME=VALUE.", "NCCL_DEBUG=INFO"),
    "component": _texts("A library as loaded.", "nccl=2.28.9"),
    "hardware": _texts("Accelerators and architecture.", "2x GB10 aarch64"),
    "model": _text("The model served.", "Qwen/Qwen3-32B"),
    "symptom": _texts("What you see, in words, English or Chinese.", "requests never return"),
    "said": _texts("ABOUT=ANSWER, as `advisor diagnose` writes it.", "fact:symptom.first_request=no"),
}
FILE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 1024},
        "content": {"type": "string", "description": "The text."},
        "content_base64": {"type": "string", "contentEncoding": "base64", "description": "Instead: any bytes."},
        "kind": {"type": "string", "enum": ["", "log", "stack"], "description": "Told by content when left out."},
    },
    "oneOf": [{"required": ["content"]}, {"required": ["content_base64"]}],
}
YES = {"type": "string", "enum": ["true", "false"]}
EXAMPLES = {
    "flags": {"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve Qwen/Qwen3-32B -pp 2"]},
    "log": {
        "engine": "sglang",
        "files": [{"name": "scheduler.log", "content": "Scheduler watchdog timeout", "kind": "log"}],
    },
}
MANIFEST = "docker run --gpus 4 vllm/vllm-openai:v0.28.0 --model m/x --tensor-parallel-size 4\n"


def body(fields: Described, file_says: str, examples: Described, formats: tuple[str, ...]) -> Described:
    """A request body: the same fields as JSON and as multipart. For `openapi_extra`."""
    common = {
        **fields,
        "format": _text("As `?format=`.", formats[0], formats),
        "lang": _text("As `?lang=`.", "en", ("en", "zh")),
    }
    part = {
        "description": file_says,
        "type": "array",
        "items": {"type": "string", "contentMediaType": "application/octet-stream"},
    }
    as_json = {
        "type": "object",
        "additionalProperties": False,
        "properties": {**common, "files": {"type": "array", "items": FILE, "description": file_says}},
    }
    parts = {
        "type": "object",
        "additionalProperties": False,
        "properties": {**common, "file": part, "log": part, "stack": part},
    }
    content = {
        "application/json": {"schema": as_json, "examples": {name: {"value": one} for name, one in examples.items()}},
        "multipart/form-data": {"schema": parts},
    }
    return {"requestBody": {"required": True, "content": content}}


def check_body(formats: tuple[str, ...]) -> Described:
    """What `POST /v1/check` takes."""
    return body(CASE, "Logs, stacks, scripts, pastes, archives.", EXAMPLES, formats)


def lint_body(formats: tuple[str, ...]) -> Described:
    """What `POST /v1/lint` takes."""
    fields = {
        "evidence": YES | {"description": "Also say what an incident would leave no trace of."},
        "if_any": YES | {"description": "No error where nothing is recognised."},
    }
    says = "Deployment files by relative path, such as k8s/vllm.yaml; an advisor.toml among them is in force."
    return body(fields, says, {"script": {"files": [{"name": "run.sh", "content": MANIFEST}]}}, formats)


def components() -> Described:
    """The nouns of every answer, and what a refusal looks like."""
    found: Described = {"Problem": PROBLEM}
    for name, noun in REPORTS.items():
        found |= _nouns(name, json.loads(schema_of(noun)))
    for name, noun in OTHERS.items():
        found |= _nouns(name, TypeAdapter(noun).json_schema(mode="serialization"))
    return found


def _nouns(name: str, schema: Described) -> Described:
    """A schema and those that it refers to, by name."""
    moved: Described = json.loads(json.dumps(schema).replace('"#/$defs/', '"#/components/schemas/'))
    moved.pop("$schema", None)
    return {**moved.pop("$defs", {}), name: moved}
