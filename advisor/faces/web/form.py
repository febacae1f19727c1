"""The form of a diagnosis -> what was told so far, and the step that is taken now.

Nothing is kept between two requests, so each brings everything: options, files, and the answers as `step` fields in
JSON. `had` names the files that were there before, so that a new one beside an answer is known for it.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from advisor.faces.web.carried import unpacked
from advisor.faces.web.parcels import Received
from advisor.faces.web.problems import Refused
from advisor.jobs.answering import Step
from advisor.jobs.request import File, Request

PASTE = "file"
"""What a part without a file name is called: the text box, whose text may be as large as a file."""
STEPS = 200


@dataclass(frozen=True)
class Told:
    """What a diagnosis has been told: options as typed, files in order, steps. A step's evidence is among the files."""

    options: dict[str, str]
    files: tuple[File, ...] = ()
    steps: tuple[Step, ...] = ()
    missing: tuple[str, ...] = ()
    ended: bool = False

    @property
    def base(self) -> Request:
        """The request without the steps."""
        given = self.options
        handed = {step.name for step in self.steps if step.name}
        return Request(
            engine=given["engine"].strip(),
            version=given["version"].strip(),
            flags=(given["flags"],) if given["flags"].strip() else (),
            env=_lines(given["env"]),
            components=_lines(given["component"]),
            hardware=(given["hardware"],) if given["hardware"].strip() else (),
            model=given["model"].strip(),
            files=tuple(one for one in self.files if one.name not in handed),
        )

    @property
    def taken(self) -> tuple[Step, ...]:
        """The steps with the evidence in them; one whose file is missing is a question not answered."""
        content = {one.name: one.content for one in self.files}
        return tuple(
            replace(one, name="", text="?") if one.name and one.name not in content
            else replace(one, content=content[one.name]) if one.name
            else one
            for one in self.steps
        )  # fmt: skip

    def without(self, name: str) -> Told:
        """The same without a file, and without the answer that it was."""
        return replace(
            self,
            files=tuple(one for one in self.files if one.name != name),
            missing=tuple(one for one in self.missing if one != name),
            steps=tuple(one for one in self.steps if one.name != name),
        )


@dataclass(frozen=True)
class Form:
    """A request of the page. `fresh` are the names of files that were not there before, `pasted` that of the text box.

    `do` is the button that was pressed; `about`, `question` and `kind` are those of the question it stood at, `answer`
    what was typed or chosen there. `keeps`: the browser keeps the files itself.
    """

    told: Told
    fresh: tuple[str, ...]
    pasted: str
    do: str
    about: str
    question: str
    kind: str
    answer: str
    keeps: bool


def read(given: Received, options: Sequence[str]) -> Form:
    """The form that was sent. Raises Refused where it is none of ours."""
    fields = {name: values[-1] for name, values in given.fields.items() if values}
    had = given.many("had")
    files, pasted = _files(given, had)
    steps = _steps(given.many("step"))
    known = {one.name for one in files}
    told = Told(
        options={name: _text(fields.get(name, "")) for name in options},
        files=files,
        steps=steps,
        missing=tuple(name for name in dict.fromkeys(had) if name not in known),
        ended=fields.get("ended") == "1",
    )
    return Form(
        told=told,
        fresh=tuple(one.name for one in files if one.name not in had),
        pasted=pasted,
        do=fields.get("do", ""),
        about=fields.get("about", ""),
        question=fields.get("question", ""),
        kind=fields.get("kind", ""),
        answer=_text(fields.get("answer", "")).strip() or fields.get("choice", ""),
        keeps=fields.get("keeps") == "1",
    )


def next_paste(taken: Iterable[str]) -> str:
    """The name of the next paste."""
    names = set(taken)
    return next(name for number in range(1, 10_000) if (name := f"pasted-{number}.txt") not in names)


def _files(given: Received, had: Sequence[str]) -> tuple[tuple[File, ...], str]:
    """The files in order, each by a name of its own: those from before first, then the new ones; the paste's name."""
    carried = unpacked(given.many("carried"))
    sent = [(one.name, one.path) for one in given.files]
    files = {one.name: one for one in carried}
    pasted = ""
    for name, path in sent:
        content = path.read_bytes()
        typed = _typed(content) if name == PASTE else None
        if typed is not None and not typed.strip():
            continue
        if typed is not None:
            name = pasted = next_paste({*files, *had})
        files[_free(name, files)] = File(_free(name, files), content if typed is None else typed)
    order = {name: at for at, name in enumerate(had)}
    return tuple(sorted(files.values(), key=lambda one: order.get(one.name, len(order)))), pasted


def _typed(content: bytes) -> bytes | None:
    """What stood in a text box; None for a file that is only called like one."""
    try:
        return _text(content.decode()).encode()
    except UnicodeDecodeError:
        return None


def _free(name: str, taken: Container[str]) -> str:
    """`rank0.log` → `rank0-2.log` for the second file of that name."""
    if name not in taken:
        return name
    stem, dot, end = name.rpartition(".")
    stem, end = (stem, f".{end}") if dot and stem else (name, "")
    return next(made for number in range(2, 10_000) if (made := f"{stem}-{number}{end}") not in taken)


def _steps(texts: Sequence[str]) -> tuple[Step, ...]:
    if len(texts) > STEPS:
        raise Refused(413, f"more than {STEPS} answers", "step", "start anew")
    return tuple(map(_step, texts))


def _step(text: str) -> Step:
    try:
        given = json.loads(text)
        parts = [given.get(name, "") for name in ("about", "text", "name", "question")]
    except (ValueError, AttributeError, RecursionError):
        parts = [None]
    if not all(isinstance(one, str) for one in parts) or not parts[0]:
        raise Refused(422, "is not an answer that a page of this service holds", "step", "start anew")
    return Step(*parts)


def step_field(step: Step) -> str:
    """A step as a field's value."""
    return json.dumps({"about": step.about, "text": step.text, "name": step.name, "question": step.question})


def _text(text: str) -> str:
    """Text as it was typed: a form sends its line ends in another way."""
    return text.replace("\r\n", "\n")


def _lines(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.splitlines() if one.strip())
