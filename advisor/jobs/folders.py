"""A folder of captures → its files, as if each had been named, within the limits of archives."""

from __future__ import annotations

from pathlib import Path

from advisor.intake import files_of
from advisor.jobs.request import File
from advisor.model.fact import Note


def files_in(folder: Path, kind: str = "") -> tuple[list[File], list[str]]:
    """The plain files below a folder in order, and a line for each thing that was left out."""
    notes: list[Note] = []
    files = [File(name, data, kind) for name, data in files_of(folder.resolve(), notes)]
    return files, [f"{note.span}: {note.text}" if note.span else note.text for note in notes]
