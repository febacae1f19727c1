# /// script
# dependencies = ["vllm==0.10.0"]
# ///
# Rollout worker kept from mid-2025 while the pin moved on.
from vllm import LLM

llm = LLM(
    model="Qwen/Qwen2.5-7B-Instruct",
    tensor_parallel_size=2,
    enable_sleep_mode=True,
    enforce_eager=False,
    guided_decoding_backend="xgrammar",
    async_scheduling=True,
)
