"""Every seed, and every input that once broke something, against what must hold of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.guided import targets
from tests.fuzz.properties import PROPERTIES, tests_of
from tests.fuzz.target import CORPUS, FOUND, Target

ALL: dict[str, Target] = targets()
INPUTS = [(name, one) for name in ALL for one in sorted((FOUND / name).glob("*"))]


@pytest.mark.parametrize(("name", "file"), INPUTS, ids=lambda one: one.name if isinstance(one, Path) else one)
def test_what_once_broke_it(name: str, file: Path) -> None:
    ALL[name].one(file.read_bytes())


@pytest.mark.parametrize("name", ALL)
def test_its_seeds(name: str) -> None:
    seeds = sorted((CORPUS / name).glob("*"))
    assert len(seeds) >= 3, "a target without seeds finds nothing"
    for one in seeds[::3]:
        ALL[name].one(one.read_bytes())


def test_the_corpus_is_small_and_every_folder_is_a_target() -> None:
    files = [one for where in (CORPUS, FOUND) for one in where.rglob("*") if one.is_file()]
    assert sum(one.stat().st_size for one in files) < 2_000_000
    assert {one.parent.name for one in files} <= set(ALL)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_has_tests(name: str) -> None:
    assert list(tests_of(name))
