"""A request → the `advisor check` line that gives the same judgement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote

from advisor.jobs.request import Request
from advisor.redaction import GONE, as_given, redact_value
from advisor.redaction.cover import covered_line

_GIVEN = re.compile(  # --api-key abc, --hf-token 'a b', HF_TOKEN=abc
    r"(?P<name>(?<!\S)-{1,2}[A-Za-z][\w.-]*(?=[= ])|\b[A-Za-z_]\w*(?==))(?P<joint>=| +)"
    r"(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"]+)"
)


def without_secrets(text: str) -> str:
    """The text without secrets, by the names of flags and by shape, and without hosts, people and prompts."""
    if as_given():
        return text

    def hidden(found: re.Match[str]) -> str:
        told = redact_value(found["name"].lstrip("-"), found["value"].strip("'\""))
        return f"{found['name']}{found['joint']}{GONE}" if told == GONE else found[0]

    return covered_line(_GIVEN.sub(hidden, text))


def _variable(text: str) -> str:
    """A `--env`: all that stands behind the equals sign is the value."""
    name, equals, value = text.partition("=")
    return covered_line(f"{name}{equals}{redact_value(name, value)}") if equals else without_secrets(text)


def check_line(request: Request, files: Mapping[str, str], beside: tuple[str, ...] = ()) -> str:
    """The command line, quoted for a shell, without secrets. `files` are the places of inputs by their names; `beside`
    further words, such as `--repo PATH`, which the request no longer holds."""
    words = ["advisor", "check", *beside]
    single = (("--engine", request.engine), ("--version", request.version), ("--model", request.model))
    many = (
        ("--flags", request.flags),
        ("--env", request.env),
        ("--component", request.components),
        ("--hardware", request.hardware),
        ("--symptom", request.symptoms),
        ("--said", tuple(f"{one.about}={one.answer}" for one in request.said)),
    )
    for name, value in single:
        words += [name, without_secrets(value)] if value else []
    for name, values in many:
        hide = _variable if name == "--env" else without_secrets
        words += [word for value in values for word in (name, hide(value))]
    for file in request.files:
        words += [{"log": "--log", "stack": "--stack"}[file.kind]] if file.kind else []
        place = files.get(file.name, file.name)
        words.append(f"./{place}" if place.startswith("-") else place)
    return " ".join(quote(word) for word in words)
