"""What is decided by something seen or said stays so as more is handed over, unless a contradiction is told.

Unknown may become yes or no. A default is no evidence, and gives way. A no may become a yes by what another rank, role
or text shows, since one is enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.jobs.assemble import assemble
from advisor.jobs.discrepancies import discrepancies
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request
from advisor.match.conditions import evaluate
from advisor.match.view import View
from advisor.model.condition import Atom
from advisor.model.outcome import Outcome
from advisor.model.truth import Truth
from tests.fuzz.test_conditions import ATOMS, some_cases

MANY = ("flags", "env", "components", "hardware", "symptoms", "files")
ONE = ("version", "model")
FULL = [at for at, one in enumerate(some_cases()) if sum(len(getattr(one.request, name)) for name in MANY) > 1]


def pieces(request: Request) -> list[tuple[str, Any]]:
    """What a case hands over, a thing at a time."""
    found = [(name, one) for name in MANY for one in getattr(request, name)]
    return found + [(name, getattr(request, name)) for name in ONE if getattr(request, name)]


def of_pieces(request: Request, given: list[tuple[str, Any]]) -> Request:
    """The same case with these alone."""
    changes: dict[str, Any] = {name: tuple(one for kind, one in given if kind == name) for name in MANY}
    changes |= {name: next((one for kind, one in given if kind == name), "") for name in ONE}
    return replace(request, strict=False, **changes)


def stands_on_evidence(outcome: Outcome) -> bool:
    return bool(outcome.because) and all(fact.origin in ("observed", "stated") for fact in outcome.because)


def is_said(view: View) -> bool:
    """Whether the case tells of a contradiction."""
    return any(note.kind in ("conflict", "engines") for note in view.case.notes) or bool(discrepancies(view))


@settings(max_examples=40)
@given(
    st.sampled_from(FULL),
    st.randoms(use_true_random=False),
    st.lists(st.sampled_from(ATOMS), min_size=80, max_size=80, unique=True),
)
def test_what_is_decided_stays_so(at: int, order: Any, atoms: list[Atom]) -> None:
    request = some_cases()[at].request
    given_ = pieces(request)
    order.shuffle(given_)
    before: dict[Atom, Outcome] = {}
    held: set[tuple[str, str]] = set()
    for count in range(1, len(given_) + 1):
        view = view_of(assemble(of_pieces(request, given_[:count]))[0])
        for atom in atoms:
            now = evaluate(atom, view)
            was = before.get(atom)
            if was is not None and was.truth is not now.truth and stands_on_evidence(was):
                fresh = {(fact.name, str(fact.value)) for fact in now.because} - held
                widened = was.truth is Truth.NO and now.truth is Truth.YES and fresh
                assert widened or is_said(view), (str(some_cases()[at]), given_[:count], atom, was, now)
            if stands_on_evidence(now):
                held |= {(fact.name, str(fact.value)) for fact in now.because}
            before[atom] = now
