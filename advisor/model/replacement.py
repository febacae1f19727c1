"""What took the place of a setting, a variable or one of its values, as `knowledge/<engine>/replaced.yaml` says."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.build import order_key
from advisor.model.late import dataclass
from advisor.model.rule import Source


@dataclass(frozen=True)
class Replacement:
    """`instead` is what to write from release `since` on, None when nothing takes its place; `says` is that in words.

    `inverted`: the new setting means the opposite, so its value has to be turned round. With `value` only that value of
    the setting is replaced. `instead_value` is the value to give `instead`, where it is not the old one: that of a
    renamed choice, or what a switch had asked for. A setting replaced more than once has an entry for each time.
    """

    setting: str
    instead: str | None
    says: str
    source: tuple[Source, ...]
    since: str | None = None
    inverted: bool = False
    value: str | None = None
    instead_value: str | None = None


def in_force(entries: Iterable[Replacement], release: str, value: str | None = None) -> Replacement | None:
    """What takes the place of a setting, or of this value of it, in a release; None when nothing is known to."""
    there = [one for one in entries if one.since is None or order_key(one.since) <= order_key(release)]
    of_value = [one for one in there if one.value is not None and one.value == value]
    whole = [one for one in there if one.value is None]
    return next(iter([*of_value[::-1], *whole[::-1]]), None)
