"""The door itself: exit codes, bad input in one line, batch, output files, the other commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests import readme
from tests.front_door import advisor, checked

ROOT = Path(__file__).parents[1]
FLAGS = "--pipeline-parallel-size 8 --tensor-parallel-size 1"


def one_line(err: str) -> str:
    lines = [line for line in err.splitlines() if line]
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--engine", "vlm", "--flags", FLAGS], ["--engine", "vlm", "did you mean vllm"]),
        (["--engine", "vllm", "--flags", '--model "Qwen/Qwen3 --tensor-parallel-size 4'], ["--flags", "quote"]),
        (["--engine", "vllm", "--version", "latest-ish!", "--flags", FLAGS], ["--version", "latest-ish!"]),
        (["--engine", "vllm", "--flags", FLAGS, "--log", "no-such.log"], ["no-such.log", "no such file"]),
        (["--engine", "vllm", "--flags", FLAGS, "--env", "NCCL_DEBUG"], ["--env", "NCCL_DEBUG", "NAME=value"]),
        (["--engine", "vllm", "--flags", FLAGS, "--component", "nccl"], ["--component", "nccl"]),
    ],
)
def test_bad_input_is_one_line_and_the_rest_is_still_used(arguments: list[str], parts: list[str]) -> None:
    ran = checked(*arguments)
    line = one_line(ran.err)
    assert ran.code == 2
    assert all(part in line for part in parts), line
    assert ran.report["settings"] or "quote" in line
    assert any(parts[-1].split()[0] in note for note in ran.report["coverage"]["notes"])


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["check"], ["nothing was given", "advisor diagnose"]),
        (["check", "--hardware", ""], ["--hardware", "names no hardware"]),
        (["check", "--engine", "vllm", "--engine", "sglang", "--flags", FLAGS], ["--engine", "twice", "check --help"]),
        (["upgrade", "--engine", "vllm", "--engine", "sglang", "--from", "0.28.0"], ["--engine", "twice"]),
        (["check", "-V", "0.28.0", "--version", "0.29.0"], ["--version", "twice"]),
        (["lint", "no-k8s/", "no-charts/"], ["no-k8s", "no-charts", "no such file or folder"]),
        (["fix", "no-k8s/"], ["no such file or folder", "no rule 'no-k8s/'"]),
        (["fix", "no-k8s/", "no-charts/"], ["no-k8s", "no-charts"]),
        (["verify", "Makefile"], ["Makefile: is evidence", "advisor verify RULE"]),
        (["explain", "vllm/pp-broadcst"], ["(nearest: vllm/pp-broadcast-skew)"]),
        (["rules", "new", "vllm/our-hang", "--rules", "/no/such/folder"], ["no such folder", "of your own first"]),
        (["check", "no-such.log"], ["no-such.log", "no such file"]),
        (["check", "--output", "/no/such/folder/x", "--engine", "vllm", "--flags", FLAGS], ["cannot be written"]),
        (["check", "--no-such-option"], ["--no-such-option"]),
        (["check", "--format", "yaml", "--engine", "vllm"], ["yaml"]),
        (["explain", "vllm/no-such-rule"], ["no rule", "vllm/no-such-rule"]),
        (["rules", "validate", "--rules", "/no/such/folder"], ["no such folder"]),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(arguments: list[str], parts: list[str]) -> None:
    ran = advisor(*arguments)
    line = one_line(ran.err)
    assert ran.code == 2
    assert ran.out == ""
    assert all(part in line for part in parts), line


def test_every_file_that_is_not_there_is_said() -> None:
    ran = advisor("check", "no-such.log", "nor-this.log")
    assert ran.code == 2
    assert [line.split(":")[1].strip() for line in ran.err.splitlines()] == ["no-such.log", "nor-this.log"]


def test_of_a_command_that_is_none_no_help_is_offered() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "advisor", "chek"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "Did you mean 'check'" in ran.stderr and "(advisor --help shows the commands)" in ran.stderr


def test_where_two_of_a_kind_are_usual_the_last_holds() -> None:
    assert advisor("check", "--engine", "vllm", "--format", "json", "--format", "text").out.startswith("No documented")


def test_lines_are_counted_as_an_editor_numbers_them(tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    for text, lines in (("one hang\ntwo\n", 2), ("one hang\ntwo", 2), ("one hang\n\n", 2)):
        log.write_text(text)
        report = checked(str(log), "--flags", "vllm serve x -tp 2\n").report
        assert [one["lines"] for one in report["coverage"]["inputs"]] == [lines, 1], text


@pytest.mark.parametrize(
    ("version", "label"),
    [("0.28", "vllm 0.28.0 or later, before 0.29"), ("0.28.0", "vllm 0.28.0"), ("", "vllm, build not given")],
)
def test_a_release_that_is_half_said_is_not_called_not_given(version: str, label: str) -> None:
    assert checked("--engine", "vllm", "--version", version).report["build"]["label"] == label


DIGITS = "9" * 4400  # more than Python makes a number of


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--engine", "vllm", "--flags", f"{FLAGS} --max-model-len {DIGITS}"],
        ["check", "--engine", "vllm", "--flags", f"{FLAGS} --max-model-len {DIGITS}k"],
        ["check", "--engine", "vllm", "--flags", FLAGS, "--component", f"nccl={DIGITS}"],
        ["check", "--engine", "vllm", "--flags", FLAGS, "--component", f"torch={DIGITS}.0"],
        ["flags", "vllm", f"{DIGITS}.0"],
        ["flags", "diff", "vllm", "0.28.0", DIGITS],
    ],
    ids=["flag", "size", "nccl", "torch", "flags", "diff"],
)
def test_a_number_without_end_is_no_defect_of_ours(arguments: list[str]) -> None:
    ran = advisor(*arguments)
    assert ran.code in (0, 1, 2), ran.err
    assert "defect" not in ran.err


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    assert "no files in this folder" in one_line(advisor("check", str(tmp_path)).err)


@pytest.mark.parametrize("form", ["folder", "archive"])
def test_a_folder_and_an_archive_of_captures_say_what_is_going_on(form: str, tmp_path: Path) -> None:
    captures = tmp_path / "captures"
    captures.mkdir()
    for name in ("rank0.stack.txt", "rank1.stack.txt", "scheduler.log"):
        (captures / name).write_bytes((ROOT / "docs" / "demo" / name).read_bytes())
    if form == "archive":
        with tarfile.open(tmp_path / "captures.tgz", "w:gz") as archive:
            archive.add(captures, "captures")
        captures = tmp_path / "captures.tgz"
    ran = checked(str(captures))
    assert {"0", "1"} <= {rank for one in ran.report["situation"] for rank in one["ranks"]}
    assert all(place for one in ran.report["situation"] for place in one["places"])
    assert len(ran.report["coverage"]["inputs"]) == 3


def test_an_empty_file_is_nothing_recognised(tmp_path: Path) -> None:
    (tmp_path / "empty.log").write_text("")
    ran = advisor("check", str(tmp_path / "empty.log"))
    assert ran.code == 2
    assert "empty.log" in one_line(ran.err)


def test_exit_codes_follow_the_threshold_not_the_format() -> None:
    case = ["check", "--engine", "vllm", "--version", "0.28.0", "--flags"]
    exposed = [*case, FLAGS + """ --speculative-config '{"method":"dspark","num_speculative_tokens":5}'"""]
    for form in ("text", "json", "markdown"):
        assert advisor(*exposed, "--format", form).code == 1
        assert advisor(*exposed, "--format", form, "--fail-on", "matched").code == 0
        assert advisor(*exposed, "--format", form, "--fail-on", "never").code == 0
        assert advisor(*case, "--tensor-parallel-size 2", "--format", form).code == 0


def test_output_goes_to_the_file_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    ran = checked("--engine", "vllm", "--flags", FLAGS, "--output", str(file))
    assert ran.out == ""
    assert json.loads(file.read_text())["schema"] == "advisor-report/1"
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]


def test_output_never_replaces_what_is_not_a_plain_file(tmp_path: Path) -> None:
    case = ("--engine", "vllm", "--flags", FLAGS)
    target, link, pipe = tmp_path / "target.json", tmp_path / "link.json", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    assert checked(*case, "-o", str(link)).code == 0
    assert link.is_symlink() and json.loads(target.read_text())["schema"] == "advisor-report/1"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert checked(*case, "-o", str(pipe)).code == 0
    assert b"advisor-report/1" in reader.communicate(timeout=20)[0]
    assert pipe.is_fifo()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.json", "pipe", "target.json"]


def test_output_onto_an_input_a_folder_or_nothing_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "rank0.log"
    log.write_text("RuntimeError: DeepEP error: timeout (dispatch CPU)\n")
    for output in (str(log), str(tmp_path), ""):
        ran = advisor("check", "--engine", "vllm", str(log), "-o", output)
        assert ran.code == 2
        one_line(ran.err)
    assert log.read_text().startswith("RuntimeError")
    assert [one.name for one in tmp_path.iterdir()] == ["rank0.log"]


def test_a_full_or_closed_standard_output_is_one_line() -> None:
    command = f"{sys.executable} -m advisor check --engine vllm --flags=-tp=2"
    for redirect in (">/dev/full", ">&-"):
        done = subprocess.run(f"{command} {redirect}", shell=True, capture_output=True, check=False, cwd=ROOT)
        assert done.returncode == 2, redirect
        one_line(done.stderr.decode())


def test_the_engine_is_taken_from_what_the_user_says_before_flags_are_read() -> None:
    ran = checked("-V", "0.5.16", "--symptom", "sglang hangs", "--flags", "--tp 2 --speculative-algorithm DSPARK")
    assert ran.statuses()["sglang/spec-tp-state-divergence"] == "likely"
    paste = (
        "python -m sglang.launch_server --model-path m --tp 4 --speculative-algorithm DSPARK\nIt hangs after an hour.\n"
    )
    assert checked("-V", "0.5.16", "-", stdin=paste).statuses()["sglang/spec-tp-state-divergence"] == "likely"


def test_another_engines_command_is_left_aside_and_said() -> None:
    ran = checked("--engine", "sglang", "--flags", "vllm serve x -pp 8")
    assert any("starts vllm" in note for note in ran.report["coverage"]["notes"])
    assert ran.report["settings"] == []


@pytest.mark.parametrize("rules", ["test vllm/nope", "validate --rules {}", "test --rules {}"])
def test_rules_that_are_not_there_are_said(rules: str, tmp_path: Path) -> None:
    ran = advisor("rules", *rules.format(tmp_path).split())
    assert ran.code == 2 or "lacks" in ran.out or "0 cases" in ran.out
    if ran.code == 2:
        one_line(ran.err)


def test_the_same_input_gives_the_same_bytes() -> None:
    case = (
        "check",
        "--engine",
        "vllm",
        "--version",
        "0.28.0",
        "--flags",
        FLAGS,
        "--symptom",
        "it hangs",
        "--format",
        "json",
    )
    assert advisor(*case).out == advisor(*case).out


BATCH = [
    {"id": "a", "engine": "lmdeploy", "version": "0.14.0", "launch": "--backend pytorch --dp 2 --ep 2 --speculative-algorithm qwen3_5_mtp", "env": "", "hardware": "", "symptom": "", "log": "RuntimeError: DeepEP error: timeout (dispatch CPU)"},
    {"id": "b", "engine": "", "version": "", "launch": "", "env": "", "hardware": "", "symptom": "", "log": ""},
    {"id": "c", "engine": "tpu-thing", "version": "??", "launch": "it's \"broken", "env": "no equals", "hardware": "a box", "symptom": "慢", "log": "\x00\x1b[31mred"},
]  # fmt: skip


def test_batch_gives_one_report_a_line_in_order(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in BATCH))
    ran = advisor("check", "--batch", str(file))
    reports = [json.loads(line) for line in ran.out.splitlines()]
    assert [one["id"] for one in reports] == ["a", "b", "c"]
    assert reports[0]["findings"][0]["rule"] == "lmdeploy/mtp-dp-meta"
    assert reports[0]["findings"][0]["status"] == "matched"
    assert not [one for report in reports[1:] for one in report["findings"] if one["status"] == "matched"]
    assert ran.err.startswith(f"advisor: {file}:3: unknown engine 'tpu-thing': known engines: lmdeploy, ")
    assert ran.code == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": "vlm"}, "unknown engine 'vlm': did you mean vllm?"),
        ({"engine": "sglng"}, "unknown engine 'sglng': did you mean sglang?"),
        ({"engine": 3}, "not text: engine"),
        ({"launchh": "-tp 8"}, "unknown key 'launchh': did you mean launch?"),
        ({"colour": "red"}, "unknown key 'colour': keys are id engine version launch env hardware symptom log"),
    ],
)
def test_a_batch_line_with_a_slip_is_said_in_a_line_and_the_others_are_judged(given: dict[str, Any], said: str) -> None:
    lines = [{"id": "slip", **given}, BATCH[0]]
    ran = advisor("check", "--batch", "-", stdin="\n".join(map(json.dumps, lines)))
    reports = [json.loads(line) for line in ran.out.splitlines()]
    assert [(one["id"], bool(one["findings"])) for one in reports] == [("slip", False), ("a", True)]
    assert reports[0]["coverage"]["notes"] == [said]
    assert (ran.code, ran.err) == (2, f"advisor: -:1: {said}\n")


def test_a_batch_line_that_is_no_case_keeps_its_place_and_is_said(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    deep = "[" * 50_000
    file.write_text(f'{{"id": "a", "engine": "vllm"}}\nnot json\n[1]\n{{"id": "d"}}\n{deep}\n{{"id": 7, "log": [1]}}\n')
    ran = advisor("check", "--batch", str(file))
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ["a", "", "", "d", "", "7"]
    assert ran.code == 2
    assert "cases.jsonl:5" in ran.err and "cases.jsonl:6" in ran.err
    assert "cases.jsonl:2" in ran.err and "cases.jsonl:3" in ran.err and "Traceback" not in ran.err


def test_batch_reads_standard_input() -> None:
    ran = advisor("check", "--batch", "-", stdin=json.dumps(BATCH[1]) + "\n")
    assert json.loads(ran.out)["id"] == "b"


def test_only_a_line_feed_ends_a_line_of_a_batch(tmp_path: Path) -> None:
    """JSON may hold the line ends of other alphabets as they are; files begin with a mark of their encoding."""
    cases = [
        {"id": f"{ord(end)}", "engine": "vllm", "symptom": f"it hangs{end}then dies"} for end in "\u2028\u2029\x85"
    ]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\r\n" for one in cases)
    (tmp_path / "cases.jsonl").write_bytes(b"\xef\xbb\xbf" + lines.encode())
    ran = advisor("check", "--batch", str(tmp_path / "cases.jsonl"))
    assert [json.loads(line)["id"] for line in ran.out.split("\n") if line] == ["8232", "8233", "133"] and not ran.err


def test_explain_finds_a_rule_by_id_slug_and_thread() -> None:
    pages = {advisor("explain", name).out for name in ("vllm/pp-broadcast-skew", "pp-broadcast-skew", "#53402")}
    assert len(pages) == 1
    assert "66" in pages.pop()


def test_a_rule_s_page_can_be_had_as_markdown() -> None:
    page = advisor("explain", "pp-broadcast-skew", "--format", "markdown").out
    assert page.startswith("# vllm/pp-broadcast-skew\n") and "\n## What happens\n" in page
    assert page.count("```") % 2 == 0 and "- vllm/pp-spec-sample-width: " in page


def test_rules_list_validate_and_test() -> None:
    listed = advisor("rules", "list")
    assert listed.code == 0 and "any/nccl-proxy-slot-leak-arm" in listed.out
    assert advisor("rules", "validate").code == 0
    ran = advisor("rules", "test", "xllm/shm-h2d-graph-race")
    assert ran.code == 0 and "0 failed" in ran.out


def test_the_vocabulary_page_is_in_step() -> None:
    page = Path(__file__).parents[1] / "docs" / "vocabulary.md"
    assert page.read_text() == advisor("rules", "facts").out, "advisor rules facts > docs/vocabulary.md"


def test_the_readme_shows_the_report_that_the_demo_prints() -> None:
    assert readme.printed().startswith(readme.shown()), "run python -m tests.readme"


def test_a_malformed_rule_is_said_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "rules" / "vllm" / "broken"
    folder.mkdir(parents=True)
    (folder / "rule.yaml").write_text("id: vllm/other\nsummary: 3\nlevel: fatal\nsymptoms: {signature: {lgo: x}}\n")
    ran = advisor("rules", "validate", "--rules", str(tmp_path / "rules"))
    assert ran.code == 1 and ran.err == ""
    for part in ("rule.yaml:2: ", "rule.yaml:3: ", "rule.yaml:4: "):
        assert part in ran.out, ran.out


def test_the_schema_is_published_and_reports_keep_to_it() -> None:
    import jsonschema

    schema = json.loads(advisor("schema").out)
    jsonschema.validate(checked("--engine", "vllm", "--flags", FLAGS).report, schema)


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint", "tests/deployments/kubernetes"),
        ("fix", "tests/deployments/kubernetes"),
        ("upgrade", "tests/deployments/kserve/serving-runtime.yaml"),
        ("upgrade", "--engine", "vllm", "--from", "0.28.0", "--flags", FLAGS),
    ],
)
def test_every_contract_is_published_and_kept(arguments: tuple[str, ...]) -> None:
    import jsonschema

    schema = json.loads(advisor("schema", arguments[0]).out)
    found = json.loads(advisor(*arguments, "--format", "json", cwd=ROOT).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert found["schema"] == schema["title"] == f"advisor-{arguments[0]}/1"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "schema": "advisor-x/2"}, schema)


def test_help_shows_an_example_of_use() -> None:
    assert "check" in advisor("--help").out
    assert "--flags" in advisor("check", "--help").out


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (("--symptom", "requests hang for ever"), ["build", "launch", "log", "stacks"]),
        (("--symptom", "answers are garbage"), ["build", "launch", "log"]),
        (("--flags", "vllm serve m --port 8000", "--version", "0.28.0"), ["symptom"]),
    ],
)
def test_where_nothing_stands_out_what_is_missing_is_asked_for(given, asked):
    report = advisor("check", *given, "--format", "json").report
    assert [one["about"] for one in report["questions"]] == asked


def test_the_build_is_asked_for_with_a_command_that_runs():
    (known,) = (one["how"] for one in _questions("--engine", "lmdeploy") if one["about"] == "build")
    (unknown,) = (one["how"] for one in _questions() if one["about"] == "build")
    assert known.startswith("pip show lmdeploy ") and "vllm|sglang|lmdeploy|xllm" in unknown


def _questions(*given: str):
    return advisor("check", *given, "--symptom", "requests hang for ever", "--format", "json").report["questions"]


PACKAGES = "accelerate==1.2.0\n{}torch==2.11.0\nnvidia-nccl-cu13==2.28.9\n"


@pytest.mark.parametrize(
    ("listed", "given", "label"),
    [
        ("vllm==0.28.0\n", (), "vllm 0.28.0"),
        ("vllm==0.28.0\n", ("--version", "0.27.0"), "vllm 0.27.0"),
        ("vllm==0.28.0\nsglang==0.5.16\n", (), "unknown engine, build not given"),
        ("vllm==0.28.0\nsglang==0.5.16\n", ("--engine", "sglang"), "sglang 0.5.16"),
        ("", (), "unknown engine, build not given"),
    ],
)
def test_a_list_of_packages_says_which_build_is_installed(tmp_path, listed, given, label):
    (tmp_path / "pip.txt").write_text(PACKAGES.format(listed))
    report = advisor("check", str(tmp_path / "pip.txt"), *given, "--format", "json").report
    assert report["build"]["label"] == label
    assert report["build"]["components"]["nccl"] == "2.28.9"
    assert not report["unexplained"]


def test_what_the_user_says_helped_is_said_again() -> None:
    told = checked("--engine", "vllm", "--symptom", "It hangs; NCCL_P2P_DISABLE=1 makes it start")
    helped = [one for one in told.report["situation"] if one["kind"] == "helped"]
    assert [(one["says"], one["places"]) for one in helped] == [
        ("you say that NCCL_P2P_DISABLE=1 helped: with it the failure was gone", ["--symptom:1"])
    ]
    vain = checked("--engine", "vllm", "--symptom", "It hangs; tried NCCL_P2P_DISABLE=1, no change")
    assert not [one for one in vain.report["situation"] if one["kind"] == "helped"]


@pytest.mark.parametrize("format", ["json", "html"])
def test_the_same_input_gives_the_same_bytes_in_every_process(format: str, monkeypatch) -> None:
    report = next(Path("rules").glob("xllm/shm-h2d-graph-race/cases/fires-author-text/report.md"))
    printed = set()
    for seed in ("0", "2", "5"):  # three orders of a set
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        printed.add(advisor("check", str(report), "--format", format).out)
    assert len(printed) == 1
