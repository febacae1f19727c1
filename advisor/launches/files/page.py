"""A deployment file as text readers hold it: its name, its characters, and places in them.

`script` is what is read as shell: the text itself, or a copy of the same length in which everything that is no shell
is blank, so that a character stands at the same place in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from advisor.launches.command_line import phrases
from advisor.launches.files.assembly import File
from advisor.model.deployment import Form, Place
from advisor.model.fact import Note
from advisor.model.knowledge import Knowledge


@dataclass(frozen=True)
class Page(File):
    """One file. `form` is what its words are, unless a reader says otherwise."""

    form: Form = "shell word"

    def place(self, start: int, end: int, form: Form | None = None) -> Place:
        """These characters as a place."""
        return super().place(start, end, form or self.form)

    def note(self, kind: Literal["unreadable", "ignored", "limit", "conflict", "hint"], said: str, at: int) -> Note:
        """A note about the line at `at`."""
        return Note(kind, said, self.span(at, at + 1))

    @cached_property
    def mentions_an_engine(self) -> bool:
        """Whether the text has any word that an engine here is known by: a cheap look before the long one."""
        low = self.text.lower()
        return any(word in low for word in engine_words(self.knowledge))


def engine_words(knowledge: Mapping[str, Knowledge]) -> set[str]:
    """Lower-case words of which one stands in every text that starts an engine."""
    found = {name.lower() for name in knowledge}
    for one in knowledge.values():
        for key in ("commands", "modules", "images", "binaries"):
            found.update(words[0].split(".")[0].lower() for words in phrases(one, key))
    return found


def blanked(text: str, kept: Iterable[tuple[int, int]]) -> str:
    """The text with everything but these stretches blank, line ends in their places."""
    out: list[str] = []
    at = 0
    for start, end in sorted(kept):
        start = max(start, at)
        out.append(_blank(text[at:start]))
        out.append(text[start:end])
        at = max(at, end)
    out.append(_blank(text[at:]))
    return "".join(out)


def _blank(piece: str) -> str:
    return "\n".join(" " * len(line) for line in piece.split("\n"))
