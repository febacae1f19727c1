"""What a person answers to a question → the request, as if they had handed it over at the start.

Whatever an option of `check` takes goes there: an engine, a version, a command line, a library, what is seen in words.
The rest is kept as said (`Request.said`) and becomes a stated fact. So a diagnosis is a check, and can be run as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from advisor.jobs.assemble import engine_name
from advisor.jobs.request import File, Request, Said
from advisor.jobs.said import fact_of

NOT_KNOWN = "?"
"""The answer of one who does not know."""
LONGEST = 400
"""Characters; a longer answer, or one of several lines, is evidence and not a value."""


@dataclass(frozen=True)
class Step:
    """One thing done in a diagnosis: something pasted (`about` is ""), or an answer to the question `about`.

    `name` is the paste's, `text` the paste or answer itself; `question` in words, for people who read it later.
    """

    about: str
    text: str
    name: str = ""
    question: str = ""


@dataclass(frozen=True)
class Progress:
    """The request as it has become, and the questions that have had their turn."""

    request: Request
    asked: frozenset[str] = frozenset()


def follow(base: Request, steps: Iterable[Step]) -> Progress:
    """Where steps lead, from the evidence given at the start. Raises UsageError at an answer that cannot be one."""
    at = Progress(base)
    for step in steps:
        at = then(at, step)
    return at


def then(at: Progress, step: Step) -> Progress:
    """Where one step leads."""
    if not step.about:
        return replace(at, request=handed(at.request, step.text, step.name))
    asked = at.asked | {step.about}
    if step.text.strip() in ("", NOT_KNOWN):
        return Progress(at.request, asked)
    if is_evidence(step.text) or step.name or step.about in ("log", "stacks"):
        return Progress(handed(at.request, step.text, step.name or "answer"), asked)
    return Progress(answered(at.request, step.about, step.text), asked)


def is_evidence(text: str) -> bool:
    """Whether an answer is rather something pasted."""
    return "\n" in text.strip() or len(text) > LONGEST


def handed(request: Request, text: str, name: str) -> Request:
    """The request with one more paste; a line that is nothing but flags or words is taken as such by its reader."""
    return replace(request, files=(*request.files, File(name, text.encode("utf-8", "replace"))))


def answered(request: Request, about: str, text: str) -> Request:
    """The request with the answer to one question. Raises UsageError where the answer cannot be one."""
    text = text.strip()
    kind, _, name = about.partition(":")
    if about == "engine":
        return replace(request, engine=engine_name(text, strict=True))
    if about == "build":
        return _built(request, text)
    if about == "symptom" and text.startswith("symptom."):
        return answered(request, f"fact:{text}", "yes")
    if about == "symptom":
        return replace(request, symptoms=(*request.symptoms, text))
    if about == "launch":
        return replace(request, flags=(*request.flags, text))
    if about == "model":
        return replace(request, model=text)
    if kind == "component":
        return replace(request, components=(*request.components, f"{name}={text}"))
    if about in ("hardware:accelerator", "hardware:vendor"):
        return replace(request, hardware=(*request.hardware, text))
    one = Said(about, text)
    fact_of(one)  # an answer that is none is said now
    return replace(request, said=(*(said for said in request.said if said.about != about), one))


def _built(request: Request, text: str) -> Request:
    from advisor.jobs.gathering import Gathering
    from advisor.jobs.taking import version

    given = replace(request, version=text, strict=True)
    version(given, request.engine, Gathering())
    return replace(request, version=text)
