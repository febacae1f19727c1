# /// script
# dependencies = ["vllm==0.28.0"]
# ///
import os

os.environ["NCCL_DEBUG"] = "WARN"

from vllm import LLM

llm = LLM(
    model="deepseek-ai/DeepSeek-V3.2",
    tensor_parallel_size=4,
    pipeline_parallel_size=2,
    speculative_config={"method": "deepseek_mtp", "num_speculative_tokens": 1},
    swap_space=8,
)
