"""A revision and a work tree -> the lines that differ, per file: what a change touches.

The user's repository is only asked; nothing of its configuration is run.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from advisor.errors import UpstreamError, UsageError
from advisor.upstream.patch_store import closed, said

Lines = tuple[tuple[int, int], ...]
"""First and last line of each run of lines, from 1."""

_FILE = re.compile(r"^\+\+\+ (?:\"?b/(.*?)\"?|/dev/null)\t?$")  # +++ b/k8s/vllm.yaml
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")  # @@ -3,2 +3,4 @@


def changed_lines(folder: Path, revision: str) -> dict[str, Lines]:
    """Absolute path -> changed or added lines since `revision`, untracked files whole (lines 1 to the end of time).

    UsageError when the folder is in no repository or the revision is none of it.
    """
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    if revision.startswith("-"):
        raise UsageError(f"not a revision: {revision!r}", "--diff", None)
    base = _git(folder, "rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}", missing=revision).strip()
    shown = _git(top, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=0", "--no-renames", base, "--")
    found = {str(top / name): lines for name, lines in _hunks(shown).items()}
    fresh = _git(top, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    return found | {str(top / name): ((1, 1 << 30),) for name in fresh if name}


def _hunks(shown: str) -> dict[str, Lines]:
    found: dict[str, list[tuple[int, int]]] = {}
    name = ""
    for line in shown.split("\n"):
        if file := _FILE.match(line):
            name = file[1] or ""
        elif name and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(name, []).append((first, first + max(count, 1) - 1))
    return {name: tuple(runs) for name, runs in found.items()}


def _git(folder: Path, *words: str, missing: str = "") -> str:
    keys: Sequence[str] = ("core.fsmonitor=false", "core.quotePath=false", "core.hooksPath=/dev/null")
    options = [part for key in keys for part in ("-c", key)]
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *options, *words], capture_output=True, check=False, env=closed()
        )
    except FileNotFoundError:
        raise UpstreamError("git is not installed, or not on PATH", None, "install git") from None
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "surrogateescape")
    if missing:
        raise UsageError(f"no such revision: {missing!r}", "--diff", f"in the repository of {folder}")
    raise UsageError(f"git cannot tell what has changed: {said(done)}", "--diff", None)
