"""A text that mixes prose, fenced code, log lines and stacks -> its parts, each of one kind.

    It hangs after an hour. TP1 py-spy (native, active): ``` sched_yield ncclLocalOpAppend (proxy.cc:499) ... ```
    [PG ID 8 PG GUID 85(pp_broadcast) Rank 3] failure detected by watchdog at work sequence id: 40427

Fences count wherever they stand, also inside a line of a flattened issue; outside them a run of lines that only a
machine prints is a part of its own, and what is left is prose: flags inside a sentence stay in it. Parts are slices
of the text, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence.lines import Line, lines
from advisor.evidence.recognition import is_package, kind_of, line_kind
from advisor.model.fact import ArtifactKind
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_FENCE = Shape(r"`{3,}|~{3,}")
_LANGUAGE = Shape(r"([A-Za-z]+)[ \t]*\n")
_LABEL = r"(?:TP|PP|DP|EP|CP|[Rr]ank|[Nn]ode)[ _-]?\d+"
_WHOSE = Shape(rf"\b{_LABEL}(?:(?!{_LABEL})[^\n`]){{0,60}}$")  # TP1 py-spy (native, active):
_TOOL = Shape(r"\b(?:py-?spy|gdb|[Ss]tack|[Bb]acktrace)[^\n`]{0,60}$")
_CAPTION_REACH = 200

MAX_PARTS = 400  # each is read on its own, by every reader


@dataclass(frozen=True, slots=True)
class Part:
    """The characters `start`..`end` of the text, which are of one kind; or `rest`, what the others left."""

    kind: ArtifactKind
    start: int
    end: int
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its opening mark, its inside `start`..`end`, where the text goes on, and the language named."""

    opening: int
    start: int
    end: int
    after: int
    language: str


def split(text: str) -> list[Part]:
    """The parts of `text`, in the order in which they begin; after `MAX_PARTS` the rest is one."""
    parts: list[Part] = []
    at = 0
    for fence in fences(text):
        if len(parts) >= MAX_PARTS:
            break
        kind = kind_of(text[fence.start : fence.end], fence.language)
        begin = caption(text, at, fence.opening) if kind == "stack" else fence.opening
        parts += outside(text, at, begin)
        parts.append(Part("log" if kind == "text" else kind, begin if kind == "stack" else fence.start, fence.end))
        at = fence.after
    else:
        parts += outside(text, at, len(text))
        at = len(text)
    if len(parts) > MAX_PARTS:
        at, parts = parts[MAX_PARTS].start, parts[:MAX_PARTS]
    found = [part for part in parts if _has_more_than_fences(text[part.start : part.end])]
    return [*found, Part(kind_of(text[at:]), at, len(text), rest=True)] if text[at:].strip() else found


def _has_more_than_fences(piece: str) -> bool:
    return bool((_FENCE.sub("", piece) if "```" in piece or "~~~" in piece else piece).strip())


def prose(text: str, parts: list[Part]) -> str:
    """What a person wrote in `text`: as it stands, with the machine's parts taken out and their line ends kept.

    It stays one text, because a heading governs the words under it across the code in between.
    """
    kept: list[str] = []
    at = 0
    for part in parts:
        if part.kind != "text":
            kept += [text[at : part.start], "\n" * text.count("\n", part.start, part.end)]
            at = part.end
    return "".join([*kept, text[at:]])


def fences(text: str) -> Iterator[Fence]:
    """The fenced blocks; the last may lack its end."""
    if "```" not in text and "~~~" not in text:
        return
    opening = None
    for mark in _FENCE.finditer(text):
        if opening is None:
            opening = mark
        elif mark.group()[0] == opening.group()[0]:
            yield _fence(text, opening, mark.start(), mark.end())
            opening = None
    if opening is not None:
        yield _fence(text, opening, len(text), len(text))


def _fence(text: str, opening: re.Match[str], end: int, after: int) -> Fence:
    named = _LANGUAGE.match(text, opening.end())
    start = named.end() if named else opening.end()
    return Fence(opening.start(), start, max(start, end), after, named.group(1).lower() if named else "")


def caption(text: str, floor: int, opening: int) -> int:
    """Where the words that introduce a fenced stack begin: they say whose it is. `opening` when there are none."""
    reach = max(floor, opening - _CAPTION_REACH)
    before = text[reach:opening].rstrip()
    found = _WHOSE.search(before) or _TOOL.search(before)
    return reach + found.start() if found else opening


def outside(text: str, start: int, end: int) -> list[Part]:
    """The parts of a stretch without fences."""
    parts: list[Part] = []
    for machine, rows in runs(list(lines(text, start, end))):
        first, last = rows[0].start, rows[-1].end
        if machine:
            kind = kind_of(text[first:last])
            if kind == "text" and not is_package(rows[0].text):  # a few packages alone are a person's words
                typed = all(line_kind(row.text) == "launch" for row in rows if row.text.strip())
                kind = "launch" if typed else "log"  # TP=8 NCCL_DEBUG=INFO
            parts.append(Part(kind, first, last))
        elif text[first:last].strip():
            parts.append(Part("text", first, last))
    return parts


def runs(rows: list[Line]) -> list[tuple[bool, list[Line]]]:
    """Neighbouring lines that a machine printed, and those that a person wrote, taken together."""
    kinds = [_family(row.text) for row in rows]
    _bridge(rows, kinds)
    grouped: list[tuple[str, list[Line]]] = []
    for row, kind in zip(rows, kinds, strict=True):
        if grouped and (kind == grouped[-1][0] or kind == "blank"):
            grouped[-1][1].append(row)
        else:
            grouped.append(("" if kind == "blank" else kind, [row]))
    return [(bool(kind), members) for kind, members in grouped]


def _family(row: str) -> str:
    """`seen` for logs and stacks, which are often printed into each other; otherwise the line's own kind."""
    if not row.strip():
        return "blank"
    kind = line_kind(row)
    if (
        not kind
        and row.startswith(("| ", "|=", "+-"))
        and ("MiB /" in row or "NVIDIA-SMI" in row or row.startswith("+---"))
    ):
        return "machine"
    if not kind and is_package(row):
        return "listed"
    return "seen" if kind in ("log", "stack") else kind


def _bridge(rows: list[Line], kinds: list[str]) -> None:
    """Give lines without a mark of their own to the run they stand in: continuations, and single lines in between."""
    for index, row in enumerate(rows):
        before = kinds[index - 1] if index else ""
        after = kinds[index + 1] if index + 1 < len(rows) else ""
        if (
            kinds[index] == ""
            and before in ("seen", "machine", "launch", "listed")
            and (after == before or row.text[:1] in " \t")
        ):
            kinds[index] = before
        if kinds[index] == "" and after == "launch" and row.text.rstrip().endswith("\\"):
            kinds[index] = "launch"
        elif kinds[index] in ("launch", "listed") and before == "seen" and after == "seen":
            kinds[index] = "seen"
    for index in range(len(rows) - 2, 0, -1):
        # a script's blank lines and comments lie between its commands
        if (
            kinds[index] in ("blank", "")
            and kinds[index + 1] == "launch"
            and "launch" in kinds[max(0, index - 3) : index]
            and len(rows[index].text) < 200
        ):
            kinds[index] = "launch"
