"""What the user hands over -> artifacts, each of one kind, decoded and cut to size.

Recognises by content, never by trust in a name: stacks (py-spy, gdb, faulthandler), logs, launches, machine readings,
`collect_env`, a person's prose, and binaries, which are named but not opened. A text that mixes them is split, and
each part keeps its line in the original. Nothing here raises on odd bytes; what was not read is said in a note.
"""

from __future__ import annotations

from typing import NamedTuple, cast, get_args

from advisor.evidence.lines import rank_in
from advisor.evidence.paste import prose, split
from advisor.evidence.recognition import kind_of
from advisor.evidence.shapes import Shape
from advisor.model.fact import Artifact, ArtifactKind, Note, Span

MAX_BYTES = 64 << 20
MAX_LINE = 20_000
PROSE_UP_TO = 4 << 20  # characters

_WHOLE_FROM = 200  # lines; a longer file that is mostly log is one log, whatever else it prints
_ANSI = Shape(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")  # ESC[31m, ESC]0;title BEL
_RANK_NAME = Shape(r"(?:^|[^A-Za-z])(?:rank|RANK)[_.-]?(\d+)(?![\d])")  # pyspy_native_rank1.txt, fr_rank_0
_BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))


class Taken(NamedTuple):
    """What one input became, and what is worth saying about it."""

    artifacts: list[Artifact]
    notes: list[Note]


def take(name: str, data: bytes, kind: str = "") -> Taken:
    """The artifacts in `data`, which the user calls `name`.

    `kind` is the user's word for it: `text` is a paste, looked into line by line (so are `-` and `--symptom`); any
    other kind is taken as said; "" means look.
    """
    if what := binary(data):
        return Taken([Artifact(name, "binary", "", rank=rank_of_name(name))], [Note("unreadable", what, Span(name))])
    notes: list[Note] = []
    text = clean(decode(data[:MAX_BYTES]))
    if len(data) > MAX_BYTES:
        text = text[: text.rfind("\n") + 1] or text
        notes.append(
            Note("limit", f"only the first {MAX_BYTES >> 20} MiB of {len(data) >> 20} MiB were read", Span(name))
        )
    text, cut = shorten(text)
    if cut:
        notes.append(Note("limit", f"{cut} line(s) longer than {MAX_LINE} characters were cut", Span(name)))
    if kind in get_args(ArtifactKind) and kind not in ("text", "binary") and text.strip():
        return Taken([Artifact(name, cast(ArtifactKind, kind), text, rank=rank_of_name(name))], notes)
    return Taken(parts_of(name, text, paste=kind == "text" or name == "-" or name.startswith("--symptom")), notes)


def binary(data: bytes) -> str:
    """Why these bytes are not text, or "" when they are."""
    if data[:1] == b"\x80" and data[1:2] in b"\x02\x03\x04\x05":
        recorder = b"pg_config" in data[:4096] or b"comm_lib_version" in data[:65536]
        what = "a PyTorch flight-recorder dump" if recorder else "a Python pickle"
        return f"{what}: this version recognises it but does not read it"
    if data.startswith((b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")):
        return "compressed: unpack it first"
    if data.startswith(b"\x7fELF"):
        return (
            "an executable or core dump: hand over a stack of it instead (gdb -p PID -batch -ex 'thread apply all bt')"
        )
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in data[:8192]:
        return "binary, not text"
    return ""


def decode(data: bytes) -> str:
    """Text of these bytes: by its byte-order mark, else UTF-8; what cannot be decoded becomes U+FFFD."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def clean(text: str) -> str:
    """Without colours, and with only the last state of each line that was drawn over; line numbers stay as they are."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            text = "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in text.split("\n"))
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return text.replace("\0", "�")


def shorten(text: str) -> tuple[str, int]:
    """The text with over-long lines cut, and how many were."""
    rows = text.split("\n") if len(text) > MAX_LINE else []
    cut = sum(len(row) > MAX_LINE for row in rows)
    return ("\n".join(row[:MAX_LINE] for row in rows), cut) if cut else (text, 0)


def parts_of(name: str, text: str, paste: bool) -> list[Artifact]:
    """One artifact for a text of one kind, else one for all the prose and one for each part that a machine printed."""
    rank = rank_of_name(name)
    kind = kind_of(text)
    if len(text) > PROSE_UP_TO:  # nobody writes that much: a log of a shape not known here
        return [Artifact(name, "log" if kind == "text" else kind, text, rank=rank)]
    if is_whole(name, text, kind, paste):
        return [Artifact(name, kind, text, rank=rank)]
    parts = split(text)
    said = prose(text, parts)
    artifacts = [Artifact(name, "text", said, rank=rank)] if any(part.kind == "text" for part in parts) else []
    line, counted = 1, 0
    for part in parts:
        line += text.count("\n", counted, part.start)
        counted = part.start
        if part.kind != "text":
            artifacts.append(Artifact(name, part.kind, text[part.start : part.end], line, rank))
    return artifacts or [Artifact(name, kind, text, rank=rank)]


def is_whole(name: str, text: str, kind: ArtifactKind, paste: bool) -> bool:
    """Whether the text is one thing. A paste is looked into line by line; a file that is a log is not."""
    if kind in ("empty", "collect_env", "machine"):
        return "```" not in text
    if paste or kind == "text" or "```" in text[:65536]:
        return False
    if kind == "log":
        return name.endswith((".log", ".out", ".err")) or text.count("\n") > _WHOLE_FROM or len(split(text)) == 1
    return True


def rank_of_name(name: str) -> str | None:
    """The rank a file's name speaks of: `rank0.log` -> `0`, `stack_TP1.txt` -> `TP1`; None when it does not."""
    base = name.rpartition("/")[2]
    word = _RANK_NAME.search(base)
    return word.group(1) if word else rank_in(base)
