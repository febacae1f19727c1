"""docs/ci.md: every command of the page is run, in its order, in one repository; every file it shows is valid.

A comment above a block says what is true of it: `exit: 1` (else 0), `file: NAME`. Helm is played by a script that prints a
rendered chart.
"""

import re
import sys

import pytest
import yaml

from tests.ci_ground import FAULTY, REPO, bash, clone_of_the_package, commit_all, did
from tests.docs_pages import blocks

PAGE = REPO / "docs" / "ci.md"
SCHEMAS = {
    ".github/workflows/advisor.yml": "github-workflows",
    ".gitlab-ci.yml": "gitlab-ci",
    ".buildkite/pipeline.yml": "buildkite",
}


FILES = {one.value: one.text for one in blocks(PAGE) if one.key == "file"}


@pytest.fixture
def project(tmp_path):
    """A repository with a faulty deployment on main, which origin has, and a branch; the package's clone beside it."""
    clone_of_the_package(tmp_path / "inference-advisor")
    folder = tmp_path / "project"
    (folder / "deploy").mkdir(parents=True)
    (folder / "deploy" / "vllm.yaml").write_bytes(FAULTY.read_bytes())
    commit_all(folder)
    helm = tmp_path / "bin" / "helm"
    helm.parent.mkdir()
    helm.write_text(f"#!/bin/sh\ncat '{FAULTY}'\n")
    helm.chmod(0o755)
    did("git clone -q --bare . ../origin.git\ngit remote add origin ../origin.git\ngit switch -q -c change", folder)
    return folder


def run(script: str, project):
    where = f"{project.parent / 'advisor-env' / 'bin'}:{project.parent / 'bin'}"
    return bash(f'export PATH="{where}:$PATH"\n{script}', project, "-e", "-o", "pipefail")


def test_the_commands_of_the_page_do_what_it_says(project) -> None:
    ran = 0
    for block in blocks(PAGE):
        if block.key == "file":
            (project / block.value).parent.mkdir(parents=True, exist_ok=True)
            (project / block.value).write_text(block.text)
        elif block.language == "sh":
            done = run(block.text, project)
            expected = int(block.value) if block.key == "exit" else 0
            assert done.code == expected, f"{block.text}\n{done.out}\n{done.err}"
            assert "Traceback" not in done.err
            ran += 1
    assert ran >= 10
    assert (project / "advisor.sarif").exists()
    assert (project / "advisor-junit.xml").exists()


def test_the_page_s_other_ci_services_run_such_commands(project) -> None:
    """Their scripts, in a repository without baseline: the finding fails each, and the report is there."""
    install, *_ = (one.text for one in blocks(PAGE) if one.language == "sh")
    assert run(install, project).code == 0
    (jenkins,) = re.findall(r"sh '(.+)'", FILES["Jenkinsfile"])
    (buildkite,) = (one["command"] for one in yaml.safe_load(FILES[".buildkite/pipeline.yml"])["steps"])
    for script, report in ((jenkins, "advisor-junit.xml"), (buildkite, "advisor.md")):
        done = run(script, project)
        assert done.code == 1, done.err
        assert "gpus-too-few" in (project / report).read_text()


def test_the_page_s_command_for_pull_requests_sees_the_change_and_no_more(project) -> None:
    (command,) = (one.text for one in blocks(PAGE) if "--diff" in one.text and one.language == "sh")
    command = command.replace("advisor ", f"'{sys.executable}' -m advisor ")
    assert bash(command, project, "-e", PYTHONPATH=str(REPO)).code == 0
    file = project / "deploy" / "vllm.yaml"
    file.write_text(file.read_text().replace("nvidia.com/gpu: 4", "nvidia.com/gpu: 3"))
    commit_all(project)
    done = bash(command, project, "-e", PYTHONPATH=str(REPO))
    assert done.code == 1, done.err
    assert re.findall(r"(?m)^deploy/vllm.yaml:\S+ \w+ (\S+)$", done.out) == ["gpus-too-few"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_files_of_the_page_are_valid_by_their_publishers_schemas(name, tmp_path) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed: pip install -e '.[dev]'")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "file.yml").write_text(FILES[name])
    check = f"'{sys.executable}' -m check_jsonschema --builtin-schema vendor.{SCHEMAS[name]}"
    did(f"{check} file.yml", tmp_path / "here")


def test_the_page_gives_the_action_only_what_it_takes() -> None:
    inputs = yaml.safe_load((REPO / "action.yml").read_text())["inputs"]
    workflow = yaml.safe_load(FILES[".github/workflows/advisor.yml"])
    (given,) = [one["with"] for one in workflow["jobs"]["lint"]["steps"] if "advisor@" in one["uses"]]
    assert set(given) <= set(inputs)
    section = PAGE.read_text().split("\n## GitHub\n")[1].split("\n## ")[0]
    table = re.findall(r"(?m)^\| `([\w-]+)` \| ", section)
    assert sorted(table) == sorted(inputs)


def test_the_page_sets_only_variables_that_the_template_reads() -> None:
    template = (REPO / "ci" / "advisor.gitlab-ci.yml").read_text()
    for name in yaml.safe_load(FILES[".gitlab-ci.yml"])["advisor-lint"]["variables"]:
        assert f"${name}" in template or f"${{{name}" in template


def test_the_hooks_of_the_page_exist() -> None:
    hooks = {one["id"] for one in yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text())}
    (repo,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"]
    assert {one["id"] for one in repo["hooks"]} <= hooks
    assert {one for one in re.findall(r"`(advisor-[a-z]+)`", PAGE.read_text())} <= hooks
