"""Numbers for sources: each claim of a finding points at where it was read."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.report import ReferenceOut, SourceOut
from advisor.render.blocks import Line
from advisor.render.language import say


class Citations:
    """The sources cited so far on one page, numbered in the order they were first cited."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._notes: dict[tuple[str, str], str] = {}

    def cite(self, sources: Iterable[SourceOut]) -> str:
        """` [1][3]`, or nothing without sources."""
        numbers = [self._number(source) for source in sources]
        return " " + "".join(f"[{number}]" for number in sorted(set(numbers))) if numbers else ""

    def _number(self, source: SourceOut) -> int:
        key = (source.where, source.date)
        if source.note and source.note not in self._notes.get(key, ""):
            self._notes[key] = f"{self._notes[key]}; {source.note}" if key in self._notes else source.note
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def lines(self, references: Iterable[ReferenceOut] = (), notes: bool = False) -> list[Line]:
        """The numbered list of what was cited, then the references that were not."""
        cited = [
            Line(_noted(say("{where} (read {date})", where=where, date=date), said), f"[{number}]")
            for (where, date), number in self._numbers.items()
            for said in [self._notes.get((where, date), "") if notes else ""]
        ]
        known = {where for where, _ in self._numbers}
        more = [
            Line(_noted(say("{name}: {what}", name=one.type, what=one.url), one.note), "-")
            for one in references
            if one.url not in known
        ]
        return [*cited, *more]


def _noted(place: str, note: str) -> str:
    return say("{name}: {what}", name=place, what=note) if note else place
