"""What is handed over twice and not alike is said, whichever two sources it comes from; what is alike is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.render.below import told
from advisor.render.language import speaking
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
EAGER = ARGS.replace("{}}}", "{}, 'enforce_eager': True}}")
SCRIPT = "#!/bin/sh\nvllm serve m --tensor-parallel-size {}\n"
SMI = (
    "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |\n"
    "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |\n"
    "|   1  NVIDIA H100 80GB HBM3          On  |   00000000:3B:00.0 Off |                    0 |\n"
)
SPY = (
    "Process 4321: /usr/bin/python3 /usr/local/bin/vllm serve m {}\nPython v3.12.3 (/usr/bin/python3.12)\n\n"
    'Thread 4321 (idle): "MainThread"\n    poll (selectors.py:415)\n    run_busy_loop (vllm/v1/engine/core.py:700)\n'
)
Files = dict[str, str]
HAN = re.compile("[\u4e00-\u9fff]")

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
    "a flag logged and not in the script": ({"run.sh": SCRIPT.format(8), "a.log": V + EAGER.format("m", 8)}, [], "run.sh has none): which of them ran?"),
    "a flag logged and not given": ({"a.log": V + EAGER.format("m", 8)}, ["--flags", "vllm serve m -tp 8"], "--enforce-eager True (you give none)"),
    "a flag given and not logged": ({"a.log": V + A}, ["--flags", "vllm serve m -tp 8 --enforce-eager --max-num-seqs 17"], "no --enforce-eager (you give True), no --max-num-seqs (you give 17)"),
    "a flag in the script and not logged": ({"run.sh": SCRIPT.format("8 --seed 7"), "a.log": V + A}, [], "run.sh has 7): which of them ran?"),
    "a flag twice": ({}, ["--engine", "vllm", "--flags", "vllm serve m -tp 8 --tensor-parallel-size 4"], "one command has --tensor-parallel-size 8 and then 4: the last holds"),
    "a switch on and off": ({}, ["--engine", "vllm", "--flags", "vllm serve m --enable-prefix-caching --no-enable-prefix-caching"], "--enable-prefix-caching True and then False"),
    "a flag twice in a script": ({"run.sh": SCRIPT.format("8 -tp 2")}, [], "--tensor-parallel-size 8 and then 2: the last holds"),
    "a process and a command given": ({"s.txt": SPY.format("--tensor-parallel-size 4")}, ["--flags", "vllm serve m -tp 8"], "the process that was looked at has --tensor-parallel-size 4 (you give 8)"),
    "a process without a flag given": ({"s.txt": SPY.format("-tp 8")}, ["--flags", "vllm serve m -tp 8 --enforce-eager"], "looked at has no --enforce-eager (you give True)"),
    "a card given and another seen": ({"smi.txt": SMI}, ["--engine", "vllm", "--hardware", "2x A100"], "what was seen is H100 (you say A100); judged by that"),
    "a vendor given and another seen": ({"smi.txt": SMI}, ["--engine", "vllm", "--hardware", "2 Ascend NPUs"], "what was seen is nvidia (you say ascend)"),
    "more cards than were seen": ({"smi.txt": SMI}, ["--engine", "vllm", "--hardware", "8x H100"], "2 accelerators (you say 8: is this one of several nodes?)"),
    "a driver given and another seen": ({"smi.txt": SMI}, ["--engine", "vllm", "--component", "driver=535.1"], "driver 550.54.15 (you say 535.1)"),
    "an engine given and another's command": ({}, ["--engine", "vllm", "--flags", "python -m sglang.launch_server --model m"], "this starts sglang, the case is judged as vllm"),
    "an engine given and its command, another's log": ({"b.log": SGLANG.format(2)}, ["--engine", "vllm", "--flags", "vllm serve m"], "These lines are of sglang, not of vllm"),
}  # fmt: skip
ALIKE: dict[str, tuple[Files, list[str]]] = {
    "ranks": ({"rank0.log": V + A, "rank1.log": V + A}, []),
    "a key that the log hides": (
        {"a.log": V + A.replace("}", ", 'api_key': '***'}")},
        ["--flags", "vllm serve m -tp 8 --api-key abcdefgh12"],
    ),
    "a manifest and its log": (
        {"pod.yaml": POD.format("0.11.0", 8, "INFO"), "a.log": V + A},
        ["--env", "NCCL_DEBUG=INFO"],
    ),
    "one of two roles": ({"a.sh": SCRIPT.format(8), "b.sh": SCRIPT.format(4), "a.log": V + A}, []),
    "a model by its folder": ({"a.log": V}, ["--flags", "vllm serve /models/Qwen3-8B", "--model", "Qwen/Qwen3-8B"]),
    "a default given, which is not printed": (
        {"a.log": V + A},
        ["--flags", "vllm serve m -tp 8 --no-enforce-eager --gpu-memory-utilization 0.90 --port 1 --dtype auto"],
    ),
    "values in other spellings": (
        {"a.log": V + A.replace("8}", "8, 'max_model_len': 32000, 'gpu_memory_utilization': 0.8}")},
        ["--flags", "vllm serve m -tp=8 --max_model_len 32k --gpu-memory-utilization 0.80"],
    ),
    "what is printed as a whole or not at all": (
        {"a.log": V + A},
        ["--flags", "vllm serve m -tp 8 --config c.yaml --hf-overrides '{\"a\": 1}' --allowed-origins '[\"x\"]'"],
    ),
    "a dump that somebody cut": (
        {"a.log": V + A.replace("8}", "8, ...}")},
        ["--flags", "vllm serve m -tp 8 --enforce-eager"],
    ),
    "another engine's dump, which prints all": (
        {"b.log": SGLANG.format(8)},
        ["--flags", "python -m sglang.launch_server --model m --tp 8 --disable-radix-cache"],
    ),
    "a flag twice alike": ({}, ["--engine", "vllm", "--flags", "vllm serve m -tp 8 --tensor-parallel-size 8"]),
    "a flag of one of two scripts": (
        {"a.sh": SCRIPT.format("8 --seed 7"), "b.sh": SCRIPT.format(8), "a.log": V + A},
        [],
    ),
    "a process of that command": (
        {"s.txt": SPY.format("--tensor-parallel-size 8")},
        ["--flags", "vllm serve m -tp 8"],
    ),
    "a process's title": (
        {"s.txt": SPY.replace("/usr/bin/python3 /usr/local/bin/vllm serve m {}", "VLLM::EngineCore")},
        ["--flags", "vllm serve m -tp 8"],
    ),
    "machines as they are": (
        {"smi.txt": SMI},
        [
            "--engine",
            "vllm",
            "--hardware",
            "2x NVIDIA H100 80GB",
            "--component",
            "driver=550",
            "--component",
            "cuda=12.8",
        ],
    ),
    "fewer cards than there are": ({"smi.txt": SMI}, ["--engine", "vllm", "--hardware", "1x H100"]),
    "cards of several nodes": ({"smi.txt": SMI}, ["--engine", "vllm", "--hardware", "2 nodes with 1x H100 each"]),
    "what a shell fills in": ({"run.sh": "#!/bin/sh\nvllm serve m --tensor-parallel-size $TP\n", "a.log": V + A}, []),
}


def said(files: Files, options: list[str], place: Path) -> list[str]:
    for name, text in files.items():
        (place / name).write_text(text)
    report = checked(*([str(place)] if files else []), *options).report
    return [*report["coverage"]["notes"], *(one["says"] for one in report["discrepancies"])]


@pytest.mark.parametrize("what", CONTRARY)
def test_what_contradicts_itself_is_said(what: str, tmp_path: Path) -> None:
    files, options, expected = CONTRARY[what]
    found = said(files, options, tmp_path)
    lines = [one for one in found if expected in one]
    assert lines, found
    with speaking("zh"):
        assert all(HAN.search(told(one)) and "judged" not in told(one) for one in lines), [told(one) for one in lines]


@pytest.mark.parametrize("what", ALIKE)
def test_what_is_alike_is_not(what: str, tmp_path: Path) -> None:
    found = said(*ALIKE[what], tmp_path)
    marks = ("you ", "which of them", "ranks were", "--env", "one command", "was seen", "looked at")
    assert not [one for one in found if any(mark in one for mark in marks)]
