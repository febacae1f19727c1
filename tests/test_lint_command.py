"""`advisor lint` through the front door: what it looks at, how it writes, what makes it fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.front_door import advisor

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: server}}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v{version}
    args:
    - --model
    - Qwen/Qwen3-8B
    - {flag}
    resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
BAD = POD.format(version="0.28.0", flag="--disable-log-requests")
GOOD = POD.format(version="0.28.0", flag="--max-model-len=32768")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "k8s").mkdir()
    (tmp_path / "k8s" / "bad.yaml").write_text(BAD)
    (tmp_path / "k8s" / "good.yaml").write_text(GOOD)
    (tmp_path / "notes.txt").write_text("nothing of ours")
    return tmp_path


def found(*arguments: str, cwd: Path) -> list[tuple[str, str]]:
    ran = advisor("lint", *arguments, "--format", "json", cwd=cwd)
    assert ran.code in (0, 1), ran.err
    report = json.loads(ran.out)
    return [(one["region"]["file"], one["id"]) for one in report["findings"] if not one["suppressed"]]


def git(folder: Path, *words: str) -> None:
    who = {f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env=os.environ | who)


def test_a_finding_points_at_its_characters_and_fails_the_run(tree: Path) -> None:
    ran = advisor("lint", ".", cwd=tree)
    assert ran.code == 1
    assert "k8s/bad.yaml:11:7: error setting-replaced" in ran.out
    assert "    - --disable-log-requests\n" in ran.out and "^^^^^^^^^^" in ran.out
    assert "2 launches in 2 of 2 files" in ran.out


def test_a_clean_tree_passes(tree: Path) -> None:
    (tree / "k8s" / "bad.yaml").unlink()
    assert advisor("lint", ".", cwd=tree).code == 0


def test_nothing_of_ours_is_never_clean(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")
    ran = advisor("lint", ".", cwd=tmp_path)
    assert ran.code == 2 and "nothing recognised" in ran.err


def test_several_formats_are_written_in_one_run(tree: Path) -> None:
    pairs = [("sarif", "out.sarif"), ("junit", "out.xml"), ("gitlab", "out.json")]
    words = [word for format, file in pairs for word in ("--format", format, "--output", file)]
    ran = advisor("lint", ".", "--format", "github", *words, cwd=tree)
    assert ran.code == 1
    assert ran.out.startswith("::error file=k8s/bad.yaml,line=11,")
    sarif = json.loads((tree / "out.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    assert [one["ruleId"] for one in sarif["runs"][0]["results"]] == ["setting-replaced"]
    assert (tree / "out.xml").read_text().startswith("<?xml")
    assert json.loads((tree / "out.json").read_text())[0]["location"]["path"] == "k8s/bad.yaml"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--fail-on", "never"], 0),
        (["--fail-on", "error"], 1),
        (["--actionable", "none"], 0),
        (["--actionable", "fix"], 1),
    ],
)
def test_the_gate_is_by_level_and_by_what_can_be_done(tree: Path, arguments: list[str], code: int) -> None:
    assert advisor("lint", ".", *arguments, cwd=tree).code == code


def test_notes_about_evidence_fail_a_run_that_notes_fail(tree: Path) -> None:
    (tree / "k8s" / "bad.yaml").unlink()
    assert advisor("lint", ".", "--evidence", cwd=tree).code == 0
    assert advisor("lint", ".", "--evidence", "--fail-on", "note", cwd=tree).code == 1
    (tree / "advisor.toml").write_text('[lint]\nfail-on = "note"\n')
    assert advisor("lint", ".", "--evidence", cwd=tree).code == 1


def test_the_advice_is_what_fix_does(tree: Path) -> None:
    report = json.loads(advisor("lint", "k8s/bad.yaml", "--format", "json", cwd=tree).out)
    assert [one["advice"] for one in report["findings"]] == [["remove --disable-log-requests"]]
    assert "remove --disable-log-requests" in advisor("fix", "k8s/bad.yaml", cwd=tree).err


def test_what_git_ignores_is_left_out_unless_it_is_named(tree: Path) -> None:
    (tree / ".gitignore").write_text("bad.yaml\n")
    assert found(".", cwd=tree) == []
    assert found(".", "--no-ignore", cwd=tree) == found("k8s/bad.yaml", cwd=tree) != []
    assert found(".", "--no-ignore", "--exclude", "k8s/bad.*", cwd=tree) == []


def test_only_what_a_change_touches_is_linted(tree: Path) -> None:
    (tree / "k8s" / "old.yaml").write_text(BAD)
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "first")
    (tree / "k8s" / "good.yaml").write_text(GOOD.replace("--max-model-len=32768", "--swap-space=8"))
    (tree / "k8s" / "new.yaml").write_text(BAD)
    (tree / "k8s" / "old.yaml").write_text("# a comment\n" + BAD)
    assert found(".", "--diff", "main", cwd=tree) == [
        ("k8s/good.yaml", "setting-removed"),
        ("k8s/new.yaml", "setting-replaced"),
    ]
    ran = advisor("lint", ".", "--diff", "no-such", cwd=tree)
    assert ran.code == 2 and "no such revision" in ran.err


def test_a_baseline_lets_old_findings_be_and_catches_new_ones(tree: Path) -> None:
    wrote = advisor("lint", ".", "--write-baseline", "base.json", cwd=tree)
    assert wrote.code == 0 and "In force with --baseline base.json" in wrote.err
    assert advisor("lint", ".", "--baseline", "base.json", cwd=tree).code == 0
    (tree / "advisor.toml").write_text('[lint]\nbaseline = "base.json"\n')
    assert "In force" not in advisor("lint", ".", "--write-baseline", "base.json", cwd=tree).err
    (tree / "advisor.toml").unlink()
    (tree / "k8s" / "bad.yaml").write_text("# moved down\n\n" + BAD)
    assert found(".", "--baseline", "base.json", cwd=tree) == []
    (tree / "k8s" / "good.yaml").write_text(BAD)
    assert found(".", "--baseline", "base.json", cwd=tree) == [("k8s/good.yaml", "setting-replaced")]


def test_a_configuration_is_found_above_and_its_paths_are_its_own(tree: Path) -> None:
    (tree / "advisor.toml").write_text('[[ignore]]\npath = "k8s/bad.yaml"\nrule = "setting-*"\nreason = "migrating"\n')
    for folder, path in ((tree, "."), (tree / "k8s", "."), (tree, str(tree / "k8s"))):
        assert found(path, cwd=folder) == []


def test_more_processes_say_the_same(tree: Path) -> None:
    for number in range(260):
        (tree / "k8s" / f"pod{number}.yaml").write_text(BAD if number % 2 else GOOD)
    one, many = (advisor("lint", ".", "--jobs", jobs, "--format", "json", cwd=tree) for jobs in ("1", "2"))
    assert one.out == many.out and one.code == many.code == 1
    assert len(json.loads(one.out)["findings"]) == 131


def test_an_item_that_holds_flag_and_value_is_refused_by_the_engine(tree: Path) -> None:
    (tree / "k8s" / "bad.yaml").write_text(BAD.replace("--disable-log-requests", "--dtype auto"))
    assert found(".", cwd=tree) == [("k8s/bad.yaml", "argument-glued")]


def test_lint_and_check_say_the_same_of_the_same_launch(tree: Path) -> None:
    flags = "vllm serve Qwen/Qwen3-8B --disable-log-requests --swap-space 8"
    (tree / "k8s" / "run.sh").write_text(f"pip install vllm==0.28.0\n{flags}\n")
    ran = advisor("check", "--engine", "vllm", "--version", "0.28.0", "--flags", flags, "--format", "json")
    assert [id for file, id in found("k8s/run.sh", cwd=tree)] == [one["code"] for one in ran.report["discrepancies"]]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["no-such"], ["no-such", "no such file"]),
        ([".", "--baseline", "none.json"], ["none.json", "no such file"]),
        ([".", "--config", "none.toml"], ["none.toml"]),
        ([".", "--format", "xml"], ["xml"]),
        ([".", "--output", "a", "--output", "b"], ["1 formats and 2 outputs"]),
    ],
)
def test_bad_instructions_are_one_line(tree: Path, arguments: list[str], parts: list[str]) -> None:
    ran = advisor("lint", *arguments, cwd=tree)
    lines = ran.err.splitlines()
    assert ran.code == 2 and len(lines) == 1, ran.err
    assert all(part in lines[0] for part in parts), lines[0]


# its sentences


def test_no_full_stop_stands_before_what_goes_on(tmp_path: Path) -> None:
    corpus = Path(__file__).parent / "deployments"
    found = json.loads(advisor("lint", str(corpus), "--format", "json").out)["findings"]
    said = [text for one in found for text in (one["says"], *one["because"], *one["advice"])]
    assert len(said) > 100
    assert [text for text in said if re.search(r"\. ?[;,:)]|(?<!\.)\.\.(?!\.)", text)] == []


@pytest.mark.parametrize(
    ("image", "command", "example"),
    [
        ("lmsysorg/sglang:v0.5.16", "python3 -m sglang.launch_server --model-path m --tp 2", "the pod hostIPC: true"),
        ("vllm/vllm-openai:v0.28.0", "vllm serve m --tensor-parallel-size 2", "(vLLM's example gives it 2Gi)"),
        ("openmmlab/lmdeploy:v0.10.0", "lmdeploy serve api_server m --tp 2", "(as LMDeploy's example does"),
    ],
)
def test_more_shared_memory_is_given_as_the_engine_s_own_example_does(
    tmp_path: Path, image: str, command: str, example: str
) -> None:
    text = POD.replace("vllm/vllm-openai:v{version}", image).replace("gpu: 1", "gpu: 2")
    text = re.sub(r"    args:(?:\n    - .*)+", f"    command: [{', '.join(command.split())}]", text)
    (tmp_path / "pod.yaml").write_text(text.replace("{{", "{").replace("}}", "}"))
    found = json.loads(advisor("lint", "pod.yaml", "--format", "json", cwd=tmp_path).out)["findings"]
    advice = [one["advice"] for one in found if one["id"] == "shared-memory-default"]
    assert len(advice) == 1 and example in advice[0][0]
