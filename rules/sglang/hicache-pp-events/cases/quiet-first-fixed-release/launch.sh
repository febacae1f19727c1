#!/bin/bash
# prefill, stage 1 of 2
exec python3 -m sglang.launch_server --model-path zai-org/GLM-5-FP8 --tp-size 8 --pp-size 2 --nnodes 2 --node-rank 1 \
  --enable-hierarchical-cache --hicache-storage-backend mooncake --disaggregation-mode prefill
