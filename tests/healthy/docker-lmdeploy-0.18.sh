#!/bin/sh
# TurboMind on two GPUs
docker run --runtime nvidia --gpus all -v /models:/models --env HF_HOME=/models -p 23333:23333 --ipc=host \
  openmmlab/lmdeploy:v0.18.0 \
  lmdeploy serve api_server /models/internlm3-8b-instruct --backend turbomind --tp 2 --cache-max-entry-count 0.7 --session-len 32768
