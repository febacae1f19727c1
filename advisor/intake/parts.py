"""One clean text -> its artifacts: itself when it is one thing, else the prose and each part that a machine printed."""

from __future__ import annotations

from advisor.evidence.lines import rank_in
from advisor.evidence.paste import MAX_PARTS, prose, split
from advisor.evidence.recognition import mixed_kind, whole_kind
from advisor.model.fact import Artifact, ArtifactKind, Note, Span
from advisor.model.shape import Shape

PROSE_UP_TO = 4 << 20  # characters

_WHOLE_FROM = 200  # lines; a longer file that is mostly log is one log, whatever else it prints
_RANK_NAME = Shape(r"(?:^|[^A-Za-z])(?:rank|RANK)[_.-]?(\d+)(?![\d])")  # pyspy_native_rank1.txt, fr_rank_0
_WHOLE_KINDS = ("empty", "collect_env", "machine", "metrics", "health", "recorder")


def parts_of(name: str, text: str, paste: bool) -> tuple[list[Artifact], list[Note]]:
    """One artifact for a text of one kind, else one for all the prose and one for each part that a machine printed.

    Of a text in more than some hundreds of parts the rest is one, which is said.
    """
    rank = rank_of_name(name)
    kind = whole_kind(text)
    if kind is None and not (paste and len(text) <= PROSE_UP_TO):  # else its parts are looked at anyhow
        kind = mixed_kind(text)
    if kind and len(text) > PROSE_UP_TO:  # nobody writes that much: a log of a shape not known here
        return [Artifact(name, "log" if kind == "text" else kind, text, rank=rank)], []
    if kind and is_whole(name, text, kind, paste):
        return [Artifact(name, kind, text, rank=rank)], []
    parts = split(text)
    said = prose(text, parts)
    artifacts = [Artifact(name, "text", said, rank=rank)] if any(part.kind == "text" for part in parts) else []
    notes: list[Note] = []
    line, counted = 1, 0
    for part in parts:
        line += text.count("\n", counted, part.start)
        counted = part.start
        if part.rest:
            said = f"more than {MAX_PARTS} parts: from line {line} on it was read as one {part.kind}"
            notes.append(Note("limit", said, Span(name, line)))
        if part.kind != "text":
            artifacts.append(Artifact(name, part.kind, text[part.start : part.end], line, rank))
    return artifacts or [Artifact(name, kind or mixed_kind(text), text, rank=rank)], notes


def is_whole(name: str, text: str, kind: ArtifactKind, paste: bool) -> bool:
    """Whether the text is one thing. A paste is looked into line by line; a file that is a log is not."""
    if kind in _WHOLE_KINDS:
        return "```" not in text
    if paste or kind == "text" or "```" in text[:65536]:
        return False
    if kind == "log":
        return name.endswith((".log", ".out", ".err")) or text.count("\n") > _WHOLE_FROM or len(split(text)) == 1
    return True


def rank_of_name(name: str) -> str | None:
    """The rank a file's name speaks of: `rank0.log` -> `0`, `stack_TP1.txt` -> `TP1`; None when it does not."""
    base = name.rpartition("!")[2].rpartition("/")[2]
    word = _RANK_NAME.search(base)
    return word.group(1) if word else rank_in(base)
