#!/bin/sh
# On the head; on the other machine the same with --node-rank 1.
python -m sglang.launch_server \
  --model-path deepseek-ai/DeepSeek-V4-Flash-0731 \
  --tp 2 --nnodes 2 --node-rank 0 --dist-init-addr spark-a:20000 \
  --speculative-algorithm DSPARK \
  --moe-runner-backend flashinfer_mxfp4 \
  --kv-cache-dtype fp8_e4m3 \
  --mem-fraction-static 0.85 \
  --cuda-graph-backend-decode=disabled \
  --watchdog-timeout 120
