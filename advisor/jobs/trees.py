"""Paths on the command line -> the files to lint, in order: what `.gitignore` leaves out stays out.

A file that is named is taken whatever ignores it. Folders are walked without following links; `.git` and the like are
never entered. Patterns to exclude are those of `.gitignore`, relative to the folder that is walked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from advisor.errors import UsageError
from advisor.jobs.ignoring import asked_to_leave_out, left_out
from advisor.whole import is_part

NEVER = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache"}
)
IGNORE = ".gitignore"

Rules = tuple[tuple[str, GitIgnoreSpec], ...]
"""Ignore files in force in a folder: where each stands, and what it leaves out."""


def files(paths: Sequence[Path], exclude: Sequence[str] = (), *, respect_ignore: bool = True) -> Iterator[Path]:
    """Every file, each once, folders in order of names. UsageError for a path that is not there, or is no file.

    A pipe or a device is refused: it may never end, or end the first time it is read.
    """
    seen: set[str] = set()
    spec = asked_to_leave_out(exclude)
    missing = [readable(path) for path in paths if not path.exists()]
    if missing:
        raise UsageError("no such file or folder", ", ".join(missing), None)
    for path in paths:
        if not path.is_dir() and not path.is_file():
            raise UsageError("is neither a file nor a folder", readable(path), "pipe it: … | advisor lint -")
        found = _walk(path, spec, respect_ignore) if path.is_dir() else iter((path,))
        for one in found:
            key = os.path.normpath(one)
            if key not in seen:
                seen.add(key)
                yield Path(key)


def readable(path: Path) -> str:
    """The name as text that can be written: bytes of it that are no UTF-8 as `\\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _walk(root: Path, exclude: GitIgnoreSpec, respect_ignore: bool) -> Iterator[Path]:
    above = _above(root) if respect_ignore else ()
    stack: list[tuple[Path, Rules]] = [(root, above)]
    while stack:
        folder, rules = stack.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError:
            continue
        if respect_ignore and any(one.name == IGNORE for one in entries):
            rules = (*rules, *_rules(folder))
        below: list[tuple[Path, Rules]] = []
        for entry in entries:
            if is_part(entry.name):  # of a file that is being written, or was when its process was killed
                continue
            path = folder / entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _left_out(path, is_folder, root, exclude, rules):
                continue
            if is_folder and entry.name not in NEVER:
                below.append((path, rules))
            elif not is_folder and entry.is_file(follow_symlinks=False):
                yield path
        stack += reversed(below)


def _left_out(path: Path, is_folder: bool, root: Path, exclude: GitIgnoreSpec, rules: Rules) -> bool:
    end = "/" if is_folder else ""
    if exclude.match_file(readable(path.relative_to(root)).replace(os.sep, "/") + end):
        return True
    verdict = False
    whole = os.path.abspath(path)
    for base, spec in rules:  # the nearer file has the last word
        said = spec.check_file(readable(Path(os.path.relpath(whole, base))).replace(os.sep, "/") + end).include
        verdict = verdict if said is None else said
    return verdict


def _rules(folder: Path) -> Rules:
    try:
        lines = (folder / IGNORE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    return tuple((os.path.abspath(folder), one) for one in left_out(lines))


def _above(root: Path) -> Rules:
    """The ignore files from the repository's root down to above `root`; none outside of a repository."""
    start = Path(os.path.abspath(root))
    found: list[Path] = []
    for folder in start.parents:
        found.append(folder)
        if (folder / ".git").exists():
            return tuple(rule for one in reversed(found) for rule in _rules(one))
    return ()
