from __future__ import annotations

import bentoml

ENGINE_CONFIG = {
    "model": "openai/gpt-oss-20b",
    "max_model_len": 8192,
    "tensor_parallel_size": 1,
    "enable_prefix_caching": True,
}

image = bentoml.images.Image(python_version="3.12").python_packages("vllm==0.33.0", "openai-harmony")


@bentoml.service(name="gpt-oss", resources={"gpu": 1, "gpu_type": "nvidia-h100-80gb"}, image=image)
class VLLM:
    def __init__(self) -> None:
        from vllm import AsyncEngineArgs, AsyncLLMEngine

        self.engine = AsyncLLMEngine.from_engine_args(AsyncEngineArgs(**ENGINE_CONFIG))
