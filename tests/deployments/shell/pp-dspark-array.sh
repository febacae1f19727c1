#!/bin/bash
# 两机流水线并行 + DSpark 投机解码
#   第一台机器: ./pp-dspark-array.sh 0    第二台: ./pp-dspark-array.sh 1
NODE_RANK=${1:-0}
HEAD=${HEAD_ADDR:-10.0.0.1}

pip install 'vllm==0.28.0'

ARGS=(
  --tensor-parallel-size 8
  --pipeline-parallel-size 2
  --nnodes 2
  --node-rank "$NODE_RANK"
  --master-addr "$HEAD"          # 头节点地址
  --speculative-config '{"method": "dspark", "num_speculative_tokens": 4}'
  --max-num-seqs 128
)

NCCL_SOCKET_IFNAME=eth0 NCCL_DEBUG=INFO nohup vllm serve deepseek-ai/DeepSeek-V4-Flash "${ARGS[@]}" > vllm.log 2>&1 &
