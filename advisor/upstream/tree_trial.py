"""A change and a tree -> is the change in that tree, told by merging alone: it, and its inverse, three ways.

    in        merging the change alters nothing, or taking it away merges cleanly and it cannot be put in again
    out       merging its inverse alters nothing, or it merges cleanly and cannot be taken away
    part      some of it can be put in, some of it taken away
    neither   both conflict: the lines are others here

Only its source files count, unless it has none: a pick that leaves tests and documents behind is one. Everything is
made in a ``Store``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal

from advisor.upstream.patch_change import DIFF, Change
from advisor.upstream.patch_store import Store
from advisor.upstream.patching import three_way
from advisor.upstream.path_kinds import is_source

Finding = Literal["in", "out", "part", "neither"]
_TELLING = 8  # characters from which a line is taken to tell one change from another


def source_paths(one: Change) -> list[str]:
    """The files of a change that count."""
    return [path for path in one.paths if is_source(path)] or one.paths


def in_tree(one: Change, tree: str) -> Finding:
    """What merging the change, and its inverse, into a tree comes to. Raises UpstreamError where objects lack."""
    store = one.store
    before = store.word("rev-parse", "--verify", one.base)
    after = _with_sources(one, before)
    there, back = three_way(store, before, tree, after), three_way(store, after, tree, before)
    forth, away = _came_to(there.tree, bool(there.stages), tree), _came_to(back.tree, bool(back.stages), tree)
    if forth == away:
        return "part" if forth == "clean" else "neither"
    if "same" in (forth, away):
        return "in" if forth == "same" else "out"
    return "out" if forth == "clean" else "in"


def _came_to(merged: str, stuck: bool, tree: str) -> str:
    return "stuck" if stuck else "same" if merged == tree else "clean"


def _with_sources(one: Change, before: str) -> str:
    """The tree before the change with its source files as the change leaves them."""
    store, index = one.store, one.store.index("sources")
    store.git("read-tree", before, env=index)
    asked = ("diff-tree", "-r", "-z", "--no-renames", "--full-index", one.base, one.commit, "--")
    parts = store.git(*asked, *(f":(literal,top){path}" for path in source_paths(one))).split(b"\0")
    lines = []
    for about, path in zip(parts[::2], parts[1::2], strict=False):
        _, mode, _, blob, _ = about.split(b" ")
        lines.append(b"%s %s\t%s\0" % (mode, blob, path))
    store.git("update-index", "-z", "--index-info", stdin=b"".join(lines), env=index)
    return store.word("write-tree", env=index)


def telling(diff: bytes) -> tuple[Counter[str], Counter[str]]:
    """The lines that a diff adds and removes, without white space, those long enough to tell it from another."""
    found: dict[str, Counter[str]] = {"+": Counter(), "-": Counter()}
    for line in diff.decode("utf-8", "replace").split("\n"):
        if line[:1] in found and not line.startswith(("+++ ", "--- ")):
            bare = re.sub(r"\s+", "", line[1:])
            if len(bare) >= _TELLING and re.search(r"\w{3}", bare):
                found[line[0]][bare] += 1
    return found["+"], found["-"]


def between(store: Store, old: str, new: str, paths: list[str]) -> bytes:
    """The diff between two trees in these files."""
    asked = [f":(literal,top){path}" for path in paths]
    return store.git("diff-tree", "-r", "-p", *DIFF, old, new, "--", *asked)
