"""Beside the corpus of pairs: one launch in six formats, and inputs that cannot be read or are not ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from advisor.jobs.lint_judging import findings_of
from advisor.launches.files.recognise import read_file
from tests.deployment_pairs import KNOWLEDGE, ROOT, plain, read, split
from tests.front_door import advisor

SAME = sorted(one.parent for one in ROOT.glob("same/*/expect.yaml"))
BROKEN = yaml.safe_load((ROOT / "broken" / "expect.yaml").read_text())

# one launch in six formats


@pytest.mark.parametrize("folder", SAME, ids=lambda one: one.name)
def test_six_formats_say_the_same(folder: Path) -> None:
    expected = yaml.safe_load((folder / "expect.yaml").read_text())
    files = sorted(one for one in folder.iterdir() if one.name != "expect.yaml")
    assert len(files) == 6
    for file in files:
        found = read(file)
        (workload,) = found.workloads
        settings = {one.flag: plain(one.value) for one in workload.launch.settings if not split(one, workload)}
        if "--model" not in expected["settings"]:
            settings.pop("--model", None)
        assert (file.name, workload.launch.engine, workload.launch.model) == (
            file.name,
            expected["engine"],
            expected["model"],
        )
        assert (file.name, settings) == (file.name, {one: plain(value) for one, value in expected["settings"].items()})
        assert {one.name: one.value for one in workload.environment} == expected["environment"]
        ids = {one.id for one in findings_of(found, ()) if one.kind != "evidence"}
        assert (file.name, ids) == (file.name, set(expected["findings"]))


# broken inputs


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_broken_input_costs_a_line_and_no_more(name: str) -> None:
    found, expected = read(ROOT / "broken" / name), BROKEN[name]
    if "workloads" in expected:
        assert len(found.workloads) == expected["workloads"]
    if "unread" in expected:
        assert len(found.unread) == expected["unread"], [one.text for one in found.unread]
    assert all("\n" not in one.text for one in found.unread)
    if "lines" in expected:
        assert [one.span.line if one.span else 0 for one in found.unread] == expected["lines"]
    if "recognised" in expected:
        assert found.recognised == expected["recognised"]


def test_every_broken_file_has_its_line() -> None:
    assert {one.name for one in (ROOT / "broken").iterdir()} - {"expect.yaml"} == set(BROKEN)


def _anchors(levels: int, width: int) -> bytes:
    """A Pod whose args double at each level: written out they are width ** levels words."""
    lines = ["a0: &a0 [vllm, serve, Qwen/Qwen3-8B]"]
    lines += [f"a{one}: &a{one} [{', '.join([f'*a{one - 1}'] * width)}]" for one in range(1, levels)]
    tail = f"kind: Pod\nspec: {{containers: [{{name: vllm, image: 'vllm/vllm-openai:v0.28.0', args: *a{levels - 1}}}]}}"
    return "\n".join([*lines, tail, ""]).encode()


def test_nested_anchors_are_not_written_out() -> None:
    found = read_file("bomb.yaml", _anchors(12, 10), KNOWLEDGE)
    assert sum(len(one.arguments) for one in found.workloads) < 10_000


def test_fifty_megabytes_of_anchors_cost_one_line() -> None:
    line = b"- &x%07d {image: vllm/vllm-openai:v0.28.0, args: [serve]}\n"
    content = b"apiVersion: v1\n" + b"".join(line % one for one in range(50_000_000 // len(line % 0) + 1))
    assert len(content) >= 50_000_000
    found = read_file("anchors.yaml", content, KNOWLEDGE)
    assert (len(found.workloads), len(found.unread)) == (0, 1)


def test_a_loop_of_links_and_broken_files_do_not_stop_the_others(tmp_path: Path) -> None:
    good = ROOT / "docker" / "lmdeploy-gpus.sh"
    (tmp_path / "good.sh").write_bytes(good.read_bytes())
    (tmp_path / "tabs.yaml").write_bytes((ROOT / "broken" / "tabs.yaml").read_bytes())
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    (tmp_path / "self").symlink_to(tmp_path, target_is_directory=True)
    ran = advisor("lint", str(tmp_path), "--format", "json")
    found = [one["id"] for one in ran.report["findings"] if one["region"]["file"].endswith("good.sh")]
    assert (ran.code, found) == (1, ["gpus-too-few"])
    assert sum("tabs.yaml" in one["name"] for one in ran.report["files"]) == 1


@pytest.mark.parametrize("name", ["looks-like-ours.yaml", "looks-like-ours.sh", "empty.yaml", "picture.yaml"])
def test_nothing_recognised_is_exit_2(name: str) -> None:
    assert advisor("lint", str(ROOT / "broken" / name)).code == 2
