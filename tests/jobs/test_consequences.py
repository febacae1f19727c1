"""`could`: what may still come of a condition where some of its atoms are left open, against all that those may become."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any, cast

import pytest

from advisor.jobs import consequences
from advisor.jobs.consequences import could
from advisor.match.view import View
from advisor.model.condition import Atom, Condition, Join
from advisor.model.truth import Truth, every, some

YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN
HELD = {"holds": YES, "fails": NO, "unknown": UNKNOWN}
ATOMS = {name: Atom("env", name, "given", True, "") for name in (*HELD, "open")}
NO_VIEW = cast(View, None)  # what the atoms are is said here


@pytest.fixture(autouse=True)
def _atoms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consequences, "truth", lambda atom, _: HELD.get(atom.name, UNKNOWN))


def asked(condition: Condition | None) -> tuple[bool, bool]:
    """Whether it could come to hold, and to fail."""
    return tuple(could(condition, NO_VIEW, lambda atom: atom.name == "open", wanted) for wanted in (True, False))  # type: ignore[return-value]


def joined(kind: str, *names: str) -> Join:
    return Join(kind, tuple(ATOMS[one] for one in names))


TABLE: list[tuple[Condition | None, tuple[bool, bool]]] = [
    (None, (True, False)),
    (ATOMS["holds"], (True, False)),
    (ATOMS["fails"], (False, True)),
    (ATOMS["unknown"], (False, False)),
    (ATOMS["open"], (True, True)),
    (joined("not", "holds"), (False, True)),
    (joined("not", "unknown"), (False, False)),
    (joined("not", "open"), (True, True)),
    (joined("all", "holds", "open"), (True, True)),
    (joined("all", "unknown", "open"), (False, True)),
    (joined("all", "fails", "open"), (False, True)),
    (joined("all", "holds", "unknown"), (False, False)),
    (joined("any", "holds", "open"), (True, False)),
    (joined("any", "unknown", "open"), (True, False)),
    (joined("any", "fails", "open"), (True, True)),
    (joined("any", "fails", "unknown"), (False, False)),
    (joined("all"), (True, False)),
    (joined("any"), (False, True)),
]


@pytest.mark.parametrize("condition, wanted", TABLE)
def test_what_could_come_of_a_condition(condition: Condition | None, wanted: tuple[bool, bool]) -> None:
    assert asked(condition) == wanted


def become(condition: Condition, open_ones: Iterator[Truth]) -> Truth:
    """The condition, where each atom left open is the next of these."""
    if isinstance(condition, Atom):
        return HELD.get(condition.name) or next(open_ones)
    parts = [become(one, open_ones) for one in condition.parts]
    return ~parts[0] if condition.kind == "not" else every(parts) if condition.kind == "all" else some(parts)


def all_conditions(depth: int) -> list[Any]:
    """Every condition of two parts at most, so deep."""
    if depth == 0:
        return list(ATOMS.values())
    below = all_conditions(depth - 1)
    pairs = [Join(kind, pair) for kind in ("all", "any") for pair in combinations_with_replacement(below, 2)]
    return [*below, *(Join("not", (one,)) for one in below), *pairs]


def test_it_is_all_that_the_open_atoms_may_make_of_it() -> None:
    tried = 0
    for condition in all_conditions(2):
        count = str(condition).count("'open'")
        found = {become(condition, iter(one)) for one in product((YES, NO, UNKNOWN), repeat=count)}
        assert asked(condition) == (YES in found, NO in found), condition
        tried += 1
    assert tried > 800
