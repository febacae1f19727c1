"""Calls × case → the rules that are called for: they are judged, the rest have nothing to say (`model/trigger.py`).

A trigger that cannot be tried counts as met: the rule is judged, and what is wrong with it is said then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from advisor.match.conditions import truth
from advisor.match.view import View
from advisor.model.condition import Atom, atom_of
from advisor.model.trigger import Trigger
from advisor.model.truth import Truth
from advisor.patterns import PatternError

Calls = Iterable[Sequence[int]]
"""Each a rule and the triggers that it takes besides, by number."""
Seen = Mapping[str, Mapping[str, Iterable[tuple[int, Calls]]]]
"""The calls by the trigger that each takes first, and those by kind and name."""


class Numbered(Protocol):
    """Triggers by number."""

    def __getitem__(self, number: int, /) -> Trigger: ...


def called(seen: Seen, logs: Mapping[str, Calls], met: Met) -> Iterator[int]:
    """The rules that the case calls for, some more than once: by a trigger, or by a pattern in its texts."""
    told = met.view.told
    for kind, names in seen.items():
        for name in told.among(kind, names):
            for calls in met.of(kind, name, names[name]):
                yield from _beside(calls, met)
    for pattern in told.lines(logs):
        rules = _beside(logs[pattern], met)  # looked for last: of a text that may show it, no other is as slow to ask
        if rules and met.shows(pattern):
            yield from rules


def _beside(calls: Calls, met: Met) -> list[int]:
    """The rules of the calls of which everything else is met."""
    found = []
    for call in calls:
        for number in call[1:]:
            if not met[number]:
                break
        else:
            found.append(call[0])
    return found


class Met:
    """Which triggers a case meets, by number; each tried once. Those of what it leaves unsaid are tried once for all
    cases of its build."""

    def __init__(self, asked: Numbered, view: View) -> None:
        self._asked, self.view = asked, view
        self._known: dict[int, bool] = {}
        _, self._as_ever = view.bare.met.setdefault(id(asked), (asked, {}))  # kept, so that no other gets its number

    def of(self, kind: str, name: str, triggers: Iterable[tuple[int, Calls]]) -> Iterable[Calls]:
        """The calls of those of the triggers of one name that are met."""
        if not self.view.told.unsaid(kind, name):
            return [calls for number, calls in triggers if self[number]]
        ever = self._as_ever.get((kind, name))
        if ever is None:
            ever = self._as_ever[kind, name] = [calls for number, calls in triggers if self[number]]
        return ever

    def __getitem__(self, number: int) -> bool:
        known = self._known.get(number)
        if known is None:
            atom, holds = self._asked[number]
            known = self._known[number] = self._is(Truth.YES if holds else Truth.NO, atom)
        return known

    def shows(self, pattern: str) -> bool:
        """Whether a text shows the pattern."""
        return self._is(Truth.YES, atom_of("log", pattern))

    def _is(self, wanted: Truth, atom: Atom) -> bool:
        try:
            return truth(atom, self.view) is wanted
        except PatternError:
            return True
