#!/usr/bin/env bash
docker run --gpus all --shm-size 32g --env SGLANG_REQ_WAITING_TIMEOUT=30 lmsysorg/sglang:v0.5.18 \
    python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp-size 4 --mem-fraction-static 0.85 --enable-metrics
