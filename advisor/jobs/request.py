"""What a user hands over, before anything is read: options as typed, files as bytes."""

from __future__ import annotations

from advisor.model.build import Build
from advisor.model.fact import Fact, Note
from advisor.model.late import dataclass

HELD = 64 << 20
"""Bytes of a file that are held in memory; a larger one is read from where it lies."""


@dataclass(frozen=True)
class File:
    """An input file: its name as the user gave it, its content, and the kind the user says it is ("" = look).

    Of a file that is too large to be held `content` is the beginning, and `path` where it lies.
    """

    name: str
    content: bytes
    kind: str = ""
    path: str = ""


@dataclass(frozen=True)
class Located:
    """The build found at a path: a clone (`--repo`) or installed packages (`--installed`), `option` says which.

    `facts` are the versions and libraries seen there, each with its place; see `jobs.locating`.
    """

    option: str
    build: Build
    facts: tuple[Fact, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Said:
    """What a user answered to a question: what it is about as conditions name it (`setting:--tp-size`,
    `fact:symptom.hang`, `log:PATTERN`), and the answer as typed."""

    about: str
    answer: str


@dataclass(frozen=True)
class Request:
    """One case to judge. Every field may be empty. `strict`: an option that cannot be read is an error, not a note.

    `unread`: a line for each input that could not be opened; the report says so.
    `located`: the build that was found at a path; what `version` and `components` say besides is kept, and compared.
    `said`: answers to questions that no other field takes.
    `bare_is_complete`: flags without a command are the whole command line, so what is absent has its default.
    `excerpts`: the report shows the lines around what it quotes.
    """

    engine: str = ""
    version: str = ""
    flags: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    model: str = ""
    symptoms: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    unread: tuple[str, ...] = ()
    located: Located | None = None
    said: tuple[Said, ...] = ()
    id: str = ""
    strict: bool = True
    bare_is_complete: bool = True
    excerpts: bool = True
