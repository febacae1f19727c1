"""Fingerprints and a way to read files -> whether those files hold the change, and in words what was seen.

A rule names a file as the repository has it (`python/sglang/srt/…`) or as the wheel does (`sglang/srt/…`): both are
looked for. A text that the change removed is absent after it, but also before the fault came in: absence alone is a
weaker sign, and is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol


class Mark(Protocol):
    """A text of a file, present or absent exactly when the change is in."""

    @property
    def file(self) -> str: ...
    @property
    def present(self) -> str | None: ...
    @property
    def absent(self) -> str | None: ...


@dataclass(frozen=True)
class Shown:
    """What files show of a change; `held` None when they contradict each other, `by_absence` when nothing new is in."""

    held: bool | None
    says: str
    by_absence: bool = False
    files: tuple[str, ...] = ()


def show(marks: Iterable[Mark], read: Callable[[str], tuple[str, str] | None]) -> Shown | None:
    """What the files show; None when none of them is there. `read` gives a file's place and text by a rule's path."""
    seen: dict[bool, list[str]] = {}
    presence, files = False, []
    for mark in marks:
        found = read(mark.file)
        for text, wanted in ((mark.present, True), (mark.absent, False)):
            if found is None or not text:
                continue
            place, content = found
            there = text in content
            seen.setdefault(there == wanted, []).append(f"{place} {'has' if there else 'has no'} “{short(text)}”")
            presence |= wanted
            files.append(place)
    if not seen:
        return None
    says = "; ".join(word for words in (seen.get(True, []), seen.get(False, [])) for word in words)
    if len(seen) > 1:
        return Shown(None, f"part of it only: {says}", files=tuple(files))
    held = next(iter(seen))
    return Shown(held, says, held and not presence, tuple(files))


def places(file: str) -> tuple[str, ...]:
    """Where a file named by a rule may lie: as named, without and with the `python/` of a repository."""
    bare = file.removeprefix("python/")
    return tuple(dict.fromkeys((file, bare, f"python/{bare}")))


def short(text: str, limit: int = 60) -> str:
    """The text on one line, cut to `limit` characters, with nothing in it that a terminal would act on.

    No word is cut in two, but one that is as long as all that is left.
    """
    line = "".join(one if one.isprintable() else "\ufffd" for one in " ".join(text.split()))
    if len(line) <= limit:
        return line
    kept = line[: limit - 1]
    whole = re.sub(r"\w+$", "", kept) if re.match(r"\w", line[limit - 1]) else kept
    return (whole.rstrip() or kept) + "…"
