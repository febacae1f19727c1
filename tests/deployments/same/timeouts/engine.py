# /// script
# dependencies = ["sglang==0.5.18"]
# ///
import os

os.environ["SGLANG_REQ_WAITING_TIMEOUT"] = "30"
import sglang

engine = sglang.Engine(model_path="Qwen/Qwen3-32B", tp_size=4, mem_fraction_static=0.85, enable_metrics=True)
