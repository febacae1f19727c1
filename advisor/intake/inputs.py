"""One input -> its artifacts: unpacked, recognised, split; what was not read is said in a note."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast, get_args

from advisor.evidence import plain_pickle
from advisor.evidence.recognition import is_recorder
from advisor.intake import archives, captured, large
from advisor.intake.ahead import ahead, is_large_dump
from advisor.intake.binaries import RUBBISH, binary, holds_rubbish
from advisor.intake.large import Digest
from advisor.intake.parts import parts_of, rank_of_name
from advisor.intake.searching import Search
from advisor.intake.streams import Large
from advisor.intake.texts import MAX_LINE, decode, text_of
from advisor.model.fact import Artifact, ArtifactKind, Note, Span

MAX_BYTES = archives.MAX_BYTES

_SAID = frozenset(get_args(ArtifactKind)) - {"text", "binary"}  # kinds that are taken as said
_MAX_SAID = 10  # notes about members of one archive that are no text
_MAX_EMPTY = 3  # files of an archive that are named each
_RECORDER_MARKS = (b"pg_config", b"comm_lib_version", b"pg_status")
_HEAD = 65_536  # bytes by which a dump is known


class Taken(NamedTuple):
    """What one input became, and what is worth saying about it."""

    artifacts: list[Artifact]
    notes: list[Note]


def take(name: str, data: bytes, kind: str = "", search: Search | None = None) -> Taken:
    """The artifacts in `data`, which the user calls `name`; files in an archive are called `archive!file`.

    `kind` is the user's word for it: `text` is a paste, looked into line by line (so are `-` and `--symptom`); any
    other kind is taken as said; "" means look.
    """
    if not archives.packing(data):
        return _file(name, data, kind)
    budget = archives.Budget()
    inside = list(archives.members(name, data, budget))
    read = partial(_file, search=search)
    early = ahead(_file, [] if kind else inside)
    found = [done or read(*one, kind) for one, done in zip(inside, early or [None] * len(inside), strict=True)]
    artifacts = [artifact for one in found for artifact in one.artifacts]
    notes = _few(budget.notes, name) + _few([note for one in found for note in one.notes], name)
    empty = [one for one in artifacts if one.kind == "empty"]
    if len(empty) > _MAX_EMPTY:
        artifacts = [one for one in artifacts if one.kind != "empty"] or [Artifact(name, "empty", "")]
        notes.append(Note("ignored", f"{len(empty)} files in it are empty", Span(name)))
    return Taken(artifacts or [Artifact(name, "binary", "", rank=rank_of_name(name))], notes)


def take_early(files: Sequence[tuple[str, bytes]]) -> list[Taken | None]:
    """What `take` makes of those of these files that are large dumps, on all cores; None for the rest."""
    return ahead(_file, files)


def _few(notes: list[Note], name: str) -> list[Note]:
    """The notes, but not one for each of hundreds of files that are no text."""
    more = len(notes) - _MAX_SAID
    if more <= 1:
        return notes
    own = [note for note in notes[_MAX_SAID:] if note.span == Span(name)]  # of the archive itself
    rest = Note("ignored", f"{more - len(own)} more notes about files in it", Span(name))
    return [*notes[:_MAX_SAID], *own, *([rest] if more > len(own) else [])]


def _file(name: str, data: bytes, kind: str = "", search: Search | None = None) -> Taken:
    if captured.is_ours(data):
        return Taken([], captured.notes_of(name, data))
    if plain_pickle.is_pickle(data):
        return _pickle(name, data)
    if not kind and is_large_dump(data) and is_recorder(decode(data[:_HEAD])) and b"```" not in data:
        artifact, _ = _plain(name, data)  # its text is not wanted as it is, only what is written from it
        if artifact is not None:
            return Taken([artifact], [])
    if what := binary(data):
        return Taken([Artifact(name, "binary", "", rank=rank_of_name(name))], [Note("unreadable", what, Span(name))])
    if search is not None and len(data) > large.WHOLE_UP_TO:
        digest = large.digests([(Large(name, data), kind)], search)[0]
        if digest is not None:
            return digested(name, digest)
    notes: list[Note] = []
    if holds_rubbish(data):
        notes.append(Note("limit", RUBBISH, Span(name)))
    text, cut = text_of(data[:MAX_BYTES])
    if len(data) > MAX_BYTES:
        text = text[: text.rfind("\n") + 1] or text
        said = f"only the first {MAX_BYTES >> 20} MiB of {len(data) >> 20} MiB were read"
        notes.append(Note("limit", said, Span(name)))
    if cut:
        notes.append(_cut(name, cut))
    if kind in _SAID and text.strip():
        return Taken([Artifact(name, cast(ArtifactKind, kind), text, rank=rank_of_name(name))], notes)
    artifacts, more = parts_of(name, text, paste=kind == "text" or name == "-" or name.startswith("--symptom"))
    if [one.kind for one in artifacts] == ["recorder"]:
        return _recorder_json(name, data, artifacts, notes)
    return Taken(artifacts, notes + more)


def digested(name: str, digest: Digest) -> Taken:
    """A large log of which only the lines that tell something are at hand; what was searched is said."""
    size = f"{digest.size / 1e9:.1f} GB" if digest.size >= 1e9 else f"{digest.size / 1e6:.0f} MB"
    said = (
        f"{size}, {digest.lines:,} lines: read to the end; of lines that are alike, the first and the last were looked "
        "at closely"
    )
    notes = [Note("hint", said, Span(name))]
    notes += [Note("limit", RUBBISH, Span(name))] if digest.rubbish else []
    notes += [_cut(name, digest.cut)] if digest.cut else []
    notes += [Note(kind, text, Span(name)) for kind, text in digest.said]
    return Taken([digest.artifact(name, rank_of_name(name))], notes)


def _cut(name: str, count: int) -> Note:
    return Note("limit", f"{count} line(s) longer than {MAX_LINE} characters were cut", Span(name))


def _pickle(name: str, data: bytes) -> Taken:
    """A flight-recorder dump as JSON text, where it is plain data; any other pickle is named and left closed."""
    rank = rank_of_name(name)
    artifact, reason = _plain(name, data)
    if artifact is not None:
        return Taken([artifact], [])
    recorder = any(mark in data[:65536] for mark in _RECORDER_MARKS)
    what = "a PyTorch flight-recorder dump" if recorder else "a Python pickle"
    said = f"{what}: {reason or 'this version recognises it but does not read it'}"
    return Taken([Artifact(name, "binary", "", rank=rank)], [Note("unreadable", said, Span(name))])


def _recorder_json(name: str, data: bytes, artifacts: list[Artifact], notes: list[Note]) -> Taken:
    """A dump that came as JSON, in the reader's own spelling where it takes it."""
    artifact, reason = _plain(name, data)
    if artifact is not None:
        return Taken([artifact], [])
    if reason:
        notes = [*notes, Note("unreadable", f"a flight-recorder dump: {reason}", Span(name))]
    return Taken(artifacts, notes)


def _plain(name: str, data: bytes) -> tuple[Artifact | None, str]:
    """The flight recorder's reader on `data`: the dump as text, or why there is none."""
    try:
        reader = importlib.import_module("advisor.evidence.flight_recorder")
    except ImportError:
        return None, ""
    if data[:1] != b"\x80" and plain_pickle.is_pickle(data):
        try:
            data = json.dumps(plain_pickle.load(data), skipkeys=True, default=_decoded).encode()
        except plain_pickle.Refused as refused:
            return None, f"a pickle that was not read: {refused}"
    artifact, reason = reader.artifact_of(name, data, rank_of_name(name))
    return artifact, str(reason or "")


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")
