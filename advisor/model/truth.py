"""Three-valued judgement: yes, no, unknown, joined by Kleene's and / or / not."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Truth(Enum):
    """`UNKNOWN` means the evidence at hand does not decide; it is never treated as `NO`."""

    NO = "no"
    UNKNOWN = "unknown"
    YES = "yes"

    __hash__ = object.__hash__  # an Enum's own is a Python function; there is one object of each

    def __invert__(self) -> Truth:
        return Truth.NO if self is Truth.YES else Truth.YES if self is Truth.NO else self


def truth_of(value: bool) -> Truth:
    """YES or NO for a decided value."""
    return Truth.YES if value else Truth.NO


def every(truths: Iterable[Truth]) -> Truth:
    """Kleene's and; YES for none."""
    found = Truth.YES
    for one in truths:
        if one is Truth.NO:
            return one
        if one is Truth.UNKNOWN:
            found = one
    return found


def some(truths: Iterable[Truth]) -> Truth:
    """Kleene's or; NO for none."""
    found = Truth.NO
    for one in truths:
        if one is Truth.YES:
            return one
        if one is Truth.UNKNOWN:
            found = one
    return found
