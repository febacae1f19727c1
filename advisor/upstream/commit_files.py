"""The tree of one commit -> its files by the path that a rule names, also where a fork has moved them."""

from __future__ import annotations

from functools import cached_property

from git import Repo

from advisor.errors import UpstreamError
from advisor.upstream.fingerprints import places
from advisor.upstream.history import ask
from advisor.upstream.walk import Place, own_moves


class CommitFiles:
    """A commit's files by the path that a rule names, and which of them were looked at; `base` is upstream's below."""

    def __init__(self, repo: Repo, commit: str, place: Place) -> None:
        self.repo, self.commit, self.place = repo, commit, place
        self.seen: dict[str, tuple[str, str] | None] = {}
        tip = next(iter(place.tips), commit)
        self.base = CommitFiles(repo, tip, place) if tip != commit else None

    @cached_property
    def names(self) -> frozenset[str]:
        """Every path of the commit's tree."""
        return frozenset(ask(self.repo, "ls-tree", "-r", "-z", "--name-only", self.commit).split("\0"))

    def read(self, file: str) -> tuple[str, str] | None:
        """Where the file lies now and its text; None when there is none, or the clone lacks its content."""
        if file not in self.seen:
            name = next((one for one in places(file) if one in self.names), None) or self._moved(file)
            self.seen[file] = self._found(name) if name else None
        return self.seen[file]

    def _found(self, name: str) -> tuple[str, str] | None:
        try:
            return name, ask(self.repo, "cat-file", "blob", f"{self.commit}:{name}")
        except UpstreamError:
            return None

    def _moved(self, file: str) -> str | None:
        """The file under another path, where a commit of the fork's own moved it."""
        moved = reversed(self._moves)
        return next((new for old, new in moved if old in places(file) and new in self.names), None)

    @cached_property
    def _moves(self) -> list[tuple[str, str]]:
        return own_moves(self.repo, self.commit, self.place) if self.base is not None else []
