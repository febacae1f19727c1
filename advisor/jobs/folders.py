"""A folder of captures → its files, as if each had been named, within the limits of archives; one file within them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.intake import content_of, files_of
from advisor.jobs.request import File
from advisor.model.fact import Note


def file_at(path: Path, name: str, kind: str = "") -> tuple[File, list[str]]:
    """The plain file at `path`, called `name`, and a line where not all of it was read. Raises OSError."""
    content, size = content_of(path)
    left = [f"{name}: only the first {len(content) >> 20} MiB of {size >> 20} MiB were read"]
    return File(name, content, kind), left if size > len(content) else []


def files_in(folder: Path, kind: str = "", within: Sequence[Path] = ()) -> tuple[list[File], list[str]]:
    """The plain files below a folder in order, and a line for each thing that was left out.

    `within`: links that lead out of these folders, which are resolved, are not followed.
    """
    notes: list[Note] = []
    files = [File(name, data, kind) for name, data in files_of(folder.resolve(), notes, within)]
    return files, [f"{note.span}: {note.text}" if note.span else note.text for note in notes]
