"""What `make bench` measures in seconds, counted here: each file is opened and judged once,
and costs the same in any tree."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import date
from functools import partial
from pathlib import Path

import pytest
import yaml

from advisor.jobs.judging import catalogue
from advisor.jobs.lint import LintRequest, lint
from tests.counting import steps
from tests.lint_bench import checkov_command, lint_command
from tests.manifests_made import A_FOLDER, make

PACKAGE = str(Path(__file__).parents[1] / "advisor")
COUNTED = ("lint_files.py:_content", "lint_judging.py:findings_of", "recognise.py:read_file")


def calls_of(folder: Path, cache: Path | None = None) -> tuple[Counter[str], int]:
    """Calls by function of ours, and files reported, of one lint in this process."""
    counted: Counter[str] = Counter()

    def count(frame, event, _) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            counted[f"{Path(code.co_filename).name}:{code.co_name}"] += 1

    request = LintRequest((folder,), date(2026, 11, 29), processes=1, cache=cache)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        report = lint(request)
    finally:
        sys.setprofile(before)
    return counted, len([one for one in report.files if one.format])


@pytest.fixture(scope="module")
def counts(tmp_path_factory) -> dict[int, Counter[str]]:
    """Calls by function, for trees of 1, 2 and 4 folders; the first run pays for what is loaded once."""
    found = {}
    for folders in (1, 2, 4):
        size = folders * A_FOLDER
        found[size], recognised = calls_of(make(size, tmp_path_factory.mktemp(f"{size}")))
        assert recognised == size
    return found


POD = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: vllm-{at}}}
spec:
  selector: {{matchLabels: {{app: vllm-{at}}}}}
  template:
    spec:
      containers:
      - {{name: server, image: "vllm/vllm-openai:v0.30.0", args: [--model, m, --tensor-parallel-size, "2"]}}
---
apiVersion: v1
kind: Service
metadata: {{name: vllm-{at}}}
spec: {{ports: [{{port: 80}}]}}
"""


def a_folder(count: int, folder: Path) -> None:
    """Pods and Services of one namespace: each Service is injected into each pod."""
    for at in range(count):
        (folder / f"{at}.yaml").write_text(POD.format(at=at))


def one_file(count: int, folder: Path) -> None:
    """The same, as documents of one file."""
    (folder / "all.yaml").write_text("---".join(POD.format(at=at) for at in range(count)))


def one_command(count: int, folder: Path) -> None:
    """A command line with many flags that no release has."""
    flags = " ".join(f"--made-up-{at} {at}" for at in range(20 * count))
    (folder / "run.sh").write_text(f"#!/bin/bash\nvllm serve m {flags}\n")


@pytest.mark.parametrize("write", [a_folder, one_file, one_command])
def test_four_times_as_much_takes_about_four_times_as_many_steps(write, tmp_path) -> None:
    taken = []
    for count in (25, 50, 200):  # the first pays for what is loaded once
        folder = tmp_path / f"{count}"
        folder.mkdir()
        write(count, folder)
        report, took = steps(partial(lint, LintRequest((folder,), date(2026, 11, 29), processes=1)))
        assert report.findings
        taken.append(took)
    assert taken[2] < 4.8 * taken[1], taken


def test_each_file_is_opened_read_and_judged_once(counts) -> None:
    for size, calls in counts.items():
        assert {name: calls[name] for name in COUNTED} == dict.fromkeys(COUNTED, size)


def test_a_second_run_opens_each_file_and_reads_and_judges_only_what_has_changed(tmp_path) -> None:
    folder, cache = make(2 * A_FOLDER, tmp_path / "made"), tmp_path / "cache"
    calls_of(folder, cache)
    counts = calls_of(folder, cache)[0]
    assert [counts[name] for name in COUNTED] == [2 * A_FOLDER, 0, 0]
    changed = next(folder.rglob("*.yaml"))
    changed.write_text(changed.read_text() + "# changed\n")
    counts = calls_of(folder, cache)[0]
    assert [counts[name] for name in COUNTED] == [2 * A_FOLDER + 1, 1, 1]


def test_of_many_alike_launches_the_rules_are_gone_through_once(tmp_path) -> None:
    one_file(60, tmp_path)
    calls = calls_of(tmp_path)[0]
    assert calls["grounds.py:grounds"] == 60
    assert calls["judge.py:build_affected"] < len(catalogue()) + 5 * 60


def test_a_file_costs_as_many_calls_in_a_large_tree_as_in_a_small_one(counts) -> None:
    small, large = (counts[size].total() / size for size in (2 * A_FOLDER, 4 * A_FOLDER))
    assert large < small * 1.15, f"{small:.0f} calls a file, then {large:.0f}"


def test_every_made_manifest_has_names_of_its_own(tmp_path) -> None:
    names: list[str] = []
    for file in sorted(make(60, tmp_path).rglob("*.yaml")):
        documents = [one for one in yaml.safe_load_all(file.read_text()) if "metadata" in one]
        of_this = {(one["kind"], one["metadata"]["name"]) for one in documents}
        names += [f"{kind} {name}" for kind, name in of_this]
    assert len(names) > 60
    assert len(names) == len(set(names))


def test_both_programs_are_given_the_same_folder() -> None:
    folder = Path("somewhere")
    assert "somewhere" in lint_command(folder)
    assert "somewhere" in checkov_command(Path("checkov"), folder)
