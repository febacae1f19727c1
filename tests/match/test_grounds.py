"""Cases with the same grounds have the same exposures: what is left out of them is nothing that a rule asks for."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from advisor.catalog.engines import knowledge, named
from advisor.jobs import lint_exposure
from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.lint_case import unit_of, units
from advisor.launches.files.recognise import read_file
from advisor.match.conditions import truth
from advisor.match.grounds import grounds
from advisor.match.stale import Workarounds, _Without
from advisor.match.view import View
from advisor.model.case import Case
from advisor.model.fact import Fact
from tests.deployed import workload

CORPUS = Path(__file__).parents[1] / "deployments"
ASKED = lint_exposure._asked


@cache
def cases() -> tuple[Case, ...]:
    """Every case of the corpus of deployments."""
    known = {name: knowledge(name) for name in named()}
    files = sorted(one for one in CORPUS.rglob("*") if one.is_file() and ".expect." not in one.name)
    read = [read_file(one.name, one.read_bytes(), known) for one in files]
    return tuple(unit.case for one in read for unit in units(one.workloads))


def test_in_any_order_what_was_looked_for_once_is_what_would_be_found_anew() -> None:
    order = list(cases())
    random.Random(5).shuffle(order)
    lint_exposure._OPEN.clear()
    found = [(one, lint_exposure._open(view_of(one))) for one in order]
    assert len(lint_exposure._OPEN) < len(order) > 100  # some were not looked for
    assert sum(1 for _, rules in found if rules) > 30
    for one, rules in found:
        assert rules == tuple(lint_exposure._looked_for(view_of(one)))


def test_nothing_is_asked_of_a_launch_that_the_grounds_leave_out() -> None:
    asked: set[tuple[str, str]] = set()
    for one in cases():
        view = view_of(one)
        list(lint_exposure._looked_for(view))
        asked |= {(kind, name) for kind, name, _ in view._answers}
    flags = {name for kind, name in asked if kind == "setting"}
    assert len(flags) > 20 and flags <= ASKED().flags
    assert {name for kind, name in asked if kind == "env"} <= ASKED().variables
    assert any(kind == "model" for kind, _ in asked) and ASKED().models


def key(text: str, **more) -> tuple[object, ...] | None:
    return grounds(view_of(unit_of((workload(text, **more),)).case), ASKED())


SERVE = "vllm serve {} --tensor-parallel-size {} --port {}\n"


def test_names_ports_and_places_make_no_difference() -> None:
    one = key(SERVE.format("m", 8, 8000), version="0.28.0")
    assert one == key("# first\n\n" + SERVE.format("m", 8, 9000), version="0.28.0", file="g.yaml")
    assert one != key(SERVE.format("m", 4, 8000), version="0.28.0")
    assert one != key(SERVE.format("m", 8, 8000), version="0.28.1")


def test_a_switch_is_not_the_number_one_and_the_last_of_two_counts() -> None:
    base = unit_of((workload(SERVE.format("m", 8, 1), version="0.28.0"),)).case
    launch = base.launches[0]
    tp = launch.setting("--tensor-parallel-size")
    assert tp is not None

    def of(*values: object) -> tuple[object, ...] | None:
        settings = tuple(replace(tp, value=one) for one in values)  # type: ignore[arg-type]
        return grounds(view_of(base.but(launches=(replace(launch, settings=settings),))), ASKED())

    assert of(1) != of(True) and of("1") != of(1)
    assert of(2, 4) == of(4) != of(4, 2)


def test_a_container_around_the_command_counts() -> None:
    text = SERVE.format("m", 8, 1)
    assert key(text, version="0.28.0") != key("docker run --rm x true\n" + text, version="0.28.0")


def test_of_a_case_with_a_sign_seen_nothing_is_kept() -> None:
    case = unit_of((workload(SERVE.format("m", 8, 1)),)).case
    seen = case.but(facts=(Fact("symptom.hang", True, "stated", notable=True),))
    assert grounds(view_of(seen), ASKED()) is None


@pytest.mark.parametrize("engine", ["vllm", "sglang", "lmdeploy", "xllm"])
def test_hiding_a_workaround_changes_no_exposure_that_does_not_ask_for_it(engine: str) -> None:
    among = Workarounds(catalogue())
    views = [view_of(one) for one in cases() if one.build.engine == engine][:5]
    for _, remedies, _ in among.remedied:
        for remedy in remedies:
            names = frozenset((*(remedy.set or ()), *(remedy.env or ())))
            for view in views:
                hanging = among.hanging_on(names, view.knowledge)
                assert len(hanging) < len(among.rules)
                hidden = _Without(view.case, view.layers, view.kinds, names=names)
                assert _differing(view, hidden) <= {rule.id for rule in hanging}


def _differing(view: View, hidden: View) -> set[str]:
    return {rule.id for rule in catalogue() if truth(rule.exposure, view) is not truth(rule.exposure, hidden)}
