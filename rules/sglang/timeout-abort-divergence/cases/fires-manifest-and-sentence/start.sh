#!/bin/bash
export SGLANG_REQ_WAITING_TIMEOUT=45
export SGLANG_REQ_RUNNING_TIMEOUT=600
exec python3 -m sglang.launch_server --model-path zai-org/GLM-5.1-NVFP4 --tensor-parallel-size 4 --host 0.0.0.0 --port 30000
