"""A folder -> the files in it, in order of their names. The one place of intake that reads the disk, for the faces.

Links, devices and pipes are left alone; hidden files too. Limits are said in the notes the caller hands in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from advisor.intake.archives import MAX_BYTES, MAX_MEMBERS, MAX_TOTAL, packing
from advisor.model.fact import Note, Span


def files_of(folder: Path, notes: list[Note] | None = None) -> Iterator[tuple[str, bytes]]:
    """Each file's path under `folder` (with the folder's own name first) and its content.

    At most 2,000 files and 1 GiB; of one file the first 64 MiB, an archive whole. Raises OSError when the folder itself
    cannot be listed; a file that cannot be read becomes a note.
    """
    said = notes if notes is not None else []
    os.scandir(folder).close()
    count = total = 0
    for path in _walk(folder):
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        if count >= MAX_MEMBERS or total >= MAX_TOTAL:
            which = f"{MAX_MEMBERS} files" if count >= MAX_MEMBERS else f"{MAX_TOTAL >> 20} MiB"
            said.append(Note("limit", f"holds more than {which}: from {name} on nothing was read", Span(folder.name)))
            return
        try:
            content, size = _content(path, MAX_TOTAL - total)
        except OSError as error:
            said.append(Note("unreadable", f"cannot be read: {error.strerror}", Span(name)))
            continue
        if size > len(content):
            text = f"only the first {len(content) >> 20} MiB of {size >> 20} MiB were read"
            said.append(Note("limit", text, Span(name)))
        count, total = count + 1, total + len(content)
        yield name, content


def _walk(folder: Path) -> Iterator[Path]:
    """The plain files under `folder`, in order; what cannot be listed is passed over."""
    for root, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and _plain(path := Path(root, name)):
                yield path


def _plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _content(path: Path, left: int) -> tuple[bytes, int]:
    """The content up to the limits, and the file's whole size."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        size = os.fstat(handle).st_size
        head = file.read(512)
        limit = min(left, size if packing(head) else MAX_BYTES)
        return head[:limit] + file.read(max(0, limit - len(head))), size
