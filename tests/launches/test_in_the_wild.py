"""Launches as people hand them over, and texts made to hurt."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.launches.situations import facts, only, reading, said


@pytest.mark.parametrize(
    ("text", "engine", "complete", "expected"),
    [
        ("./xllm --model <weights> --enable_graph=true -enable_schedule_overlap", "xllm", True,
         {"--model": "<weights>", "--enable_graph": True, "--enable_schedule_overlap": True}),
        ("--block_size=128 --ep_size=8 --dp_size=1 --enable_prefix_cache=false", "xllm", True,
         {"--block_size": 128, "--ep_size": 8, "--dp_size": 1, "--enable_prefix_cache": False}),
        ("lmdeploy serve api_server <Qwen-72B> --tp 4 --quant-policy 4 --cache-max-entry-count 0.1", "lmdeploy", True,
         {"--tp": 4, "--quant-policy": 4, "--cache-max-entry-count": 0.1}),
        ("--tp 8 --enable-hierarchical-cache --hicache-write-policy write_through", "sglang", True,
         {"--tp-size": 8, "--enable-hierarchical-cache": True, "--hicache-write-policy": "write_through"}),
        ("--tp 4 --hicache-storage-backend mooncake, EAGLE", "sglang", False,
         {"--tp-size": 4, "--hicache-storage-backend": "mooncake"}),
        ("--speculative-algorithm EAGLE --speculative-num-steps 3 --kv-cache-dtype fp8_e5m2", "sglang", True,
         {"--speculative-algorithm": "EAGLE", "--speculative-num-steps": 3, "--kv-cache-dtype": "fp8_e5m2"}),
        ("--model a/b --tensor-parallel-size 2 --enforce-eager --gpu-memory-utilization 0.85", "vllm", True,
         {"--model": "a/b", "--tensor-parallel-size": 2, "--enforce-eager": True, "--gpu-memory-utilization": 0.85}),
        ("""--limit-mm-per-prompt '{"video":0}' --async-scheduling""", "vllm", True,
         {"--limit-mm-per-prompt": '{"video":0}', "--limit-mm-per-prompt.video": 0, "--async-scheduling": True}),
        ("--max-model-len 128k --max-num-batched-tokens 8K", "vllm", True,
         {"--max-model-len": 128000, "--max-num-batched-tokens": 8192}),
        ("--async-scheduling, aclgraph", "vllm", False, {"--async-scheduling": True}),
        ("MTP with --enable_schedule_overlap=true, temperature>0", "xllm", False, {"--enable_schedule_overlap": True}),
    ],
)  # fmt: skip
def test_launches_as_handed_over(text: str, engine: str, complete: bool, expected: dict[str, Any]) -> None:
    launch = only(text, engine, bare_is_complete=True)
    assert (launch.engine, launch.complete, said(launch)) == (engine, complete, expected)


def test_a_hung_pair_told_in_one_paragraph() -> None:
    text = (
        "Serving with `--speculative-algorithm DSPARK` across **2 nodes (TP=2)** deadlocks. Worker (TP1) spins, head (TP0) idles. "
        "Same family as #27221, but both `SGLANG_REQ_WAITING_TIMEOUT` and `SGLANG_REQ_RUNNING_TIMEOUT` at default `-1`."
    )
    spoken = {"speculation.method": "dspark", "speculation.on": True}
    assert facts(text, "sglang") == {"topology.tp": 2, "topology.nodes": 2, **spoken}


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve m --x " + '$("' * 30_000,
        "vllm serve m --x " + '={"a ' * 30_000,
        "A='x\nvllm serve m --tp 8\n" * 2_000,
        "`" * 30_000 + " vllm serve m/x --tp 8 `a` --tp 9" * 1_000,
        "LLM(" * 30_000,
        "a-/" * 30_000 + " vllm",
        "TP=2 (TP2) " * 8_000,
    ],
    ids=["expansions", "json", "quotes", "backticks", "calls", "path", "facts"],
)
def test_the_work_stays_bounded(text: str) -> None:
    started = time.process_time()
    reading(text)
    assert time.process_time() - started < 10
