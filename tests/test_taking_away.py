"""What is taken away is unknown afterwards, and what a condition rests on is told from its alternatives."""

from __future__ import annotations

import pytest

from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import File, Request
from advisor.match.conditions import truth
from advisor.model.condition import Atom, parse
from advisor.model.truth import Truth
from tests.taking_away import held, rests_on, without

STACK = b'Process 7: VLLM::Worker_TP0\nPython v3.12.3\n\nThread 7 (active): "MainThread"\n    recv (zmq/sugar.py:1)\n'
GIVEN = Request(
    engine="vllm",
    version="0.28.0",
    flags=("vllm serve m --tensor-parallel-size 2",),
    env=("NCCL_PROTO=Simple",),
    components=("nccl=2.28.9",),
    hardware=("2x H200 x86_64",),
    files=(
        File("a.log", b"INFO 08-22 11:02:41 [core.py:1] one\nINFO 08-22 11:02:41 [core.py:1] two\n"),
        File("s.txt", STACK),
    ),
)
CASE = assemble(GIVEN)[0]
TP, PP, PROTO = (
    {"fact": "topology.tp", "more_than": 1},
    {"fact": "topology.pp", "is": 1},
    {"env": "NCCL_PROTO", "given": True},
)
ONE, TWO, NEVER = {"log": "one"}, {"log": "t[w]o"}, {"log": "three"}


@pytest.mark.parametrize(
    "raw",
    [
        {"setting": "--tensor-parallel-size", "is": 2},
        {"setting": "--enforce-eager", "is": False},
        TP,
        PP,
        PROTO,
        {"fact": "build.stock", "is": True},
        {"hardware": "arch", "is": "x86_64"},
        {"component": "nccl", "from": "2.28.9"},
        {"component": "vllm", "from": "0.28.0"},
        {"model": "m"},
        ONE,
        {"stack": ["recv"]},
    ],
    ids=str,
)
def test_what_is_taken_away_is_unknown(raw: dict[str, object]) -> None:
    atom = parse(raw)
    assert isinstance(atom, Atom)
    assert truth(atom, view_of(CASE)) is Truth.YES
    assert truth(atom, view_of(without(CASE, [atom]))) is Truth.UNKNOWN


def test_only_what_answers_goes() -> None:
    left = without(CASE, [parse(ONE)])  # type: ignore[list-item]
    assert truth(parse(TWO), view_of(left)) is Truth.YES
    assert left.launches == CASE.launches and left.threads == CASE.threads


@pytest.mark.parametrize(
    ("raw", "alone", "all_of_it"),
    [
        ({"all": [TP, ONE]}, [TP, ONE], [TP, ONE]),
        ({"any": [ONE, TWO]}, [], [ONE, TWO]),
        ({"any": [ONE, NEVER]}, [ONE], [ONE]),
        ({"all": [TP, {"any": [ONE, TWO]}]}, [TP], [TP, ONE, TWO]),
        ({"any": [{"all": [TP, ONE]}, {"all": [TP, TWO]}]}, [TP], [TP, ONE, TWO]),
        ({"not": {"fact": "topology.tp", "is": 1}}, [{"fact": "topology.tp", "is": 1}], []),
    ],
    ids=str,
)
def test_what_a_condition_rests_on(
    raw: dict[str, object], alone: list[dict[str, object]], all_of_it: list[dict[str, object]]
) -> None:
    view = view_of(CASE)
    assert rests_on(parse(raw), view) == tuple(map(parse, alone))
    assert held(parse(raw), view) == tuple(map(parse, all_of_it))
