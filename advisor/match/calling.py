"""Calls × case → the rules that are called for: they are judged, the rest have nothing to say (`model/trigger.py`).

A trigger that cannot be tried counts as met: the rule is judged, and what is wrong with it is said then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.match.conditions import truth
from advisor.match.view import View
from advisor.model.condition import Atom
from advisor.model.trigger import Trigger
from advisor.model.truth import Truth
from advisor.patterns import PatternError

Calls = Iterable[Sequence[int]]
"""Each a rule and the triggers that it takes besides, by number."""
Seen = Mapping[str, Mapping[str, Iterable[tuple[int, Calls]]]]
"""The calls by the trigger that each takes first, and those by kind and name."""


def called(seen: Seen, logs: Mapping[str, Calls], met: Met) -> Iterator[int]:
    """The rules that the case calls for, some more than once: by a trigger, or by a pattern in its texts."""
    told = met.view.told
    about = (names[name] for kind, names in seen.items() for name in told.among(kind, names))
    firsts = [calls for triggers in about for number, calls in triggers if met[number]]
    for calls in firsts:
        yield from _beside(calls, met)
    for pattern in told.lines(logs):
        rules = _beside(logs[pattern], met)  # looked for last: of a text that may show it, no other is as slow to ask
        if rules and met.holds(Trigger(Atom("log", pattern), True)):
            yield from rules


def _beside(calls: Calls, met: Met) -> list[int]:
    """The rules of the calls of which everything else is met."""
    return [rule for rule, *rest in calls if all(met[one] for one in rest)]


class Met:
    """Which triggers a case meets, by number; each tried once."""

    def __init__(self, asked: Sequence[Trigger], view: View) -> None:
        self._asked, self.view = asked, view
        self._known: dict[int, bool] = {}
        _, self._as_ever = view.bare.met.setdefault(id(asked), (asked, {}))  # kept, so that no other gets its number

    def __getitem__(self, number: int) -> bool:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._is_met(number)
        return known

    def _is_met(self, number: int) -> bool:
        """Of what the case leaves unsaid, as in any case of its build."""
        one = self._asked[number]
        if not self.view.told.unsaid(one.atom.kind, one.atom.name):
            return self.holds(one)
        if number not in self._as_ever:
            self._as_ever[number] = self.holds(one)
        return self._as_ever[number]

    def holds(self, one: Trigger) -> bool:
        """Whether the trigger is met."""
        try:
            return truth(one.atom, self.view) is (Truth.YES if one.holds else Truth.NO)
        except PatternError:
            return True
