"""A change, a fork's tree and the files in conflict -> what becomes of each file, and why it conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.model.patch import FileOut, HunkOut, State
from advisor.upstream.patch_change import Change, content
from advisor.upstream.patch_hunks import ALREADY, CHANGED, FITS, Hunk, hunks_of, lines_of
from advisor.upstream.path_kinds import kind_of


def files_of(one: Change, tree: str, stages: Mapping[str, frozenset[int]]) -> Iterator[FileOut]:
    """Every file of the change, then conflicting files that it does not name: the fork has moved those."""
    for path in one.paths:
        yield _file(one, tree, path, stages.get(path))
    for path in sorted(set(stages) - set(one.paths)):
        yield FileOut(path, kind_of(path), "conflict", "this fork's name of a file that the fix changes")


def _file(one: Change, tree: str, path: str, sides: frozenset[int] | None) -> FileOut:
    here = content(one.store, tree, path)
    hunks = [] if here is None else [_judged(hunk, lines_of(here)) for hunk in hunks_of(one.diff(path))]
    states = {hunk.state for hunk in hunks}
    shown = tuple(hunk for hunk in hunks if hunk.state != FITS)
    if sides is not None:
        return FileOut(path, kind_of(path), "conflict", _reason(one, path, here, sides, states), shown)
    same = here == content(one.store, one.commit, path)
    state: State = "already" if same or states == {ALREADY} else "clean" if states <= {FITS} else "three_way"
    if here is None and not same and content(one.store, one.base, path) is not None:
        return FileOut(path, kind_of(path), "three_way", "this fork has it under another name")
    if state != "three_way":
        return FileOut(path, kind_of(path), state)
    reason = (
        "a part is there already"
        if ALREADY in states
        else "the lines around the change are not those the fix was made on"
    )
    return FileOut(path, kind_of(path), state, reason, shown)


def _reason(one: Change, path: str, here: bytes | None, sides: frozenset[int], states: set[str]) -> str:
    if here is None:
        return "missing file: this clone has none of that name, and the fix changes it"
    if content(one.store, one.commit, path) is None:
        return "the fix removes it, and this fork has changed it"
    if 1 not in sides:
        return "the fix adds it, and this fork has another file of that name"
    if CHANGED not in states:
        return "already applied in part, and the rest beside it differs" if ALREADY in states else "changed close by"
    part = " (other hunks are already applied)" if ALREADY in states else ""
    return f"changed context: the lines around the change are not those the fix was made on{part}"


def _judged(hunk: Hunk, lines: list[bytes]) -> HunkOut:
    return HunkOut(hunk.heading, hunk.in_text(lines))
