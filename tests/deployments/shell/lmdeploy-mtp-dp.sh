#!/usr/bin/env bash
# Qwen3.5 with its MTP head over 8 data/expert parallel ranks
pip install -U lmdeploy==0.14.0

: "${MODEL:=Qwen/Qwen3.5-397B-A17B}"
DP=${DP:-8}

LMDEPLOY_DP_MASTER_ADDR=127.0.0.1 \
lmdeploy serve api_server "$MODEL" \
    --backend pytorch \
    --dp "${DP}" \
    --ep ${EP:-8} \
    --speculative-algorithm qwen3_5_mtp \
    --speculative-num-draft-tokens 3 \
    --max-batch-size 128 \
    --server-port 23333
