"""The GitHub Action and the GitLab template: valid by their publishers' schemas, and each of their scripts run by bash."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.ci_ground import FAULTY, HEALTHY, REPO, bash, clone_of_the_package, commit_all, did
from tests.front_door import Ran

# one worker installs for all tests of this file
pytestmark = pytest.mark.xdist_group("ci-services")
ACTION = REPO / "action.yml"
GITLAB = REPO / "ci" / "advisor.gitlab-ci.yml"
RUNNER = ("-e", "-o", "pipefail")  # how both services run bash


@pytest.mark.parametrize(("schema", "file"), [("github-actions", ACTION), ("gitlab-ci", GITLAB)])
def test_the_publisher_s_schema_takes_it(schema, file) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed: pip install -e '.[dev]'")
    check = f"'{sys.executable}' -m check_jsonschema --builtin-schema vendor.{schema}"
    did(f"{check} '{file}'", REPO / "ci")


class Action:
    """`action.yml` on a scratch runner: inputs in, output, summary and log out."""

    def __init__(self, folder) -> None:
        self.steps = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
        self.inputs = {name: one["default"] for name, one in yaml.safe_load(ACTION.read_text())["inputs"].items()}
        self.temp, self.source = folder / "temp", clone_of_the_package(folder / "action")
        self.temp.mkdir()

    def run(self, name: str, workspace, **inputs: str):
        (step,) = [one for one in self.steps if one.get("name") == name]
        assert step["shell"] == "bash"
        given = {f"inputs.{key}": value for key, value in {**self.inputs, **inputs}.items()}
        given |= {"github.action_path": str(self.source)}
        given |= {"steps.python.outputs.python-path || 'python3'": sys.executable}
        env = {key: given[value.removeprefix("${{ ").removesuffix(" }}")] for key, value in step["env"].items()}
        env |= {"RUNNER_TEMP": str(self.temp), "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace)}
        for file in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            (workspace.parent / file).write_text("")
            env[file] = str(workspace.parent / file)
        return bash(step["run"], workspace, *RUNNER, **env)


@pytest.fixture(scope="module")
def action(tmp_path_factory):
    """The action, its install step done."""
    folder = tmp_path_factory.mktemp("action")
    one = Action(folder)
    (folder / "work").mkdir()
    ran = one.run("Install the advisor", folder / "work")
    assert ran.code == 0, ran.err
    return one


@pytest.fixture
def workspace(tmp_path):
    """A checkout with one faulty and one healthy file."""
    folder = tmp_path / "workspace"
    (folder / "deploy here").mkdir(parents=True)
    (folder / "deploy here" / "vllm.yaml").write_bytes(FAULTY.read_bytes())
    (folder / "healthy.yaml").write_bytes(HEALTHY.read_bytes())
    return folder


def outputs(workspace) -> dict[str, str]:
    lines = (workspace.parent / "GITHUB_OUTPUT").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def results(workspace, name: str = "advisor.sarif") -> list[dict]:
    return json.loads((workspace / name).read_text())["runs"][0]["results"]


def test_no_expression_stands_in_a_script_of_the_action() -> None:
    scripts = [one["run"] for one in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if "run" in one]
    assert len(scripts) == 2
    assert not [one for one in scripts if "${{" in one]


def test_every_input_of_the_action_is_used_and_every_output_made() -> None:
    text = ACTION.read_text()
    told = yaml.safe_load(text)
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(told["inputs"])
    made = set(re.findall(r'echo "([\w-]+)=', text))
    assert {one["value"] for one in told["outputs"].values()} == {
        f"${{{{ steps.lint.outputs.{one} }}}}" for one in made
    }


def test_findings_are_annotated_logged_and_fail_the_step(action, workspace) -> None:
    ran = action.run("Lint", workspace)
    assert ran.code == 1, ran.err
    assert "::error file=deploy here/vllm.yaml,line=26," in ran.out
    assert outputs(workspace) == {"sarif": "advisor.sarif", "exit-code": "1"}
    assert {"gpus-too-few", "service-links"} <= {one["ruleId"] for one in results(workspace)}
    assert "gpus-too-few" in (workspace.parent / "GITHUB_STEP_SUMMARY").read_text()


def test_paths_are_lines_options_are_words(action, workspace) -> None:
    ran = action.run("Lint", workspace, path="deploy here\nhealthy.yaml\n", args=" --exclude  *.sh --evidence ")
    assert ran.code == 1, ran.err
    assert action.run("Lint", workspace, path="healthy.yaml").code == 0
    assert outputs(workspace)["exit-code"] == "0"


def test_the_gate_and_the_log_s_place_are_inputs(action, workspace) -> None:
    ran = action.run("Lint", workspace, **{"fail-on": "never", "sarif-file": "out put.sarif"})
    assert ran.code == 0, ran.err
    assert outputs(workspace)["sarif"] == "out put.sarif"
    assert results(workspace, "out put.sarif")


def test_what_is_suppressed_is_not_uploaded(action, workspace) -> None:
    (workspace / "advisor.toml").write_text('[[ignore]]\npath = "**"\nrule = "gpus-too-few"\nreason = "shared"\n')
    assert action.run("Lint", workspace).code == 1
    assert "gpus-too-few" not in {one["ruleId"] for one in results(workspace)}


def test_nothing_recognised_fails_the_step(action, workspace) -> None:
    (workspace / "notes").mkdir()
    ran = action.run("Lint", workspace, path="notes")
    assert ran.code == 2
    assert "nothing recognised" in ran.err


def test_inputs_are_never_run(action, workspace) -> None:
    hostile = "$(touch ran) `touch ran`; touch ran"
    action.run("Lint", workspace, path=hostile, args=hostile, **{"fail-on": hostile, "sarif-file": hostile})
    action.run("Lint", workspace, path="--help")
    assert not (workspace / "ran").exists()


@dataclass(frozen=True)
class GitLab:
    """The template's job in a project; before_script and script are one shell there."""

    project: Path
    package: Path
    job: dict[str, Any]

    def run(self, **variables: str) -> Ran:
        script = "\n".join([*self.job["before_script"], *self.job["script"]])
        own = {"CI": "true", "CI_PROJECT_DIR": str(self.project), "ADVISOR_PACKAGE": str(self.package)}
        return bash(script, self.project, *RUNNER, **{**own, **self.job["variables"], **variables})


