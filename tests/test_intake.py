"""What is handed over is recognised by its content and split where it mixes kinds."""

from pathlib import Path

import pytest

from advisor import intake
from advisor.intake import inputs, texts
from advisor.jobs.assemble import assemble
from advisor.jobs.request import Request
from advisor.model.fact import Artifact

DATA = Path(__file__).parent / "evidence" / "data"

ISSUE = """\
[Bug] Two ranks wedge

It ran for hours and then froze, see below.

TP1 py-spy:

```
Thread 648 (idle): "MainThread"
    broadcast (torch/distributed/distributed_c10d.py:2974)
```

Started with

```bash
python -m sglang.launch_server --model m --tp 2
```

and this is the end of the log:
[2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)
[2026-08-02 12:01:08] Received sigquit from a child process. It usually means the child failed.
Any idea? Thanks!
"""


def kinds(name: str, text: str) -> list[str]:
    return [one.kind for one in intake.take(name, text.encode()).artifacts]


def taken(name: str, text: str) -> list[Artifact]:
    return intake.take(name, text.encode()).artifacts


def test_an_issue_is_split_into_what_it_mixes():
    parts = {one.kind: one for one in taken("-", ISSUE)}
    assert set(parts) == {"text", "stack", "launch", "log"}
    assert parts["launch"].text.strip() == "python -m sglang.launch_server --model m --tp 2"
    assert parts["launch"].first_line == 15
    assert parts["log"].first_line == 19 and parts["log"].text.count("\n") == 1
    assert parts["stack"].text.startswith("TP1 py-spy:") and parts["stack"].first_line == 5


def test_a_part_points_into_the_original():
    for part in taken("-", ISSUE):
        if part.kind == "log":
            assert part.span(part.text.index("Received")).line == 20


def test_prose_stays_one_text_with_its_own_lines():
    (said,) = [one for one in taken("-", ISSUE) if one.kind == "text"]
    lines = said.text.split("\n")
    assert lines[2].startswith("It ran for hours") and lines[20] == "Any idea? Thanks!"
    assert "watchdog timeout" not in said.text and "launch_server" not in said.text


def test_the_same_issue_flattened_onto_one_line():
    flat = " ".join(ISSUE.split("\n")[:16])
    parts = {one.kind: one for one in taken("-", flat)}
    assert {"text", "stack"} <= set(parts)
    assert all(one.first_line == 1 for one in parts.values())


@pytest.mark.parametrize(
    ("path", "kind", "rank"),
    [
        ("tp_divergence/pyspy_native_rank1.txt", "stack", "1"),
        ("tp_divergence/pyspy_second_rank0.txt", "stack", "0"),
        ("tp_divergence/rank0.log", "log", "0"),
        ("oom/rank1.log", "log", "1"),
        ("tp_divergence/nvidia-smi.txt", "machine", None),
        ("tp_divergence/nvidia-smi-q.txt", "machine", None),
        ("tp_divergence/dmon.txt", "machine", None),
        ("tp_divergence/maps_rank1.txt", "machine", "1"),
        ("tp_divergence/nccl_ras.txt", "machine", None),
        ("tp_divergence/fr_rank_0", "binary", "0"),  # cut short
        ("README.md", "text", None),
    ],
)
def test_captures(path, kind, rank):
    (artifact,) = intake.take(path, (DATA / path).read_bytes()).artifacts
    assert (artifact.kind, artifact.rank) == (kind, rank)


def test_a_log_is_known_by_its_content_and_not_by_its_name():
    for name in ("a.log", "-", "notes.md", "x"):
        assert kinds(name, (DATA / "oom/rank0.log").read_text()) == ["log"]


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/bash\nset -e\nexport NCCL_DEBUG=INFO\nvllm serve m --tensor-parallel-size 2\n",
        "--tp 2 --enable-dp-attention",
        "python3 -m sglang.launch_server --model-path m --tp 2 \\\n  --speculative-algorithm EAGLE\n",
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  containers:\n    - name: vllm\n      image: vllm/vllm-openai:v0.11.0\n",
        "services:\n  sglang:\n    image: lmsysorg/sglang:v0.5.16\n    command: python3 -m sglang.launch_server --tp 2\n",
        "from lmdeploy import pipeline, PytorchEngineConfig\npipe = pipeline('m', PytorchEngineConfig(tp=2))\n",
    ],
)
def test_launches(text):
    assert kinds("given", text) == ["launch"]


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "[pod/vllm-0/server] ",
        "vllm-1  | ",
        "[default0]:",
        "[1,0]<stderr>:",
        "2026-09-03T07:00:00.123Z stderr F ",
        "(RayWorkerWrapper pid=7, ip=192.0.2.2) ",
    ],
)
def test_a_log_keeps_its_kind_behind_a_runners_prefix(prefix):
    line = f"{prefix}[2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)"
    assert kinds("-", f"It froze.\n{line}\n") == ["text", "log"]


