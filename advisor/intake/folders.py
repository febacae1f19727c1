"""A folder -> the files in it, in order of their names. The one place of intake that reads the disk, for the faces.

A link to a plain file is followed, also out of the folder, as those of /var/log/containers lead; a file is read once.
Links to folders, devices and pipes are left alone; hidden files too. That and limits are said in the notes the caller
hands in.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from advisor.intake.archives import MAX_BYTES, MAX_MEMBERS, MAX_TOTAL, packing
from advisor.model.fact import Note, Span

_HIDDEN = "hidden file(s) or folder(s) were not read"
_LINKED = "link(s) to folders were not followed"
_NO_FILE = "device(s), pipe(s) or links to no plain file were not read"
_NO_FOLDER = "folder(s) could not be listed"
_OUTSIDE = "link(s) that lead out of the folders that may be read were not followed"


def content_of(path: Path) -> tuple[bytes, int]:
    """What is read of a plain file (64 MiB, of an archive a GiB), and its whole size. Raises OSError."""
    return _content(path, MAX_TOTAL)


def files_of(folder: Path, notes: list[Note] | None = None, within: Sequence[Path] = ()) -> Iterator[tuple[str, bytes]]:
    """Each file's path under `folder` (with the folder's own name first) and its content.

    `within`: links are followed to files below these folders alone, which are resolved; anywhere where there are none.
    At most 2,000 files and 1 GiB; of one file the first 64 MiB, an archive whole. Raises OSError when the folder itself
    cannot be listed; a file that cannot be read becomes a note.
    """
    said = notes if notes is not None else []
    os.scandir(folder).close()
    count = total = 0
    skipped: Counter[str] = Counter()
    for path in _walk(folder, skipped, within):
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        if count >= MAX_MEMBERS or total >= MAX_TOTAL:
            which = f"{MAX_MEMBERS} files" if count >= MAX_MEMBERS else f"{MAX_TOTAL >> 20} MiB"
            said.append(Note("limit", f"holds more than {which}: from {name} on nothing was read", Span(folder.name)))
            break
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
    said += [Note("ignored", f"{skipped[why]} {why}", Span(folder.name)) for why in sorted(skipped) if skipped[why]]


def _walk(folder: Path, skipped: Counter[str], within: Sequence[Path]) -> Iterator[Path]:
    """The files to read under `folder`, in order, and in `skipped` why others are none."""
    inside = folder.resolve()
    targets: set[Path] = set()
    for root, folders, files in os.walk(folder, followlinks=False, onerror=lambda _: skipped.update([_NO_FOLDER])):
        skipped[_HIDDEN] += sum(name.startswith(".") for name in [*folders, *files])
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        skipped[_LINKED] += sum(os.path.islink(os.path.join(root, name)) for name in folders)
        for name in sorted(files):
            path = Path(root, name)
            if name.startswith("."):
                continue
            target = _target(path)
            if target is None:
                skipped[_NO_FILE] += 1
            elif not path.is_symlink():
                yield path
            elif within and not any(target.is_relative_to(one) for one in within):
                skipped[_OUTSIDE] += 1
            elif target not in targets and not _walked(target, inside):
                targets.add(target)
                yield path


def _walked(target: Path, inside: Path) -> bool:
    """Whether the file is read under its own name."""
    return target.is_relative_to(inside) and not any(part.startswith(".") for part in target.relative_to(inside).parts)


def _target(path: Path) -> Path | None:
    """The plain file that `path` is or leads to; None for a device, a pipe, a file of the kernel or a broken link."""
    try:
        target = path.resolve(strict=True)
        plain = stat.S_ISREG(target.lstat().st_mode)
    except (OSError, RuntimeError):  # a link to itself
        return None
    kernel = path.is_symlink() and target.parts[1:2] in (("proc",), ("sys",), ("dev",))
    return target if plain and not kernel else None


def _content(path: Path, left: int) -> tuple[bytes, int]:
    """The content up to the limits, and the file's whole size."""
    handle = os.open(path.resolve(), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        size = os.fstat(handle).st_size
        head = file.read(512)
        limit = min(left, size if packing(head) else MAX_BYTES)
        file.seek(0)  # to read it in one piece: to join two is to copy the whole
        return file.read(limit), size
