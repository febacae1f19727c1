"""Every seed, and every input that once broke something, against what must hold of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import __main__ as fuzz
from tests.fuzz import properties
from tests.fuzz.guided import targets
from tests.fuzz.properties import PROPERTIES
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


@pytest.mark.parametrize("module", sorted({one for modules in PROPERTIES.values() for one in modules}))
def test_every_module_of_a_property_has_one(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROPERTIES, "one", (module,))
    assert list(properties.held_by("one")) or module == "tests.fuzz.test_words_of_bash", "needs what pytest alone gives"


def test_a_target_that_breaks_is_a_fault(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner itself: what it counts, what it prints, and its exit code."""

    def breaks(data: bytes) -> None:
        assert b"\x1b" not in data, "an escape"

    monkeypatch.setitem(properties.__dict__, "targets", lambda: {"build": Target("build", "", breaks)})
    assert properties.main("build", "5") == 1
    assert capfd.readouterr().out.endswith("faults 1\n")
    assert fuzz.main(["no-such-target"]) == 2
