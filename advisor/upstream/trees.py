"""A release's source as a tree of files, whether it lies in a wheel or in a git clone.

A tree answers two questions: which files are there, and what does this one say. Paths are those of the unpacked wheel
(``vllm/envs.py``); a git tree may add a prefix for repositories that keep the package further down (``python/``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from advisor.errors import UpstreamError
from advisor.upstream.history import ask, opened
from advisor.upstream.wheels import Index


class Tree(Protocol):
    """Files of one release."""

    def names(self) -> list[str]:
        """Paths of all files."""

    def read(self, path: str) -> str:
        """The text of one file; UpstreamError when there is none."""


@dataclass
class WheelTree:
    """The files of a released wheel, read by range from the package index."""

    index: Index
    package: str
    version: str

    def names(self) -> list[str]:
        """Paths of all files, as unpacked."""
        return self.index.names(self.package, self.version)

    def read(self, path: str) -> str:
        """The text of one file."""
        return self.index.read(self.package, self.version, path).decode("utf-8", "replace")


@dataclass
class GitTree:
    """The files of one commit of a clone; the clone needs no work tree."""

    clone: Path
    ref: str
    prefix: str = ""
    _names: list[str] = field(default_factory=list, repr=False)

    def names(self) -> list[str]:
        """Paths of all files below the prefix, without it."""
        if not self._names:
            listed = git(self.clone, "ls-tree", "-r", "--name-only", self.ref).splitlines()
            self._names = [name.removeprefix(self.prefix) for name in listed if name.startswith(self.prefix)]
        return self._names

    def read(self, path: str) -> str:
        """The text of one file at the commit."""
        if path not in self.names():
            raise UpstreamError(f"{self.ref} holds no {path}", str(self.clone))
        return git(self.clone, "show", f"{self.ref}:{self.prefix}{path}")


def git(clone: Path, *words: str) -> str:
    """What a read-only git command prints in a clone, any text; UpstreamError when it fails."""
    return ask(opened(clone), *words).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def listed_as(ref: str) -> str:
    """The version that a tag is listed under; ``HEAD`` is ``main``."""
    return "main" if ref == "HEAD" else ref.removeprefix("v")
