"""What is known about a case: artifacts, the facts read out of them, and where each came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import field
from typing import Literal

from advisor.model.late import changed, dataclass

Value = bool | int | float | str | None

Origin = Literal["observed", "stated", "derived", "default"]
"""How a fact is known, strongest first: read from what the machine printed (`observed`), said by the user on the
command line or in prose (`stated`), computed from other facts (`derived`), or the release's default for
something not given (`default`)."""

TRIED = "tried:"
"""What the name of a fact begins with that says a setting or variable was tried, in vain: `tried:--enforce-eager`."""

HELPED = "helped:"
"""The same for what was tried and with which the failure was gone: `helped:NCCL_P2P_DISABLE`."""

ORIGINS: tuple[Origin, ...] = ("observed", "stated", "derived", "default")

ArtifactKind = Literal[
    "log", "stack", "text", "launch", "collect_env", "machine", "metrics", "health", "recorder", "binary", "empty"
]
"""`text` is a person's prose; `machine` is nvidia-smi, a memory map, a RAS answer and the like; `metrics` Prometheus
text; `health` the body of a health endpoint; `recorder` a flight-recorder dump as JSON text, whatever it came as."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in an artifact: 1-based lines, `line` 0 when the whole artifact is meant."""

    artifact: str
    line: int = 0
    end_line: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.artifact
        last = f"-{self.end_line}" if self.end_line > self.line else ""
        return f"{self.artifact}:{self.line}{last}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing known. `quote` is the text it was read from, on one line; empty for derived and default facts.

    `notable` marks what a user came with: a symptom that some finding ought to explain.
    `why` says how a derived or default fact follows.
    """

    name: str
    value: Value
    origin: Origin
    span: Span | None = None
    quote: str = ""
    rank: str | None = None
    notable: bool = False
    why: str = ""

    def but(self, **changes: object) -> Fact:
        """A copy with some fields replaced."""
        return changed(self, **changes)


def printed_versions(facts: Iterable[Fact], engine: str) -> list[Fact]:
    """The `banner.version` facts of this engine, in order; another engine's banner tells nothing of its build."""
    facts = list(facts)
    told = {one.span: one.value for one in facts if one.name == "banner.engine"}
    by_file: dict[str, set[Value]] = {}
    for span, said in told.items():
        by_file.setdefault(span.artifact if span else "", set()).add(said)

    def mine(one: Fact) -> bool:
        """A second start repeats its engine, which is kept once, beside a version of its own."""
        if one.span in told:
            return told[one.span] == engine
        return by_file.get(one.span.artifact if one.span else "") == {engine}

    return [one for one in facts if one.name == "banner.version" and mine(one)]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A text given to us, or a part of one. `first_line` is where the part starts in what the user gave.

    `covered` is the reader's word that the text spans the whole life of the process, so that a line not in it
    was not printed. It is False whenever that is not known. `parsed` is what the text was written from, where that
    spares its reader to parse it.

    Of a huge log the text holds only the lines that tell something. `runs` then says where they stood: for each
    stretch of lines that follow one another, the place of its first in the text, from 0, and its number.
    """

    name: str
    kind: ArtifactKind
    text: str
    first_line: int = 1
    rank: str | None = None
    covered: bool = False
    parsed: object = field(default=None, compare=False, repr=False)
    runs: tuple[tuple[int, int], ...] = ()

    def number_of(self, index: int) -> int:
        """The number, in what the user gave, of the line at `index` (from 0) of this text."""
        if not self.runs:
            return self.first_line + index
        first, number = self.runs[max(0, bisect_right(self.runs, index, key=lambda run: run[0]) - 1)]
        return number + index - first

    def index_of(self, number: int) -> int | None:
        """Which line of this text, from 0, bears that number; None for one that is not in it."""
        if not self.runs:
            return number - self.first_line if number >= self.first_line else None
        at = bisect_right(self.runs, number, key=lambda run: run[1])
        if not at:
            return None
        first, begin = self.runs[at - 1]
        index = first + number - begin
        return index if at == len(self.runs) or index < self.runs[at][0] else None

    def span(self, start: int, end: int | None = None) -> Span:
        """The span of the characters `start`..`end` of this text."""
        index = self.text.count("\n", 0, start)
        last = index if end is None else index + self.text.count("\n", start, max(start, end - 1))
        return Span(self.name, self.number_of(index), self.number_of(last))

    def line_at(self, start: int, limit: int = 240) -> str:
        """The whole line around the character `start`, stripped and cut to `limit` characters."""
        begin = self.text.rfind("\n", 0, start) + 1
        stop = self.text.find("\n", start)
        line = self.text[begin : stop if stop >= 0 else len(self.text)]
        if len(line) <= limit:
            return line.strip()
        left = max(0, min(start - begin - limit // 3, len(line) - limit))
        return ("…" if left else "") + line[left : left + limit].strip() + ("…" if left + limit < len(line) else "")


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stack: innermost frames come first in a thread. `file` is empty when not printed."""

    function: str
    file: str
    span: Span

    def __str__(self) -> str:
        return f"{self.function} ({self.file})" if self.file else self.function


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread of one process in one capture. `state` is `active`, `idle` or empty when not said; `rank` is None when
    not said, "" of a process that is no rank (a detokenizer, a launcher).
    """

    name: str
    frames: tuple[Frame, ...]
    span: Span
    rank: str | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something about an input worth saying: not read, cut short, contradictory. Never an error.

    `engines`: more than one engine is in the evidence, and which was judged; a report says that first.
    """

    kind: Literal["unreadable", "ignored", "limit", "conflict", "hint", "engines"]
    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class FactKind:
    """A fact some reader declares: what it means, and how to ask for it when it is missing.

    `how` is a read-only command or place that answers the question; empty when only the user knows.
    """

    name: str
    type: Literal["bool", "int", "float", "str"]
    summary: str
    question: str
    how: str = ""
