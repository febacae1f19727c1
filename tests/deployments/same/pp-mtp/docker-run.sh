#!/bin/sh
docker run --gpus 8 --ipc=host -e NCCL_DEBUG=WARN vllm/vllm-openai:v0.28.0 deepseek-ai/DeepSeek-V3.2 \
  --tensor-parallel-size=4 --pipeline-parallel-size=2 \
  --speculative-config='{"method": "deepseek_mtp", "num_speculative_tokens": 1}' --swap-space=8
