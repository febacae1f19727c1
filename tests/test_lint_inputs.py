"""`advisor lint` on inputs that are odd, and the files it must not touch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.front_door import advisor
from tests.test_lint_command import BAD, GOOD


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    (tmp_path / "pod.yaml").write_text(BAD)
    return tmp_path


@pytest.mark.parametrize(
    "arguments", [["--format", "json", "--output", "pod.yaml"], ["--write-baseline", "pod.yaml"]], ids=" ".join
)
def test_an_input_is_never_written_over(pod: Path, arguments: list[str]) -> None:
    ran = advisor("lint", ".", *arguments, cwd=pod)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"advisor: {' '.join(arguments[-2:])}: is one of the inputs (name another file)\n"
    assert (pod / "pod.yaml").read_text() == BAD


@pytest.mark.parametrize("format", ["text", "json", "sarif", "github", "gitlab", "junit", "markdown"])
def test_a_name_that_is_no_utf_8_costs_one_line(pod: Path, format: str) -> None:
    Path(os.fsdecode(bytes(pod) + b"/a\xff\x1b.yaml")).write_text(BAD)
    (pod / ".gitignore").write_text("*.log\n")
    ran = advisor("lint", ".", "--format", format, cwd=pod)
    assert ran.code == 1, ran.err
    assert "setting-replaced" in ran.out
    if format in ("text", "json", "sarif"):
        assert "its name is no UTF-8" in " ".join(ran.out.split())
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tab.yaml", "kind: Pod\n\timage: vllm/vllm-openai:v0.28.0\n"),
        ("conflict.yaml", BAD.replace("    args:\n", "<<<<<<< ours\n    args:\n=======\n>>>>>>> theirs\n")),
        ("broken.py", "from vllm import LLM\nLLM('m',\n"),
    ],
)
def test_what_cannot_be_read_is_never_clean(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    ran = advisor("lint", name, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, ""), ran.out
    assert f"advisor: {name}: nothing recognised: " in ran.err


def test_one_broken_file_does_not_hide_the_others(pod: Path) -> None:
    (pod / "tab.yaml").write_text("kind: Pod\n\timage: vllm/vllm-openai:v0.28.0\n")
    ran = advisor("lint", ".", cwd=pod)
    assert ran.code == 1
    assert "1 file not read in full" in ran.out


@pytest.mark.parametrize("what", ["pipe", "/dev/zero"])
def test_what_may_never_end_is_refused(tmp_path: Path, what: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    ran = advisor("lint", what, cwd=tmp_path)
    assert (ran.code, ran.err) == (
        2,
        f"advisor: {what}: is neither a file nor a folder (pipe it: … | advisor lint -)\n",
    )


def test_standard_input_is_linted_by_what_it_is_called(tmp_path: Path) -> None:
    ran = advisor("lint", "-", stdin=BAD, cwd=tmp_path)
    assert ran.code == 1
    assert "stdin:11:7: error setting-replaced" in ran.out
    command = "vllm serve m --disable-log-requests\n"
    assert advisor("lint", "-", stdin=command, cwd=tmp_path).code == 2
    assert "run.sh:1:1:" in advisor("lint", "-", "--stdin-filename", "run.sh", stdin=command, cwd=tmp_path).out


def test_standard_input_stands_beside_files(pod: Path) -> None:
    ran = advisor("lint", "pod.yaml", "-", "--format", "json", stdin=GOOD, cwd=pod)
    assert [one["name"] for one in json.loads(ran.out)["files"]] == ["stdin", "pod.yaml"]
    assert "--diff: nothing says" in advisor("lint", "-", "--diff", "HEAD", stdin=GOOD, cwd=pod).err


def test_an_empty_path_is_a_variable_that_is_not_set(pod: Path) -> None:
    ran = advisor("lint", "", cwd=pod)
    assert (ran.code, ran.err) == (2, "advisor: PATH: one of them is empty (a variable that is not set?)\n")


def test_a_hook_may_choose_files_with_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "ci.yaml").write_text("jobs: []\n")
    assert advisor("lint", "ci.yaml", cwd=tmp_path).code == 2
    assert advisor("lint", "--if-any", "ci.yaml", cwd=tmp_path).code == 0
    assert advisor("fix", "--write", "ci.yaml", cwd=tmp_path).code == 2
    assert advisor("fix", "--write", "--if-any", "ci.yaml", cwd=tmp_path).code == 0


def test_the_configuration_may_begin_with_a_byte_order_mark(pod: Path) -> None:
    (pod / "advisor.toml").write_text('\ufeff[lint]\nfail-on = "never"\n')
    assert advisor("lint", ".", cwd=pod).code == 0


def test_a_suppression_that_is_not_needed_names_what_lint_prints(pod: Path) -> None:
    annotated = GOOD.replace(
        "{name: server}", '{name: server, annotations: {advisor.dev/ignore.vllm.pp-broadcast-skew: "planned"}}'
    )
    (pod / "pod.yaml").write_text(annotated)
    assert "Nothing called vllm/pp-broadcast-skew" in " ".join(advisor("lint", ".", cwd=pod).out.split())


@pytest.mark.parametrize("name", ["guide.md", "guide.rst", "page.html", "change.patch"])
def test_prose_that_quotes_a_deployment_is_none(pod: Path, name: str) -> None:
    quoted = f"# Deploy it\n\n```yaml\n# advisor: ignore[setting-replaced] quoted\n{BAD}```\n\n@ the end\n"
    (pod / name).write_text(quoted)
    ran = advisor("lint", ".", "--format", "json", cwd=pod)
    report = json.loads(ran.out)
    assert [one["name"] for one in report["files"]] == ["pod.yaml"]
    assert {one["region"]["file"] for one in report["findings"]} == {"pod.yaml"}


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_read_whatever_its_order(tmp_path: Path, codec: str) -> None:
    (tmp_path / "pod.yaml").write_bytes(("\ufeff" + BAD).encode(codec))
    ran = advisor("lint", ".", "--format", "json", cwd=tmp_path)
    assert "setting-replaced" in {one["id"] for one in ran.report["findings"]}


def test_a_baseline_of_nothing_recognised_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text("kept")
    ran = advisor("lint", ".", "--write-baseline", "base.json", cwd=tmp_path)
    assert ran.code == 2 and "nothing recognised" in ran.err
    assert (tmp_path / "base.json").read_text() == "kept"


def test_a_baseline_says_how_much_it_holds_and_which_option_named_a_missing_one(pod: Path) -> None:
    ran = advisor("lint", ".", "--write-baseline", "base.json", cwd=pod)
    assert ran.code == 0 and ran.err.startswith("base.json: ") and " written\n" in ran.err
    ran = advisor("lint", ".", "--baseline", "nosuch.json", cwd=pod)
    assert ran.code == 2 and ran.err.startswith("advisor: --baseline nosuch.json: no such file")


def test_an_interrupted_run_of_several_processes_ends_at_once_and_in_silence(tmp_path: Path) -> None:
    for number in range(400):
        folder = tmp_path / f"d{number % 40}"
        folder.mkdir(exist_ok=True)
        (folder / f"pod{number}.yaml").write_text(BAD.replace("name: ", f"name: a{number}-", 1))
    running = subprocess.Popen(
        [sys.executable, "-m", "advisor", "lint", ".", "--jobs", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    time.sleep(0.9)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=20)
    assert running.returncode in (130, 1)  # 1: it was done already
    assert b"Traceback" not in err
