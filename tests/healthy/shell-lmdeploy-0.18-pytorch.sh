#!/bin/sh
# pip install lmdeploy==0.18.0
export CUDA_VISIBLE_DEVICES=0,1
exec lmdeploy serve api_server Qwen/Qwen3-8B --backend pytorch --tp 2 --max-batch-size 64 --enable-prefix-caching --server-port 23333
