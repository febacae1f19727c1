"""What a person answers to a question → the request, as if they had handed it over at the start.

Whatever an option of `check` takes goes there: an engine, a version, a command line, a library, what is seen in words.
The rest is kept as said (`Request.said`) and becomes a stated fact. So a diagnosis is a check, and can be run as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from advisor.catalog.engines import engines, knowledge
from advisor.errors import UsageError
from advisor.jobs.assemble import assemble, engine_name
from advisor.jobs.request import File, Request, Said
from advisor.jobs.said import NOT_THERE, fact_of, number, yes_or_no
from advisor.jobs.taking import machines

NOT_KNOWN = "?"
"""The answer of one who does not know."""
UNSURE = frozenset(
    {
        *("?", "don't know", "dont know", "i don't know", "i dont know", "idk", "not sure", "unsure", "no idea"),
        *("unknown", "not known", "n/a", "maybe", "不知道", "不清楚", "不确定", "不了解", "没看过"),
    }
)
"""What people say instead of it."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+[\w.+-]*")  # 2.28.9, v2.28.9+cuda13.0
LONGEST = 400
"""Characters; a longer answer, or one of several lines, is evidence and not a value."""


@dataclass(frozen=True)
class Step:
    """One thing done in a diagnosis: evidence handed over (`name` and `content`), or an answer (`text`).

    `about` is the question it came at, "" at none; `question` has it in words, for people who read it later.
    """

    about: str
    text: str = ""
    name: str = ""
    question: str = ""
    content: bytes = b""


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
    asked = at.asked | {step.about} if step.about else at.asked
    if step.name:
        return Progress(handed(at.request, step.content, step.name), asked)
    if is_unsure(step.text):
        return Progress(at.request, asked)
    return Progress(answered(at.request, step.about, step.text), asked)


def is_unsure(text: str) -> bool:
    """Whether an answer is none: empty, `?`, or said in words."""
    word = " ".join(text.casefold().replace("’", "'").split()).rstrip(".。!！")
    return not word or word in UNSURE


def is_printed(about: str, text: str) -> bool:
    """Whether what was answered for a version is what a command printed: a path, or a line around a version."""
    told = text.strip()
    return (
        about.startswith("component:") and not _VERSION.fullmatch(told) and bool("/" in told or _VERSION.search(told))
    )


def is_evidence(text: str) -> bool:
    """Whether an answer is rather something pasted."""
    return "\n" in text.strip() or len(text) > LONGEST


def is_handed(about: str, kind: str, text: str) -> bool:
    """Whether what is given at a question of this kind (`AskKind`) is evidence to be read, and not its answer."""
    return is_evidence(text) or is_printed(about, text) or (kind == "evidence" and not is_unsure(text))


def handed(request: Request, content: bytes, name: str) -> Request:
    """The request with one more file; a line that is nothing but flags or words is taken as such by its reader."""
    return replace(request, files=(*request.files, File(name, content)))


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
        return _understood(replace(request, symptoms=(*request.symptoms, text)), text, "symptom")
    if about == "launch":
        return _understood(replace(request, flags=(*request.flags, text)), text, "command line")
    if about == "model":
        return replace(request, model=_model(text))
    if kind == "component" and not _VERSION.fullmatch(text):
        raise UsageError(f"no version in {text!r}", "answer", "such as 2.28.9, what the command prints, or ?")
    if kind == "component":
        return replace(request, components=(*request.components, f"{name}={text}"))
    if about == "hardware:accelerator":
        machines(text, strict=True)
        return replace(request, hardware=(*request.hardware, text))
    one = Said(about, _fitting(request, name, text) if kind == "setting" else text)
    fact_of(one)  # an answer that is none is said now
    return replace(request, said=(*(said for said in request.said if said.about != about), one))


def _model(text: str) -> str:
    if not re.search(r"[^\W\d_]{2}", text):
        raise UsageError(f"{text!r} names no model", "answer", "such as Qwen/Qwen3-32B, or ? for not known")
    return text


def _fitting(request: Request, flag: str, text: str) -> str:
    """The value, where the flag can have it. Raises UsageError where no release read takes it."""
    record = knowledge(request.engine).setting(flag, None) if request.engine in engines() else None
    if record is None or text.casefold() in NOT_THERE:
        return text
    if record.kind in ("switch", "pair"):
        return "yes" if yes_or_no(text) else "not there"
    if record.type in ("int", "float") and record.kind == "value":
        number(text)
    if record.choices and text not in map(str, record.choices):
        near = get_close_matches(text, [str(one) for one in record.choices], n=1)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(map(str, record.choices))}"
        raise UsageError(f"{text!r} is no value of {flag}", "answer", hint)
    return text


def _understood(request: Request, text: str, what: str) -> Request:
    """The request, where it tells something of the kind. Raises UsageError where nothing of it is understood."""
    told = Request(request.engine, request.version, symptoms=request.symptoms[-1:], strict=False)
    if what == "command line":
        told = replace(told, symptoms=(), flags=(text,))
    case, _ = assemble(told)
    known = any(one.settings or one.environment for one in case.launches)
    if not (known if what == "command line" else any(one.name.startswith("symptom.") for one in case.facts)):
        raise UsageError(f"no {what} understood in {text!r}", "answer", "other words, a paste, or ? for not known")
    return request


def _built(request: Request, text: str) -> Request:
    from advisor.jobs.gathering import Gathering
    from advisor.jobs.taking import version

    given = replace(request, version=text, strict=True)
    version(given, request.engine, Gathering())
    return replace(request, version=text)
