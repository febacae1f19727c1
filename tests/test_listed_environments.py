"""What the command that a report asks for prints: a process's command line, then its environment, a variable a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front_door import checked

COMMAND = "/usr/bin/python3 -m sglang.launch_server --model-path m --tp 2 --nnodes 2 --node-rank {rank}\n"
LISTED = "NCCL_DEBUG=INFO\nPATH=/usr/bin:/bin\nhttp_proxy=\nPS1=\\u@\\h \\$ \nSGLANG_ENABLE_SPEC_V2=1\nNCCL_IB_HCA=mlx5_0,mlx5_1\n"
WANTED = {"NCCL_DEBUG": "INFO", "SGLANG_ENABLE_SPEC_V2": "1", "NCCL_IB_HCA": "mlx5_0,mlx5_1"}
VLLM = "vllm serve m -pp 2\n"


def environment(tmp_path: Path, text: str, *more: str) -> dict[str, str]:
    file = tmp_path / "asked.txt"
    file.write_text(text, encoding="utf-8")
    report = checked(*more, str(file)).report
    assert not any("not exported" in note for note in report["coverage"]["notes"]) or "export" in text or "&" in text
    return dict(report["environment"])


@pytest.mark.parametrize(
    "text",
    [
        COMMAND.format(rank=0) + LISTED,
        COMMAND.format(rank=0) + LISTED + COMMAND.format(rank=1) + LISTED,
        "$ xargs -0 </proc/$PID/cmdline\n" + COMMAND.format(rank=0) + LISTED.replace("http_proxy=\n", ""),
        f"The server hangs after an hour.\n\nEnvironment:\n{LISTED}\nand we start it with\n\n{COMMAND.format(rank=0)}",
        f"The server hangs.\n\n```\n{LISTED}```\n\n```bash\n{COMMAND.format(rank=0)}```\n",
        f"sglang::scheduler_TP0\nNCCL_DEBUG=TRACE\n{COMMAND.format(rank=0)}{LISTED}",
    ],
)
def test_the_lines_under_a_command_and_a_block_of_its_own(tmp_path: Path, text: str) -> None:
    assert environment(tmp_path, text) == WANTED


def test_each_process_has_its_own(tmp_path: Path) -> None:
    one = VLLM + "NCCL_DEBUG=INFO\nVLLM_USE_V2_MODEL_RUNNER=1\n" + VLLM + "VLLM_USE_V2_MODEL_RUNNER=0\n"
    file = tmp_path / "asked.txt"
    file.write_text(one, encoding="utf-8")
    report = checked("--version", "0.28.0", str(file)).report
    assert report["environment"]["NCCL_DEBUG"] == "INFO"  # of the first alone
    assert len([each for each in report["settings"] if each["flag"] == "--pipeline-parallel-size"]) == 2


@pytest.mark.parametrize(
    "text",
    [
        VLLM + "RC=$?\nNCCL_P2P_DISABLE=1\n",  # a script goes on
        VLLM.strip() + " &\nNCCL_DEBUG=INFO\n",
        f"#!/bin/bash\n{VLLM}NCCL_DEBUG=INFO\n",
        f'{VLLM}NCCL_DEBUG="INFO"\n',
        f"We tried this:\nNCCL_DEBUG=INFO made no difference\n\n{VLLM}",
    ],
)
def test_scripts_and_prose_list_nothing(tmp_path: Path, text: str) -> None:
    assert environment(tmp_path, text) == {}


def test_a_script_keeps_what_it_assigns(tmp_path: Path) -> None:
    file = tmp_path / "two.txt"
    file.write_text(f"{VLLM}PP=4\nNCCL_DEBUG=INFO\nvllm serve m -pp $PP\n", encoding="utf-8")
    values = [one["value"] for one in checked(str(file)).report["settings"]]
    assert values == [2, 4]
