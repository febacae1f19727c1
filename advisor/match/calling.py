"""Triggers × case → which of them are met: the rules that they call for are judged, the rest have nothing to say.

A trigger that cannot be tried counts as met: the rule is judged, and what is wrong with it is said then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from advisor.match.conditions import truth
from advisor.match.view import SEARCHED, View
from advisor.model.condition import Atom
from advisor.model.trigger import Trigger
from advisor.model.truth import Truth
from advisor.patterns import PatternError

Called = TypeVar("Called")


def met(seen: Sequence[tuple[Trigger, Called]], view: View) -> Iterator[Called]:
    """What the triggers call for that the case meets."""
    stacks = bool(view.case.threads) or view.answered("stack")
    for (atom, holds), called in seen:
        if (stacks or atom.kind != "stack") and _truth(atom, view) in (None, Truth.YES if holds else Truth.NO):
            yield called


def found(logs: Mapping[str, Called], view: View) -> Iterator[Called]:
    """What the patterns call for that the texts of the case show, or that an answer says they do."""
    if not view.answered("log") and not any(one.kind in SEARCHED for one in view.case.artifacts):
        return
    for pattern in view.patterns(logs):
        if _truth(Atom("log", pattern), view) in (None, Truth.YES):
            yield logs[pattern]


def _truth(atom: Atom, view: View) -> Truth | None:
    try:
        return truth(atom, view)
    except PatternError:
        return None
