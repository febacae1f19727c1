"""A revision and a work tree -> the lines that differ, per file: what a change touches.

Git lists names; the files are read here and compared in a store of ours (see `worktree`, `patch_store`), so that
nothing of the repository's configuration is run, filters included. A file that a filter would rewrite counts as it lies
there. A carriage return at a line's end is no change.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from advisor.errors import AdvisorError, UsageError
from advisor.upstream import git
from advisor.upstream.patch_change import DIFF
from advisor.upstream.patch_store import Clone, Store, located, store
from advisor.upstream.worktree import Kept, content_of, differing, of_tree

Lines = tuple[tuple[int, int], ...]
"""First and last line of each run of lines, from 1."""

_WHOLE: Lines = ((1, 1 << 30),)
_FILE = re.compile(r"^diff --git a/(\d+) ")  # diff --git a/12 b/12
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")  # @@ -3,2 +3,4 @@


def changed_lines(folder: Path, revision: str) -> dict[str, Lines]:
    """Absolute path -> changed or added lines since `revision`; new files whole (lines 1 to the end of time).

    UsageError when the folder is in no repository or the revision is none of it.
    """
    clone = _around(folder)
    base = git.revision(clone.git_dir, revision)
    if not base:
        raise UsageError(f"no such revision: {revision!r}", "--diff", f"in the repository of {folder}")
    try:
        return {str(clone.path / name): lines for name, lines in _changed(clone, base).items()}
    except AdvisorError as error:
        raise UsageError(f"git cannot tell what has changed: {error.what}", "--diff", error.hint) from None


def _around(folder: Path) -> Clone:
    """The repository that a folder is in."""
    starts = (Path(os.path.abspath(folder)), folder.resolve())
    tops = (top for start in starts for top in (start, *start.parents) if (top / ".git").exists())
    top = next(tops, None)
    if top is None:
        raise UsageError(
            "git cannot tell what has changed: not in the work tree of a repository", "--diff", str(folder)
        )
    return located(top)


def _changed(clone: Clone, base: str) -> dict[str, Lines]:
    def names(*kinds: str) -> set[str]:
        return set(git.ask(clone.git_dir, "ls-files", "-z", *kinds, tree=clone.path).split("\0")) - {""}

    with store([clone]) as held:
        printed = held.git("ls-tree", "-r", "-z", "--full-tree", base).decode("utf-8", "surrogateescape")
        before, tracked = of_tree(printed), names("--cached")
        kept = {name: one for name, one in before.items() if name in tracked}
        fresh = {*(tracked - before.keys()), *names("--others", "--exclude-standard")}
        return _differing(held, clone.path, kept) | dict.fromkeys(sorted(fresh), _WHOLE)


def _differing(held: Store, tree: Path, kept: Kept) -> dict[str, Lines]:
    """The changed lines of each file that is there, told by two trees whose files bear numbers for names."""
    found: list[str] = []
    for name in differing(tree, kept):
        with suppress(OSError):  # gone, a folder now, or not to be read
            (held.path / f"file-{len(found)}").write_bytes(content_of(tree / name))
            found.append(name)
    if not found:
        return {}
    copies = "".join(f"file-{number}\n" for number in range(len(found)))
    made = held.word("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=copies.encode()).split()
    old, new = _tree(held, [kept[name][1] for name in found]), _tree(held, made)
    shown = held.git("diff-tree", "-r", "-p", *DIFF, "--unified=0", "--ignore-cr-at-eol", old, new)
    return {found[number]: lines for number, lines in _hunks(shown.decode("utf-8", "replace")).items()}


def _tree(held: Store, blobs: list[str]) -> str:
    """A tree in which each blob is a file named by its place."""
    lines = "".join(f"100644 blob {blob}\t{number}\n" for number, blob in enumerate(blobs))
    return held.word("mktree", stdin=lines.encode())


def _hunks(shown: str) -> dict[int, Lines]:
    found: dict[int, list[tuple[int, int]]] = {}
    number = -1
    for line in shown.split("\n"):
        if file := _FILE.match(line):
            number = int(file[1])
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(number, []).append((first, first + max(count, 1) - 1))
    return {number: tuple(runs) for number, runs in found.items()}