@pytest.fixture
def gitlab(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    job = yaml.safe_load(GITLAB.read_text())["advisor-lint"]
    return GitLab(project, clone_of_the_package(tmp_path / "package"), job)


def test_gitlab_gets_code_quality_and_tests(gitlab) -> None:
    (gitlab.project / "vllm.yaml").write_bytes(FAULTY.read_bytes())
    (gitlab.project / "healthy.yaml").write_bytes(HEALTHY.read_bytes())
    commit_all(gitlab.project)
    ran = gitlab.run(ADVISOR_PATHS="vllm.yaml healthy.yaml")
    assert ran.code == 1, ran.err
    assert "error gpus-too-few" in ran.out
    reports = gitlab.job["artifacts"]["reports"]
    issues = json.loads((gitlab.project / reports["codequality"]).read_text())
    assert {one["check_name"] for one in issues} >= {"gpus-too-few"}
    assert all({"description", "check_name", "fingerprint", "severity", "location"} <= set(one) for one in issues)
    suites = ElementTree.parse(gitlab.project / reports["junit"]).getroot()
    assert int(suites.get("failures", "0")) > 0
    assert gitlab.job["artifacts"]["when"] == "always"  # a red job keeps its reports


def test_gitlab_is_told_which_package_is_missing(gitlab) -> None:
    ran = gitlab.run(ADVISOR_PACKAGE="")
    assert ran.code != 0
    assert "ADVISOR_PACKAGE: say what pip is to install" in ran.err