def test_a_script_inside_prose_stays_whole():
    script = '#!/usr/bin/env bash\nset -euo pipefail\n\nBIN=${BIN:?}\nargs=(\n  --model "$M"\n  --nnodes=2\n)\n\nX=1 \\\n  "$BIN" "${args[@]}" &\nwait\n'
    parts = [one for one in taken("-", f"复现步骤\n\n1. 启动服务\n\n{script}\n2. 发送请求\n") if one.kind == "launch"]
    assert [one.text.strip() for one in parts] == [script.strip()]


@pytest.mark.parametrize(
    "text",
    [
        "The server hangs after an hour; GPUs at 100 %.",
        "服务卡住，两个 rank 都活着，没有报错。",
        "We pass --tensor-parallel-size 8 and it dies.",
        "| a | b |\n|---|---|\n| Hardware | NVIDIA H200 |\n",
        "1. Start it (see launch.sh)\n2. Error: it stops\n",
    ],
)
def test_prose(text):
    assert kinds("--symptom", text) == ["text"]


@pytest.mark.parametrize(
    "line",
    [
        "custom_all_reduce.cuh:310 'invalid argument'",
        "backend_xgrammar.py: Failed to advance FSM for request <id> for tokens 4754",
        "ERROR [backend_xgrammar.py:167] Failed to advance FSM for request chatcmpl-1 for tokens 271.",
        "[sgl_kernel] CRITICAL: Could not load any common_ops library!",
        "cudaErrorLaunchFailure: unspecified launch failure",
        "EngineCore failed to start: Worker proc VllmWorker-0 died unexpectedly",
    ],
)
def test_a_lone_line_that_only_a_machine_prints(line):
    assert kinds("-", f"It stops at once.\n{line}\n") == ["text", "log"]


def test_a_users_word_for_the_kind_is_taken():
    assert [one.kind for one in intake.take("x", b"anything at all", kind="log").artifacts] == ["log"]
    assert {one.kind for one in intake.take("--symptom 2", ISSUE.encode(), kind="text").artifacts} >= {"text", "stack"}


def test_nothing():
    assert kinds("x", "") == kinds("-", " \n ") == ["empty"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x80\x02}q\x00X\x09\x00\x00\x00pg_configq\x01cos\nsystem\n.", "flight-recorder"),
        (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00cos\nsystem\n\x94.", "pickle"),
        (b"\x7fELF\x02\x01\x01", "core dump"),
        (b"abc\0\0def", "binary"),
    ],
)
def test_what_is_not_text_is_said_and_not_opened(data, says):
    found = intake.take("given", data)
    assert [one.kind for one in found.artifacts] == ["binary"]
    assert [note.kind for note in found.notes] == ["unreadable"] and says in found.notes[0].text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding):
    assert "卡住" in intake.take("x", "服务卡住\n".encode(encoding)).artifacts[0].text


def test_bytes_that_are_no_utf8_are_replaced():
    assert intake.take("x", b"it hangs \xff\xfe here").artifacts[0].text == "it hangs �� here"


def test_colours_and_progress_bars_go_and_lines_stay():
    raw = "\x1b[36m(EngineCore pid=9)\x1b[0m INFO 10-06 04:51:05 [a.py:1] one\r\n\r 10%|#\r100%|##\nINFO 10-06 04:51:06 [a.py:1] three\n"
    (log,) = taken("x.log", raw)
    assert log.text.split("\n")[:3] == [
        "(EngineCore pid=9) INFO 10-06 04:51:05 [a.py:1] one",
        "100%|##",
        "INFO 10-06 04:51:06 [a.py:1] three",
    ]


