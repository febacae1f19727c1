#!/usr/bin/env bash
# Serve Llama 3.3 70B on one 8-GPU host; run from tmux.
set -euo pipefail

python3 -m pip install --quiet "vllm==0.28.0"

export NCCL_DEBUG=WARN
export VLLM_LOGGING_LEVEL=INFO

exec vllm serve meta-llama/Llama-3.3-70B-Instruct \
    --tensor-parallel-size 8 \
    --max-model-len 32768 \
    --gpu-memory-utilization 0.92 \
    --served-model-name llama-70b \
    --host 0.0.0.0 --port 8000
