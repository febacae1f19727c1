# /// script
# dependencies = ["lmdeploy==0.16.0"]
# ///
from lmdeploy import GenerationConfig, PytorchEngineConfig, SpeculativeConfig, pipeline

spec = SpeculativeConfig(method="qwen3_5_mtp", num_speculative_tokens=3)
pipe = pipeline(
    "Qwen/Qwen3.5-35B-A3B",
    backend_config=PytorchEngineConfig(tp=2, session_len=32768, cache_max_entry_count=0.7),
    speculative_config=spec,
)
print(pipe(["Hi, introduce yourself"], gen_config=GenerationConfig(max_new_tokens=128)))