def test_caps_are_said(monkeypatch):
    monkeypatch.setattr(inputs, "MAX_BYTES", 100)
    found = intake.take("x.log", b"INFO 10-06 04:51:05 [a.py:1] one\n" * 10)
    assert [note.kind for note in found.notes] == ["limit"]
    assert found.artifacts[0].text.endswith("one\n") and len(found.artifacts[0].text) <= 100


def test_a_long_line_is_cut_and_said():
    found = intake.take(
        "x.log", b"INFO 10-06 04:51:05 [a.py:1] " + b"x" * 50_000 + b"\nINFO 10-06 04:51:06 [a.py:1] two\n"
    )
    assert [note.kind for note in found.notes] == ["limit"]
    assert [len(line) for line in found.artifacts[0].text.split("\n")] == [texts.MAX_LINE, 32, 0]


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("logs/rank0.log", "0"),
        ("pyspy_native_rank11.txt", "11"),
        ("stack_TP1.txt", "TP1"),
        ("worker-DP0-TP3.log", "DP0 TP3"),
        ("frank.log", None),
        ("server.log", None),
        ("http1.log", None),
    ],
)
def test_a_name_may_speak_of_a_rank(name, rank):
    assert intake.rank_of_name(name) == rank


def test_what_nobody_would_write_by_hand_is_a_log():
    assert kinds("-", "some unknown shape of line it is\n" * 150_000) == ["log"]
    assert kinds("x", '{"level":"info","ts":"2026-01-01T00:00:00Z","msg":"started"}\n' * 3) == ["log"]


def test_hostile_pastes_take_no_time():
    for text in (
        "```" * 20_000,
        "~~~ ```" * 10_000,
        "a (" * 20_000,
        "(" * 50_000,
        "x_y\n" * 20_000,
        "--a " * 20_000,
        "[[[" * 20_000,
        'File "' * 10_000,
    ):
        intake.take("-", text.encode())


def test_very_many_fences_are_read_as_one_text_from_somewhere_on():
    found, notes = intake.take("paste.md", b"It hangs.\n```\nx\n```\n" * 3000)
    assert len(found) < 600
    assert [note.kind for note in notes] == ["limit"] and "it was read as one text" in notes[0].text
    assert notes[0].span and notes[0].span.line > 100


@pytest.mark.parametrize("rubbish", [b"\0" * 4096, bytes(range(256)) * 4])
def test_a_log_with_a_block_of_rubbish_is_still_read(rubbish):
    rows = (DATA / "tp_divergence" / "rank0.log").read_bytes()
    found = intake.take("rank0.log", rows[:2000] + rubbish + rows[2000:])
    assert [one.kind for one in found.artifacts] == ["log"]
    assert [note.text for note in found.notes if "damaged" in note.text]
    assert "Watchdog caught collective operation timeout" in found.artifacts[0].text


@pytest.mark.parametrize("data", [b"\0" * 9000, bytes(range(256)) * 40, b"SQLite format 3\0" + b"\0\1\2a" * 900])
def test_what_is_no_text_is_not_read_as_damaged_text(data):
    assert [one.kind for one in intake.take("x", data).artifacts] == ["binary"]


@pytest.mark.parametrize(
    ("flags", "fact"),
    [
        ("tp_size=4, HiCache storage backend", "cache.hierarchical"),
        ("--pp-size 2, tool calls with response_format", "requests.structured"),
        ("PP2, PD 分离", "deployment.disaggregated"),
    ],
)
def test_words_among_the_flags_say_something_too(flags: str, fact: str) -> None:
    case, _ = assemble(Request(engine="sglang", flags=(flags,), strict=False))
    assert fact in {one.name for one in case.facts}
    assert any(one.kind == "text" and one.name == "--flags" for one in case.artifacts)


@pytest.mark.parametrize(
    "flags",
    [
        "--tp 8 --enable-hierarchical-cache",
        "vllm serve some-model --tensor-parallel-size 2",
        "-tp 2 -pp 4",
        "python -m sglang.launch_server --model-path m",
    ],
)
def test_a_plain_command_line_is_no_words(flags: str) -> None:
    case, _ = assemble(Request(engine="sglang", flags=(flags,), strict=False))
    assert not [one for one in case.artifacts if one.kind == "text"]
