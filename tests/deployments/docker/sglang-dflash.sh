#!/usr/bin/env bash
# DFlash drafts over 4 GPUs, podman instead of docker
IMAGE=docker.io/lmsysorg/sglang:v0.5.17
podman run --rm --device nvidia.com/gpu=all \
  --shm-size 32g --ipc=private \
  --env SGLANG_LOG_LEVEL=info \
  --entrypoint python3 \
  "${IMAGE}" \
  -m sglang.launch_server --model-path Qwen/Qwen3-8B \
  --tp-size 4 \
  --speculative-algorithm DFLASH \
  --speculative-draft-model-path z-lab/Qwen3-8B-DFlash-b16 \
  --host 0.0.0.0 --port 30000
