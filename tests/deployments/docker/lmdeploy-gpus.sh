#!/bin/bash
# 用容器启动 LMDeploy；只给了两张卡，但 tp 写成了 4
docker run --runtime nvidia --gpus 2 --shm-size=16g \
    -v /data/models:/models:ro \
    --env "LMDEPLOY_SKIP_WARMUP=1" \
    -p 23333:23333 \
    openmmlab/lmdeploy:v0.17.0-cu12.8 \
    lmdeploy serve api_server /models/internlm3-8b-instruct --tp 4 --session-len 32768 --cache-max-entry-count 0.7
