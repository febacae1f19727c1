#!/bin/sh
pip install vllm==0.28.0
export NCCL_DEBUG=WARN
vllm serve deepseek-ai/DeepSeek-V3.2 \
  --tensor-parallel-size 4 --pipeline-parallel-size 2 \
  --speculative-config '{"method": "deepseek_mtp", "num_speculative_tokens": 1}' --swap-space 8
