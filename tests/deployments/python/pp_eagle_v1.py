# /// script
# dependencies = ["vllm==0.30.0"]
# ///
import os

# the V2 runner gave us trouble in August; stay on V1
os.environ["VLLM_USE_V2_MODEL_RUNNER"] = "0"

from vllm import LLM, SamplingParams

engine_args = {
    "tensor_parallel_size": 4,
    "pipeline_parallel_size": 2,
    "speculative_config": {
        "method": "eagle3",
        "model": "yuhuili/EAGLE3-LLaMA3.3-Instruct-70B",
        "num_speculative_tokens": 3,
    },
}
llm = LLM("meta-llama/Llama-3.3-70B-Instruct", max_model_len=8192, **engine_args)
print(llm.generate(["The capital of France is"], SamplingParams(max_tokens=16)))
