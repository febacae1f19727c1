"""A work tree -> the files in it that differ from the commit checked out, told without running anything of the clone's.

Git itself would run the filters that the clone's configuration names as soon as it compares a file. Here git only lists
what the index holds; each file's content is compared with it by the hash that git would give it.
"""

from __future__ import annotations

import os
from hashlib import sha1
from pathlib import Path

from git import Repo

from advisor.errors import UpstreamError
from advisor.upstream.history import ask

_LARGE = 32 << 20  # bytes above which a file is told by its being there alone


def edited(repo: Repo, tree: Path) -> tuple[str, ...]:
    """The tracked files that are changed, staged or gone, sorted; empty when that cannot be told."""
    try:
        staged = ask(repo, "diff-index", "--cached", "--name-only", "--ignore-submodules=all", "-z", "HEAD", "--")
        kept = _kept(ask(repo, "ls-files", "--stage", "-z", "--full-name", "--", ":/"))
    except UpstreamError:
        return ()
    changed = {name for name, (mode, blob) in kept.items() if mode != "160000" and not _same(tree / name, mode, blob)}
    return tuple(sorted(changed | set(filter(None, staged.split("\0")))))


def _kept(listed: str) -> dict[str, tuple[str, str]]:
    """Each file's mode and blob in the index."""
    found = {}
    for line in filter(None, listed.split("\0")):
        about, _, name = line.partition("\t")
        mode, blob, _ = about.split()
        found[name] = (mode, blob)
    return found


def _same(file: Path, mode: str, blob: str) -> bool:
    try:
        link = file.is_symlink()
        if not link and file.lstat().st_size > _LARGE:
            return True
        content = os.fsencode(os.readlink(file)) if link else file.read_bytes()
    except OSError:
        return False
    if link is not (mode == "120000"):
        return False
    return blob in (_blob(content), _blob(content.replace(b"\r\n", b"\n")))


def _blob(content: bytes) -> str:
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
