"""Where a diagnosis stands: what is believed so far, and the one question to ask next."""

from __future__ import annotations

from typing import Literal

from advisor.model.late import dataclass
from advisor.model.report import Report, Status

AskKind = Literal["choice", "value", "evidence"]
"""`choice`: one of the options; `value`: a short text, such as a version; `evidence`: what a command prints, a file."""


@dataclass(frozen=True)
class Option:
    """One answer to choose: what the person reads, and the text of it in an answers file."""

    label: str
    answer: str


@dataclass(frozen=True)
class Ask:
    """A question. `about` names what it is about as conditions do (`fact:symptom.hang`, `setting:--tp-size`), or one of
    the wide ones: symptom, engine, build, launch, log, stacks.

    `how` are read-only commands that answer it on this deployment, "" where only a person knows. `gain` is how many
    bits the answer is expected to tell of which failure it is; `rules` are those that it helps to decide.
    """

    about: str
    question: str
    how: str
    kind: AskKind
    options: tuple[Option, ...]
    gain: float
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A failure that it can still be. `share` of the belief, 0 to 1; `status` None where nothing speaks for it yet."""

    rule: str
    summary: str
    status: Status | None
    share: float


@dataclass(frozen=True)
class Recognised:
    """In short what was understood: the build ("" when not known), flags and variables as typed, accelerators or whose
    they are, symptoms in words, and how many artifacts of each kind."""

    build: str
    settings: tuple[str, ...]
    environment: tuple[str, ...]
    hardware: tuple[str, ...]
    symptoms: tuple[str, ...]
    evidence: dict[str, int]


@dataclass(frozen=True)
class Standing:
    """What is known at one moment. `candidates` most believed first; `considered` is how many failures were judged.

    `ask` is None when no question is worth asking. `captures` are the commands worth running whatever the answers.
    """

    report: Report
    recognised: Recognised
    candidates: tuple[Candidate, ...]
    considered: int
    ask: Ask | None
    captures: tuple[Ask, ...]
