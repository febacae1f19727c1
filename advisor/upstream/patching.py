"""A change and a fork's tree -> the tree with the change in it, or the files that stand in the way.

The change is merged into the fork's tree three ways, as a cherry-pick does it. The merge is made in a ``Store``, on
commits made up for it, so that the fork is only read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from advisor.errors import UpstreamError
from advisor.model.patch import FileOut, Verdict
from advisor.upstream.git import said
from advisor.upstream.patch_change import Change
from advisor.upstream.patch_files import files_of
from advisor.upstream.patch_store import Store
from advisor.upstream.path_kinds import kind_of


@dataclass(frozen=True)
class Merge:
    """A tree with a change merged in; `stages`: the files in conflict, each with its sides (1 base, 2 fork, 3 fix)."""

    tree: str
    stages: dict[str, frozenset[int]]


@dataclass(frozen=True)
class Trial:
    """What came of carrying one change: the verdict, the tree it leads to, and each file's part."""

    verdict: Verdict
    tree: str
    files: tuple[FileOut, ...]


def tried(one: Change, tree: str) -> Trial:
    """Carry a change to a tree, in the store alone."""
    merge = merged(one, tree)
    if merge.stages:
        return Trial("conflicts", tree, tuple(files_of(one, tree, merge.stages)))
    if merge.tree == tree:
        return Trial("in", tree, tuple(FileOut(path, kind_of(path), "already") for path in one.paths))
    exact = applied(one.store, one.diff(), tree) == merge.tree
    files = (
        [FileOut(path, kind_of(path), "clean") for path in one.paths] if exact else files_of(one, tree, merge.stages)
    )
    return Trial("clean" if exact else "three_way", merge.tree, tuple(files))


def applied(store: Store, diff: bytes, tree: str) -> str | None:
    """The tree after `git apply` with whole context, which may stand at another line; None when it does not fit."""
    index = store.index("apply")
    store.git("read-tree", tree, env=index)
    done = store.tried("apply", "--cached", "--whitespace=nowarn", "-", stdin=diff, env=index)
    return store.word("write-tree", env=index) if done.returncode == 0 else None


def merged(one: Change, tree: str) -> Merge:
    """The three-way merge of a change into a tree, renames of the fork followed."""
    word = one.store.word
    return three_way(
        one.store, word("rev-parse", "--verify", one.base), tree, word("rev-parse", f"{one.commit}^{{tree}}")
    )


def three_way(store: Store, base: str, ours: str, theirs: str) -> Merge:
    """The merge of two trees that come from a third. Raises UpstreamError where objects lack."""
    before = commit_of(store, base, "before")
    fork, fixed = commit_of(store, ours, "fork", before), commit_of(store, theirs, "fix", before)
    done = store.tried("merge-tree", "--write-tree", "-z", "--no-messages", fork, fixed)
    if done.returncode > 1 and re.search(rb"usage:|not a valid|unknown", done.stderr):
        return merged_by_checkout(store, before, fork, fixed)  # git before 2.38
    if done.returncode > 1:
        raise UpstreamError(f"git merge-tree: {said(done)}", None, "--from names a whole clone to read objects from")
    tree_found, *conflicts = [part.decode("utf-8", "surrogateescape") for part in done.stdout.split(b"\0")]
    return Merge(tree_found, _stages(conflicts))


def merged_by_checkout(store: Store, before: str, fork: str, fixed: str) -> Merge:
    """The same for a git without ``merge-tree --write-tree``, with the fork's files laid out in a folder of ours."""
    with TemporaryDirectory(prefix="work-", dir=store.path) as folder:
        index = {**store.index("merge"), "GIT_WORK_TREE": folder}
        Path(index["GIT_INDEX_FILE"]).unlink(missing_ok=True)
        store.git("read-tree", "--reset", "-u", fork, env=index)
        done = store.tried("-C", folder, "merge-recursive", before, "--", fork, fixed, env=index)
        if done.returncode > 1:
            raise UpstreamError(f"git merge-recursive: {said(done)}")
        unmerged = store.git("ls-files", "--unmerged", "-z", env=index).decode("utf-8", "surrogateescape").split("\0")
        return Merge("" if done.returncode else store.word("write-tree", env=index), _stages(unmerged))


def commit_of(store: Store, tree: str, message: str, *parents: str) -> str:
    """A commit made up for a merge."""
    return store.word("commit-tree", tree, *(word for one in parents for word in ("-p", one)), "-m", message)


def _stages(lines: list[str]) -> dict[str, frozenset[int]]:
    # 100644 4b825dc… 2<TAB>lmdeploy/pytorch/model_inputs.py
    found: dict[str, set[int]] = {}
    for line in filter(None, lines):
        facts, _, path = line.partition("\t")
        found.setdefault(path, set()).add(int(facts.split()[2]))
    return {path: frozenset(sides) for path, sides in found.items()}
