"""A work tree -> the files in it that differ from the commit checked out, told without running anything of the clone's.

Git itself would run the filters that the clone's configuration names as soon as it compares a file. Here git only lists
what the index holds; each file's content is compared with it by the hash that git would give it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

from advisor.errors import UpstreamError
from advisor.upstream.git import ask

_LARGE = 32 << 20  # bytes above which a file is told by its being there alone

Kept = dict[str, tuple[str, str]]
"""Each file's mode and blob, as the index or a tree has it."""


def edited(git_dir: Path, tree: Path) -> tuple[str, ...]:
    """The tracked files that are changed, staged or gone, sorted; empty when that cannot be told."""
    try:
        staged = ask(git_dir, "diff-index", "--cached", "--name-only", "--ignore-submodules=all", "-z", "HEAD", "--")
        kept = of_index(ask(git_dir, "ls-files", "--stage", "-z", "--full-name", "--", ":/"))
    except UpstreamError:
        return ()
    return tuple(sorted({*differing(tree, kept), *filter(None, staged.split("\0"))}))


def differing(tree: Path, kept: Kept) -> list[str]:
    """The files whose content is another, or that are gone; a submodule is no file."""
    return [name for name, (mode, blob) in kept.items() if mode != "160000" and not _same(tree / name, mode, blob)]


def of_index(printed: str) -> Kept:
    """What `ls-files --stage -z` prints: `100644 b56ddfb… 0`, a tab and the name."""
    return {name: (mode, blob) for (mode, blob, _stage), name in _entries(printed)}


def of_tree(printed: str) -> Kept:
    """What `ls-tree -z` prints: `100644 blob b56ddfb…`, a tab and the name."""
    return {name: (mode, blob) for (mode, _type, blob), name in _entries(printed)}


def _entries(printed: str) -> Iterator[tuple[list[str], str]]:
    for line in filter(None, printed.split("\0")):
        about, _, name = line.partition("\t")
        yield about.split(), name


def content_of(file: Path) -> bytes:
    """What git keeps of a file: its bytes, or where a link leads."""
    return os.fsencode(os.readlink(file)) if file.is_symlink() else file.read_bytes()


def _same(file: Path, mode: str, blob: str) -> bool:
    try:
        link = file.is_symlink()
        if not link and file.lstat().st_size > _LARGE:
            return True
        content = content_of(file)
    except OSError:
        return False
    if link is not (mode == "120000"):
        return False
    return blob in (_blob(content), _blob(content.replace(b"\r\n", b"\n")))


def _blob(content: bytes) -> str:
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
