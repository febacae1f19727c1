"""A request → the `advisor check` line that gives the same judgement."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote

from advisor.jobs.request import Request


def check_line(request: Request, files: Mapping[str, str], beside: tuple[str, ...] = ()) -> str:
    """The command line, quoted for a shell. `files` are the places of inputs by their names; `beside` further words,
    such as `--repo PATH`, which the request no longer holds."""
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
        words += [name, value] if value else []
    for name, values in many:
        words += [word for value in values for word in (name, value)]
    for file in request.files:
        words += [{"log": "--log", "stack": "--stack"}[file.kind]] if file.kind else []
        words.append(files.get(file.name, file.name))
    return " ".join(quote(word) for word in words)
