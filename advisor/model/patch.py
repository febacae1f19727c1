"""What can be said of carrying a rule's fix to a build: to a clone, or to an installed package."""

from __future__ import annotations

from typing import Literal

from advisor.model.late import dataclass

Verdict = Literal["in", "clean", "three_way", "conflicts", "none", "untried"]
"""The fix is in; it applies as it stands; only by a three-way merge; not without a person; there is none to apply; it
is not in, or not known to be, and its commit is not at hand to be tried."""

State = Literal["clean", "three_way", "already", "conflict"]
"""What becomes of one file: every hunk fits, it takes a merge, all of it is there, it needs a person."""

Kind = Literal["python", "other", "version", "tests", "docs"]
"""What a file is to a build; `other` is compiled or read as it is, `version` holds a version number."""


Fit = Literal["in", "clean", "conflicts", "none", "untried"]
"""The Python part is in the installed files; fits them; does not; there is none that belongs there; only the rule's
fingerprints were looked for, and they do not show it."""


@dataclass(frozen=True)
class HunkOut:
    """One hunk: its heading in the diff, and whether it `fits`, is `already` there or finds its place `changed`."""

    heading: str
    state: str


@dataclass(frozen=True)
class FileOut:
    """One file of a patch. `reason` says why it conflicts or how it is merged; `hunks` are those that do not fit."""

    path: str
    kind: Kind
    state: State
    reason: str = ""
    hunks: tuple[HunkOut, ...] = ()


@dataclass(frozen=True)
class PatchOut:
    """One commit to carry.

    `why` is what the fix does, or what it is needed for; `standing` whether the build has it, and `how` that is known;
    `applies` is None where it was not tried, and `lacks` then says why.
    """

    repo: str
    pr: int | None
    url: str
    commit: str
    subject: str
    author: str
    date: str
    role: Literal["fix", "needed"]
    why: str
    standing: Literal["yes", "no", "unknown"]
    how: str
    applies: Verdict | None = None
    lacks: str = ""
    files: tuple[FileOut, ...] = ()


@dataclass(frozen=True)
class InstalledFile:
    """One file of the fix in an installed package: where it lies there, and whether the fix can be put into it.

    `state`: fits, already, changed (its text is another), new (the fix adds it), missing, absent (never installed),
    compiled (not Python: it takes a build), as_is (lies there, but is a test or compiled at run time; not judged).
    """

    path: str
    place: str
    state: Literal["fits", "already", "changed", "new", "missing", "absent", "compiled", "as_is"]
    hunks: tuple[HunkOut, ...] = ()


@dataclass(frozen=True)
class InstalledOut:
    """The Python part of the fix against a folder of packages. `commands` are for the user to run; nothing was."""

    site: str
    verdict: Fit
    headline: str
    files: tuple[InstalledFile, ...]
    commands: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PatchReport:
    """The answer of `advisor patch`. Paths and names are as the user gave them; `head` is the commit judged.

    `written` are the files written, `branch` the branch made; `left_out` says which fixes were not taken, and why;
    `fetch` is the command that brings commits that are not at hand.
    """

    rule: str
    summary: str
    repo: str
    ref: str
    head: str
    upstream: str
    verdict: Verdict
    headline: str
    patches: tuple[PatchOut, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    branch: str = ""
    tip: str = ""
    written: tuple[str, ...] = ()
    installed: InstalledOut | None = None
    fetch: str = ""
