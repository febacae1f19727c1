#!/bin/bash
# RL training on 8 nodes; SGLang is started by the trainer
pkill -9 sglang
sleep 3
set -ex
export PYTHONBUFFERED=16

CKPT_ARGS=(
   --hf-checkpoint /data/Qwen3-235B-A22B-FP8
   --save-interval 20
)
PERF_ARGS=(
   --tensor-model-parallel-size 4
   --sequence-parallel
   --pipeline-model-parallel-size 4
)
SGLANG_ARGS=(
   --rollout-num-gpus-per-engine 32
   --sglang-mem-fraction-static 0.7
   --sglang-enable-dp-attention
   --sglang-dp-size 4
   --sglang-ep-size 32
   --sglang-cuda-graph-bs 1 2 4 8 $(seq 16 8 256)
   # --sglang-enable-deepep-moe
)
ray start --head --node-ip-address ${MASTER_ADDR} --num-gpus 8
ray job submit --address="http://127.0.0.1:8265" \
   --runtime-env-json='{
     "env_vars": {
        "PYTHONPATH": "/root/Megatron-LM/",
        "NCCL_NVLS_ENABLE": "0"
     }
   }' \
   -- python3 train.py \
   --actor-num-nodes 8 \
   ${CKPT_ARGS[@]} \
   ${PERF_ARGS[@]} \
   ${SGLANG_ARGS[@]}
