"""A commit of upstream in a store -> the change it makes, as a cherry-pick takes it: from its first parent to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from advisor.errors import UpstreamError
from advisor.upstream.patch_store import Store

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_DIFF = ("--no-renames", "--full-index", "--binary", "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", "-U3")
DIFF = (*_DIFF, "--no-color", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/")


@dataclass(frozen=True)
class Change:
    """A commit of upstream in a store, and the commit before it; "" before a first commit."""

    store: Store
    commit: str
    parent: str

    @cached_property
    def told(self) -> list[str]:
        """Author's name, mail, date (ISO, own zone; then raw), subject and message."""
        fields = "%an%x00%ae%x00%aI%x00%ad%x00%s%x00%B"
        shown = self.store.git("log", "-1", "--encoding=UTF-8", "--date=raw", f"--format={fields}", self.commit, "--")
        return shown.decode("utf-8", "replace").split("\0")

    @property
    def author(self) -> str:
        """Name and mail."""
        return f"{self.told[0]} <{self.told[1]}>"

    @property
    def author_env(self) -> dict[str, str]:
        """The author and date for git, kept when the commit is made anew."""
        name, mail, _, when = self.told[:4]
        return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": f"@{when}"}

    @property
    def message(self) -> str:
        """The whole message, without the line ends after it."""
        return self.told[5].rstrip("\n")

    @property
    def base(self) -> str:
        """The tree before the change."""
        return f"{self.parent}^{{tree}}" if self.parent else _EMPTY_TREE

    @cached_property
    def paths(self) -> list[str]:
        """The files it changes, in git's order; a rename is two."""
        listed = self.store.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", self.base, self.commit)
        return [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]

    def diff(self, *paths: str) -> bytes:
        """Its diff, of these files or of all."""
        asked = [f":(literal,top){path}" for path in paths]
        return self.store.git("diff-tree", "-r", "-p", *DIFF, self.base, self.commit, "--", *asked)


def change(store: Store, commit: str) -> Change:
    """The change a commit makes. Raises UpstreamError when the clones lack the commit before it."""
    parents = store.parents(commit)
    parent = parents[0] if parents else ""
    if parent and not store.commits(parent):
        hint = "the clone is shallow: deepen it (git fetch --unshallow), or name a whole clone with --from"
        raise UpstreamError(f"{commit[:12]} is here, but not {parent[:12]} before it", None, hint)
    return Change(store, commit, parent)


def content(store: Store, tree: str, path: str) -> bytes | None:
    """A file of a tree or commit; None when it is not there."""
    done = store.tried("cat-file", "blob", f"{tree}:{path}")
    return done.stdout if done.returncode == 0 else None
