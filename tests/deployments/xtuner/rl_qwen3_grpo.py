"""XTuner GRPO, rollouts by LMDeploy."""
import os

from xtuner.v1.config import AdamWConfig
from xtuner.v1.ray.config.worker import RolloutConfig

work_dir = os.environ["WORK_DIR"]
model_path = os.environ["MODEL_PATH"]
rollout_tp_size = int(os.environ.get("ROLLOUT_TP_SIZE", 1))

rollout_config = RolloutConfig(
    env="rl",
    device="GPU",
    model_path="Qwen/Qwen3.5-35B-A3B",
    dtype="bfloat16",
    tensor_parallel_size=2,
    expert_parallel_size=1,
    gpu_memory_utilization=0.75,
    context_length=16384,
    extra_rollout_config={
        "lmdeploy_log_level": "CRITICAL",
        "lmdeploy_backend": "pytorch",
    },
)
optim_cfg = AdamWConfig(lr=1e-6, foreach=False)
