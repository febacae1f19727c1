"""A folder of captures → its files, as if each had been named, within the limits of archives; one file within them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.intake import content_of, files_of
from advisor.jobs.request import HELD, File
from advisor.model.fact import Note, Span

_BEGINNING = 1 << 20  # bytes


def file_at(path: Path, name: str, kind: str = "") -> tuple[File, list[str]]:
    """The plain file at `path`, called `name`, and a line where not all of it was read. Raises OSError."""
    content, size = content_of(path)
    left = [f"{name}: only the first {len(content) >> 20} MiB of {size >> 20} MiB were read"]
    return File(name, content, kind), left if size > len(content) else []


def _where_it_lies(file: File, above: Path, notes: list[Note]) -> File:
    """A file that was cut short as one that is read from where it lies; the note that it was cut goes."""
    cut = [note for note in notes if note.kind == "limit" and note.span == Span(file.name)]
    if not cut or len(file.content) < HELD:
        return file
    notes[:] = [note for note in notes if note not in cut]
    return File(file.name, file.content[:_BEGINNING], file.kind, str(above / file.name))


def files_in(folder: Path, kind: str = "", within: Sequence[Path] = ()) -> tuple[list[File], list[str]]:
    """The plain files below a folder in order, and a line for each thing that was left out.

    `within`: links that lead out of these folders, which are resolved, are not followed.
    """
    notes: list[Note] = []
    files = [File(name, data, kind) for name, data in files_of(folder.resolve(), notes, within)]
    if not within:  # nobody but the user can change what stands there between two looks
        files = [_where_it_lies(one, folder.resolve().parent, notes) for one in files]
    return files, [f"{note.span}: {note.text}" if note.span else note.text for note in notes]
