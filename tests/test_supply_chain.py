"""What is installed is what was locked, what is locked is what is asked for, and what is built is the same everywhere."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests import sbom, workflows
from tests.locks import EXTRAS, LOCKS, ROOT, Locked, asked, environments, plain, read

DECISIONS = ROOT / "docs" / "decisions" / "0001-dependencies.md"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKED = {name: read(name) for name in EXTRAS}


def here(name: str, environment: dict[str, str]) -> dict[str, list[Locked]]:
    """The lines of a lock that count for an interpreter and platform, by project."""
    found: dict[str, list[Locked]] = {}
    for one in LOCKED[name]:
        if one.applies(environment):
            found.setdefault(one.name, []).append(one)
    return found


@pytest.mark.parametrize("name", EXTRAS)
def test_a_lock_holds_all_that_pyproject_asks_for_within_its_ranges(name: str) -> None:
    for environment in environments():
        lines = here(name, environment)
        for wanted in asked(name):
            if wanted.marker is None or wanted.marker.evaluate(environment):
                held = lines.get(plain(wanted.name), [])
                assert len(held) == 1, f"{wanted.name}: {held} on {environment}; make lock"
                assert wanted.specifier.contains(held[0].version, prereleases=True), f"{wanted}: {held[0].version}"


@pytest.mark.parametrize("name", EXTRAS)
def test_a_lock_names_one_version_of_each_project_for_every_interpreter_and_platform(name: str) -> None:
    for environment in environments():
        twice = {project: lines for project, lines in here(name, environment).items() if len(lines) != 1}
        assert not twice, environment


@pytest.mark.parametrize("name", [*EXTRAS, "uv"])
def test_every_line_of_a_lock_has_its_hashes_and_nothing_else_is_fetched(name: str) -> None:
    text = (LOCKS / f"{name}.txt").read_text()
    lines = read(name)
    assert lines and all(one.hashes for one in lines)
    assert len(lines) == len(re.findall(r"(?m)^[^\s#]", text)), "a line is no pinned project"
    assert not re.search(r"(?m)^-|https?://|file:|/(?:opt|home|tmp|root)/", text)


def test_the_locks_agree_with_each_other() -> None:
    first = {(one.name, one.version) for one in LOCKED["dev"]}
    beside = {(one.name, one.version) for name in ("runtime", "serve", "docs") for one in LOCKED[name]}
    assert beside <= first


def test_make_and_the_containers_install_from_the_locks() -> None:
    for file in ("Makefile", "action.yml", "Containerfile"):
        text = (ROOT / file).read_text()
        assert "--require-hashes -r" in text, file
        assert "--no-index --no-deps" in text, file


def test_every_dependency_is_justified() -> None:
    groups = PYPROJECT["project"]["optional-dependencies"].values()
    every = [*PYPROJECT["project"]["dependencies"], *(one for group in groups for one in group)]
    told = {plain(name) for name in re.findall(r"\*\*([\w.-]+)\*\*", DECISIONS.read_text())}
    assert {plain(re.split(r"[^\w.-]", one)[0]) for one in every} <= told


# the bill of materials


def test_the_bill_of_materials_is_that_of_the_locks_and_valid() -> None:
    pytest.importorskip("cyclonedx", reason="cyclonedx-python-lib is not installed: pip install -e '.[dev]'")
    assert sbom.FILE.read_text() == sbom.text(), "make sbom"


def test_the_bill_of_materials_names_what_a_user_installs_and_no_more() -> None:
    told = json.loads(sbom.FILE.read_text())
    scopes = {one["name"]: one["scope"] for one in told["components"]}
    wanted = {plain(re.split(r"[^\w.-]", one)[0]) for one in PYPROJECT["project"]["dependencies"]}
    assert {name for name, scope in scopes.items() if scope == "required"} > wanted
    assert scopes["uvicorn"] == "optional" and not {"pytest", "hatchling", "editables", "mkdocs"} & set(scopes)
    assert told["metadata"]["component"]["version"] == sbom.__version__
    assert "timestamp" not in told["metadata"]


# our own workflows


def test_zizmor_finds_nothing_in_the_action_and_the_workflow_of_the_docs() -> None:
    if workflows.zizmor() is None:
        pytest.skip("zizmor is not installed: pip install -e '.[dev]'")
    done = workflows.look()
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_would_find_something(monkeypatch, tmp_path: Path) -> None:
    if workflows.zizmor() is None:
        pytest.skip("zizmor is not installed: pip install -e '.[dev]'")
    hostile = tmp_path / "action.yml"
    text = workflows.ACTION.read_text()
    hostile.write_text(re.sub(r"setup-python@\w+ # v[\d.]+", "setup-python@v6", text))
    monkeypatch.setattr(workflows, "ACTION", hostile)
    done = workflows.look()
    assert done.returncode and "unpinned-uses" in done.stdout


def test_every_other_action_is_named_by_its_commit() -> None:
    texts = [workflows.ACTION.read_text(), *re.findall(r"(?s)```yaml\n(.*?)```", workflows.PAGE.read_text())]
    used = [one for text in texts for one in re.findall(r"uses: ([\w.-]\S+)", text)]
    assert len(used) >= 4
    loose = [one for one in used if not re.search(r"@[0-9a-f]{40}$", one)]
    assert {one.partition("@")[0] for one in loose} == set(workflows.ASIDE)
    assert yaml.safe_load(workflows.ACTION.read_text())["runs"]["using"] == "composite"
