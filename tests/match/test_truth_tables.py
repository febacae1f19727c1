"""Kleene's tables and the status table, whole."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.match.conditions import compare
from advisor.match.judge import status_of
from advisor.model.truth import Truth, every, some

Y, N, U = Truth.YES, Truth.NO, Truth.UNKNOWN
TRUTHS = st.sampled_from(Truth)


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        (Y, Y, Y, Y),
        (Y, N, N, Y),
        (Y, U, U, Y),
        (N, Y, N, Y),
        (N, N, N, N),
        (N, U, N, U),
        (U, Y, U, Y),
        (U, N, N, U),
        (U, U, U, U),
    ],
)
def test_and_or(left: Truth, right: Truth, both: Truth, either: Truth) -> None:
    assert every((left, right)) is both
    assert some((left, right)) is either


@given(st.lists(TRUTHS))
def test_de_morgan(truths: list[Truth]) -> None:
    assert ~every(truths) is some(~one for one in truths)


@given(st.lists(TRUTHS), st.integers(min_value=0), st.sampled_from((Y, N)))
def test_more_evidence_never_flips_a_decided_join(truths: list[Truth], at: int, learnt: Truth) -> None:
    if not truths:
        return
    place = at % len(truths)
    if truths[place] is not U:
        return
    before = every(truths)
    after = every([*truths[:place], learnt, *truths[place + 1 :]])
    assert before is U or before is after


TABLE = {
    (Y, Y): "matched",
    (Y, "hint"): "likely",
    (Y, U): "exposed",
    (Y, N): "exposed",
    (U, Y): "likely",
    (U, "hint"): "possible",
    (U, U): None,
    (U, N): None,
    (N, Y): "ruled_out",
    (N, "hint"): "ruled_out",
    (N, U): None,
    (N, N): None,
}
REFUTED = {Y: "possible", U: "possible", N: "ruled_out"}


@pytest.mark.parametrize(("exposure", "seen"), list(product((Y, U, N), (Y, "hint", U, N))))
def test_the_status_table(exposure: Truth, seen: Truth | str) -> None:
    signature = seen if isinstance(seen, Truth) else U
    supporting = Y if seen == "hint" else U
    assert status_of(exposure, signature, supporting) == TABLE[exposure, seen]


@pytest.mark.parametrize("exposure", [Y, U, N])
def test_supporting_signs_beside_a_refuted_signature(exposure: Truth) -> None:
    assert status_of(exposure, N, Y) == REFUTED[exposure]


@pytest.mark.parametrize(
    ("op", "value", "wanted", "truth"),
    [
        ("is", "DSPARK", "dspark", Y),
        ("is", "1", True, Y),
        ("is", "false", True, N),
        ("is", "$GRAPH", True, U),
        ("is", 2, 2.0, Y),
        ("is", None, "dspark", N),
        ("more_than", "45", 0, Y),
        ("more_than", -1, 0, N),
        ("more_than", "$TP", 1, U),
        ("any_of", "EAGLE3", ("eagle", "eagle3"), Y),
        ("given", None, False, Y),
        ("given", "x", False, N),
        ("matches", "deepseek_mtp", "mtp$", Y),
    ],
)
def test_comparisons(op: str, value: str | int | None, wanted: object, truth: Truth) -> None:
    assert compare(op, value, wanted) is truth
