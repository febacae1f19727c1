# /// script
# requires-python = ">=3.10"
# dependencies = ["vllm==0.28.0", "datasets"]
# ///
"""Offline batch inference over a JSONL of prompts."""

import json
import os
import sys

os.environ["VLLM_WORKER_MULTIPROC_METHOD"] = "spawn"
os.environ.setdefault("NCCL_DEBUG", "WARN")

from vllm import LLM, SamplingParams


def main(path: str) -> None:
    with open(path) as lines:
        prompts = [json.loads(line)["prompt"] for line in lines]
    llm = LLM(
        model="Qwen/Qwen3-32B",
        tensor_parallel_size=4,
        gpu_memory_utilization=0.9,
        max_model_len=16384,  # longer prompts are cut by the caller
        enable_prefix_caching=True,
    )
    for out in llm.generate(prompts, SamplingParams(temperature=0.7, max_tokens=512)):
        print(out.outputs[0].text)


if __name__ == "__main__":
    main(sys.argv[1])
