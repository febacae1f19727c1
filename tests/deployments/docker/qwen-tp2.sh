#!/bin/sh
# single replica, two cards
docker run -d --name qwen \
  --gpus '"device=0,1"' \
  --ipc=host \
  -v "$HOME/.cache/huggingface:/root/.cache/huggingface" \
  -e HF_HUB_OFFLINE=1 \
  -e NCCL_DEBUG=WARN \
  -p 8000:8000 \
  vllm/vllm-openai:v0.28.0 \
  Qwen/Qwen3-32B \
  --tensor-parallel-size 2 --max-model-len 40960 --enable-auto-tool-choice --tool-call-parser hermes
