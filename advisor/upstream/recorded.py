"""An installed engine and its RECORD -> which of its files are no longer what was installed.

    vllm/envs.py,sha256=iwQdBfjV…,4711          path, digest, bytes; as RECORD lists every file of the wheel

Every file is asked for and its size compared, of every `.py` also the digest; a file of another kind that was changed
to the same size goes unseen. A `.py` in the engine's own package that no RECORD lists is extra. What Python compiles
(`__pycache__`, `.pyc`) does not count, nor what lies outside the folder, such as `../../../bin/vllm`.

**Source:** the PyPA specification "Recording installed projects" (read 2026-11-29).
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from advisor.upstream.distributions import Distribution, plain
from advisor.upstream.rooted import Root

_RECORD = 64 << 20  # bytes of RECORD that are read
_FILE = 64 << 20  # bytes of a file of Python that are read
_NAMED = 3
State = Literal["same", "changed", "missing", "unread"]
_LEFT_OUT = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")  # an installer writes these itself


@dataclass(frozen=True)
class Compared:
    """Every file of a package against its list: how many were compared, and those changed, missing or extra, sorted."""

    count: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    def differs(self) -> bool:
        """Whether anything is other than it was installed."""
        return bool(self.changed or self.missing or self.extra)

    def told(self) -> str:
        """The comparison in words, with the first few of each kind named."""
        if not self.differs():
            return f"{self.count} files, all as installed (of files that are no .py, the size alone)"
        kinds = ((self.changed, "changed"), (self.missing, "missing"), (self.extra, "extra, listed nowhere"))
        parts = [f"{len(names)} {word} ({_some(names)})" for names, word in kinds if names]
        differing = len(self.changed) + len(self.missing)
        return f"{differing} of {self.count} files differ from what was installed: {'; '.join(parts)}"


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def compared(root: Root, one: Distribution) -> Compared | None:
    """The package's files against its RECORD; None without one, and for an editable install, whose files it omits."""
    text = None if one.editable else root.text(one.metadata / "RECORD", _RECORD)
    rows = dict(_rows(text or ""))
    if not rows:
        return None
    packages = {name.partition("/")[0] for name in rows if name.endswith("/__init__.py")}
    packages = {name for name in packages if name == plain(one.name).replace("-", "_")} or packages
    there = _Tree(root, one.site)
    found: dict[State, list[str]] = {}
    for name in sorted(rows):
        found.setdefault(there.state(name, *rows[name]), []).append(name)
    extra = [name for package in sorted(packages) for name in there.python_of(package) if name not in rows]
    count = len(rows) - len(found.get("unread", ()))
    return Compared(
        count, tuple(found.get("changed", ())), tuple(found.get("missing", ())), tuple(_unlisted(root, one, extra))
    )


def _rows(text: str) -> Iterator[tuple[str, tuple[str, int | None]]]:
    """Path -> digest ("" when not given) and size of every file that counts."""
    for row in csv.reader(text.splitlines()):
        name = row[0] if row else ""
        if not name or name.startswith(("/", "..")) or _is_compiled(name) or Path(name).name in _LEFT_OUT:
            continue
        digest = row[1].partition("=")[2].rstrip("=") if len(row) > 1 and row[1].startswith("sha256=") else ""
        size = int(row[2]) if len(row) > 2 and row[2].isdecimal() else None
        yield name, (digest, size)


def _is_compiled(name: str) -> bool:
    return name.endswith((".pyc", ".pyo")) or "__pycache__/" in name


class _Tree:
    """The files below a site folder, each folder listed once; links are followed as `Root` allows."""

    def __init__(self, root: Root, site: Path) -> None:
        self.root, self.site = root, site
        self._folders: dict[str, dict[str, os.DirEntry[str]]] = {}

    def state(self, name: str, digest: str, size: int | None) -> State:
        """What became of a file of RECORD; `unread` when it leads outside or cannot be read."""
        folder, _, base = name.rpartition("/")
        entry = self._listed(folder).get(base)
        if entry is None:
            return "missing"
        try:
            if entry.is_symlink():
                return _state(self.root.bytes(self.site / name, _FILE), digest, size)
            if size is not None and entry.stat(follow_symlinks=False).st_size != size:
                return "changed"
            if not digest or not name.endswith(".py"):
                return "same"
            with open(entry.path, "rb") as opened:
                return _state(opened.read(_FILE), digest, None)
        except OSError:
            return "unread"

    def _listed(self, folder: str) -> dict[str, os.DirEntry[str]]:
        if folder not in self._folders:
            real = self.root.real(self.site / folder if folder else self.site)
            self._folders[folder] = _entries(real) if real is not None else {}
        return self._folders[folder]

    def python_of(self, package: str) -> Iterator[str]:
        """Every `.py` in a package's folder; linked folders are left aside."""
        waiting = [package]
        while waiting:
            folder = waiting.pop()
            for name, entry in sorted(self._listed(folder).items()):
                if entry.is_dir(follow_symlinks=False):
                    waiting += [] if name == "__pycache__" else [f"{folder}/{name}"]
                elif name.endswith(".py"):
                    yield f"{folder}/{name}"


def _state(content: bytes | None, digest: str, size: int | None) -> State:
    if content is None:
        return "unread"
    if size is not None and len(content) != size:
        return "changed"
    own = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode() if digest else ""
    return "same" if own == digest else "changed"


def _entries(folder: Path) -> dict[str, os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return {one.name: one for one in entries}
    except OSError:
        return {}


def _unlisted(root: Root, one: Distribution, names: list[str]) -> list[str]:
    """Those that no other package of the folder brought."""
    if not names:
        return []
    left = dict.fromkeys(sorted(names))
    for entry in root.listed(one.site):
        if entry.endswith(".dist-info") and one.site / entry != one.metadata:
            text = root.text(one.site / entry / "RECORD", _RECORD) or ""
            for name in [name for name in left if f"{name}," in text]:
                del left[name]
    return list(left)
