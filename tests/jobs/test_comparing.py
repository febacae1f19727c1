"""What is handed over twice and not alike is said, whichever two sources it comes from; what is alike is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front_door import checked

BANNER = "(APIServer pid=1) INFO 08-02 12:01:07 [api_server.py:1896] vLLM API server version {}\n"
ARGS = "(APIServer pid=1) INFO 08-02 12:01:07 [utils.py:328] non-default args: {{'model': '{}', 'tensor_parallel_size': {}}}\n"
SGLANG = "[2026-08-02 12:01:07] server_args=ServerArgs(model_path='m', tp_size={})\n"
NCCL = "n:12:34 [0] NCCL INFO NCCL version {}+cuda12.8\n"
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - name: c\n"
    "    image: vllm/vllm-openai:v{}\n    args: [--model, m, --tensor-parallel-size, '{}']\n"
    "    env: [{{name: NCCL_DEBUG, value: '{}'}}]\n"
)
V, A = BANNER.format("0.11.0"), ARGS.format("m", 8)
SCRIPT = "#!/bin/sh\nvllm serve m --tensor-parallel-size {}\n"
Files = dict[str, str]

CONTRARY: dict[str, tuple[Files, list[str], str]] = {
    "two ranks, two versions": ({"rank0.log": V, "rank1.log": BANNER.format("0.11.1")}, [], "says vllm 0.11.0; judged as 0.11.1"),
    "a version given and one logged": ({"a.log": V}, ["--engine", "vllm", "--version", "0.12.0"], "says vllm 0.11.0; judged as 0.12.0"),
    "an image and a log": ({"pod.yaml": POD.format("0.10.0", 8, "INFO"), "a.log": V}, [], "says vllm 0.11.0; judged as 0.10.0"),
    "two images": ({"a.yaml": POD.format("0.10.0", 8, "INFO"), "b.yaml": POD.format("0.11.0", 8, "INFO")}, [], "says vllm 0.11.0; judged as 0.10.0"),
    "two engines": ({"a.log": V, "b.log": SGLANG.format(2)}, [], "Two engines are in this"),
    "an engine given and another's log": ({"a.log": V}, ["--engine", "sglang"], "These lines are of vllm, not of sglang"),
    "a command given and a log": ({"a.log": V + A}, ["--flags", "vllm serve m -tp 4"], "--tensor-parallel-size 8 (you give 4)"),
    "the same of sglang": ({"b.log": SGLANG.format(2)}, ["--flags", "python -m sglang.launch_server --model m --tp 8"], "--tp-size 2 (you give 8)"),
    "a script and a log": ({"run.sh": SCRIPT.format(4), "a.log": V + A}, [], "run.sh has 4): which of them ran?"),
    "a manifest and a log": ({"pod.yaml": POD.format("0.11.0", 4, "INFO"), "a.log": V + A}, [], "pod.yaml has 4): which of them ran?"),
    "a manifest and a command given": ({"pod.yaml": POD.format("0.11.0", 4, "INFO")}, ["--flags", "vllm serve m -tp 8"], "pod.yaml (you give 8)"),
    "two ranks, two sizes": ({"rank0.log": V + A, "rank1.log": V + ARGS.format("m", 4)}, [], "--tensor-parallel-size 8 of rank 0, 4 of rank 1"),
    "a manifest's variable and --env": ({"pod.yaml": POD.format("0.11.0", 8, "INFO")}, ["--env", "NCCL_DEBUG=WARN"], "NCCL_DEBUG=INFO here and NCCL_DEBUG=WARN by --env"),
    "a variable twice": ({"a.log": V}, ["--env", "NCCL_DEBUG=WARN", "--env", "NCCL_DEBUG=INFO"], "NCCL_DEBUG=WARN here and NCCL_DEBUG=INFO by --env"),
    "a model given and another launched": ({"a.log": V}, ["--flags", "vllm serve Qwen/Qwen3-8B", "--model", "deepseek-ai/DeepSeek-V3"], "what is launched is Qwen/Qwen3-8B"),
    "a library in two logs": ({"rank0.log": V + NCCL.format("2.27.3"), "rank1.log": NCCL.format("2.28.9")}, [], "nccl is given in 2 versions"),
    "a library given and one logged": ({"a.log": V + NCCL.format("2.27.3")}, ["--component", "nccl=2.28.9"], "nccl is given in 2 versions"),
}  # fmt: skip
ALIKE: dict[str, tuple[Files, list[str]]] = {
    "ranks": ({"rank0.log": V + A, "rank1.log": V + A}, []),
    "a manifest and its log": (
        {"pod.yaml": POD.format("0.11.0", 8, "INFO"), "a.log": V + A},
        ["--env", "NCCL_DEBUG=INFO"],
    ),
    "one of two roles": ({"a.sh": SCRIPT.format(8), "b.sh": SCRIPT.format(4), "a.log": V + A}, []),
    "a model by its folder": ({"a.log": V}, ["--flags", "vllm serve /models/Qwen3-8B", "--model", "Qwen/Qwen3-8B"]),
    "what a shell fills in": ({"run.sh": "#!/bin/sh\nvllm serve m --tensor-parallel-size $TP\n", "a.log": V + A}, []),
}


def said(files: Files, options: list[str], place: Path) -> list[str]:
    for name, text in files.items():
        (place / name).write_text(text)
    report = checked(str(place), *options).report
    return [*report["coverage"]["notes"], *(one["says"] for one in report["discrepancies"])]


@pytest.mark.parametrize("what", CONTRARY)
def test_what_contradicts_itself_is_said(what: str, tmp_path: Path) -> None:
    files, options, expected = CONTRARY[what]
    found = said(files, options, tmp_path)
    assert any(expected in one for one in found), found


@pytest.mark.parametrize("what", ALIKE)
def test_what_is_alike_is_not(what: str, tmp_path: Path) -> None:
    found = said(*ALIKE[what], tmp_path)
    assert not [
        one for one in found if "you " in one or "which of them" in one or "ranks were" in one or "--env" in one
    ]
