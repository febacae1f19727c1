"""The hooks, run by pre-commit itself out of a clone of this repository at a commit."""

import re
import sys

import pytest
import yaml

from advisor.launches.files.recognise import KINDS
from tests.ci_ground import DEPLOYMENTS, FAULTY, HEALTHY, REPO, bash, clone_of_the_package, commit_all, did

pytest.importorskip("pre_commit", reason="pre-commit is not installed: pip install -e '.[dev]'")

# one worker installs for all tests of this file
pytestmark = pytest.mark.xdist_group("pre-commit")
FIXABLE = DEPLOYMENTS / "compose" / "folded.docker-compose.yml"
MANIFEST = REPO / ".pre-commit-hooks.yaml"
PRE_COMMIT = f"'{sys.executable}' -m pre_commit"
HOOKS = {one["id"]: one for one in yaml.safe_load(MANIFEST.read_text())}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the package as a clone at a commit, and where pre-commit keeps its environments."""
    folder = tmp_path_factory.mktemp("pre-commit")
    commit_all(clone_of_the_package(folder / "inference-advisor"))
    return folder


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def using(place, project):
    """A repository that uses the hooks; `run(hook, files)` writes and stages the files and runs the hook on them."""

    def run(hook: str, files: dict[str, bytes]):
        rev = did("git rev-parse HEAD", place / "inference-advisor")
        (project / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {place / 'inference-advisor'}\n    rev: {rev}\n    hooks: [{{id: {hook}}}]\n"
        )
        for name, content in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_bytes(content)
        did("[ -d .git ] || git init -q -b main\ngit add -A", project)
        return bash(
            f"{PRE_COMMIT} run --verbose --files {' '.join(files)}", project, PRE_COMMIT_HOME=str(place / "home")
        )

    return run


def test_pre_commit_takes_the_manifest() -> None:
    assert did(f"{PRE_COMMIT} validate-manifest {MANIFEST}", REPO / "ci") == ""
    assert set(HOOKS) == {"advisor-lint", "advisor-fix"}


def test_the_hooks_are_given_every_name_that_a_reader_claims() -> None:
    names = [
        *(one.relative_to(DEPLOYMENTS).as_posix() for one in DEPLOYMENTS.rglob("*") if one.is_file()),
        "a.yml", "a.yaml.gotmpl", "a.yml.j2", "_pod.tpl", "a.zsh", "a.ksh", "a.ps1", "a.cmd", "a.bat", "a.job", "x.slurm",
        "Containerfile", "docker/Dockerfile.cuda", "app.dockerfile", "v.service", "v.container", "Makefile", "GNUmakefile",
        "justfile", ".justfile", "Procfile", "Procfile.dev", "a.mk", "a.just", "requirements.txt", "requirements-gpu.in",
        "requirements/gpu.txt", "constraints.txt", "pyproject.toml", "sub/pyproject.toml",
        "README.md", "main.rs", "go.mod", "notes.txt", "a.json", "yaml", "sh", "setup.cfg",
    ]  # fmt: skip
    for hook in HOOKS.values():
        for name in names:
            claimed = any(kind.names.search(f"./{name}") for kind in KINDS)
            assert bool(re.search(hook["files"], name)) == claimed, (hook["id"], name)


def test_a_faulty_file_stops_the_commit(using) -> None:
    ran = using("advisor-lint", {"deploy/vllm.yaml": FAULTY.read_bytes(), "README.md": b"# x\n"})
    assert ran.code == 1
    assert "exit code: 1" in ran.out
    assert "deploy/vllm.yaml:26:29: error gpus-too-few" in ran.out


def test_a_healthy_file_does_not(using) -> None:
    ran = using("advisor-lint", {"deploy/vllm.yaml": HEALTHY.read_bytes()})
    assert ran.code == 0, ran.out
    assert "1 launch in 1 of 1 file; no findings." in ran.out


def test_files_of_other_kinds_are_not_looked_at(using) -> None:
    ran = using("advisor-lint", {"main.rs": b"fn main() {}\n"})
    assert ran.code == 0
    assert "(no files to check)" in ran.out


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_file_that_deploys_nothing_of_ours_does_not_stop_the_commit(using, hook) -> None:
    assert using(hook, {"ci.yaml": b"jobs: []\n"}).code == 0


def test_the_fix_hook_edits_and_then_lets_pass(using, project) -> None:
    name, before = "docker-compose.yml", FIXABLE.read_bytes()
    first = using("advisor-fix", {name: before})
    assert "files were modified by this hook" in first.out
    fixed = (project / name).read_bytes()
    assert fixed != before
    again = using("advisor-fix", {name: fixed})
    assert "files were modified by this hook" not in again.out
