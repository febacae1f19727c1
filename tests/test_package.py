"""What a user installs: the wheel carries the catalogue and answers from it, far from this checkout."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.bench_cold import CHECK
from tests.reproducible import BUILDERS, EPOCH, build
from tests.watching import watched

REPO = Path(__file__).parents[1]
CATALOGUE = ("rules", "knowledge")
COMPILED = (
    "catalog.jsonl",
    "engines.json",
    "replacements.json",
    *(f"settings-{file.parent.name}.json" for file in REPO.glob("knowledge/*/settings.json")),
)

# one worker builds for all tests of this file
pytestmark = pytest.mark.xdist_group("package")


def run(*command: object, cwd: Path, **env: str) -> str:
    words = [str(part) for part in command]
    done = subprocess.run(
        words, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build_into(folder: Path, *options: str) -> Path:
    words = ("-m", "build", *options, "--no-isolation", "--outdir", folder, REPO)
    run(sys.executable, *words, cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    (wheel,) = folder.glob("*.whl")
    return wheel


def files_of(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_into(tmp_path_factory.mktemp("wheel"), "--wheel")


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("installed")
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--target", target)
    run(sys.executable, "-m", "pip", "install", *options, wheel, cwd=target)
    return target


@pytest.fixture
def elsewhere(installed, tmp_path):
    """Runs Python in a folder that is not this checkout, with the installed wheel ahead of the editable install."""
    own = {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(tmp_path / "cache"), "COLUMNS": "200"}
    return lambda *arguments: run(sys.executable, *arguments, cwd=tmp_path, **own)


def test_the_wheel_carries_rules_and_knowledge(wheel):
    here = {
        f"advisor/_data/{path.relative_to(REPO).as_posix()}"
        for folder in CATALOGUE
        for path in (REPO / folder).rglob("*")
        if path.is_file()
    }
    packed = {name for name in files_of(wheel) if name.startswith("advisor/_data/")}
    for folder in CATALOGUE:
        assert any(name.startswith(f"advisor/_data/{folder}/") for name in packed)
    assert packed == here | {f"advisor/_data/{name}" for name in COMPILED}


def test_the_wheel_carries_nothing_else_but_the_code(wheel):
    metadata = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    assert {name.split("/")[0] for name in files_of(wheel)} == {"advisor", metadata}
    assert f"{metadata}/licenses/LICENSE" in files_of(wheel)
    assert f"{metadata}/sboms/inference-advisor.cdx.json" in files_of(wheel)


@pytest.fixture(scope="module")
def stranger(tmp_path_factory) -> dict[str, bytes]:
    """The wheel and the sdist that another machine makes of a copy of this checkout."""
    return build(BUILDERS[1], tmp_path_factory.mktemp("stranger"))


def test_a_stranger_builds_the_same_wheel_byte_for_byte(wheel, stranger):
    assert stranger[wheel.name] == wheel.read_bytes(), "make reproducible"


def test_the_sdist_carries_what_ci_services_look_for(stranger, tmp_path):
    (name,) = [one for one in stranger if one.endswith(".tar.gz")]
    (tmp_path / name).write_bytes(stranger[name])
    with tarfile.open(tmp_path / name) as opened:
        packed = {name.split("/", 1)[-1] for name in opened.getnames()}
    wanted = {
        ".pre-commit-hooks.yaml",
        "action.yml",
        "ci/advisor.gitlab-ci.yml",
        "docs/ci.md",
        "locks/dev.txt",
        "SECURITY.md",
    }
    assert wanted <= packed


def test_wheel_and_sdist_built_from_the_sdist_are_the_same_byte_for_byte(wheel, stranger, tmp_path):
    again = build_into(tmp_path)  # `build` without options goes through the sdist
    assert again.read_bytes() == wheel.read_bytes()
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.tar.gz")}.items() <= stranger.items()


def test_it_runs_from_another_folder(installed, elsewhere):
    assert Path(elsewhere("-c", "import advisor; print(advisor.__file__)").strip()).is_relative_to(installed)
    assert "check" in elsewhere("-m", "advisor", "--help")


def test_its_first_check_reads_no_yaml_and_keeps_nothing(installed, tmp_path):
    seen = watched(
        *CHECK, scratch=tmp_path, cwd=tmp_path, PYTHONPATH=str(installed), XDG_CACHE_HOME=str(tmp_path / "c")
    )
    assert seen.code == 1 and "rules evaluated" in seen.out
    carried = [name for name in seen.opened if name.startswith(str(installed)) and name.endswith(".json")]
    assert carried and [name for name in seen.opened if name.endswith((".yaml", ".yml"))] == []
    assert not (tmp_path / "c").exists()


def test_it_lists_every_rule_from_another_folder(elsewhere):
    listed = elsewhere("-m", "advisor", "rules", "list")
    ids = sorted(path.parent.relative_to(REPO / "rules").as_posix() for path in REPO.glob("rules/*/*/rule.yaml"))
    assert ids
    assert [rule for rule in ids if rule not in listed] == []
