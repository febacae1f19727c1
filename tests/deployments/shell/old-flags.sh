#!/bin/bash
# carried over from 2025 without a second look
pip3 install vllm==0.28.0
export VLLM_ATTENTION_BACKEND=FLASHINFER
vllm serve mistralai/Mistral-Small-3.2-24B-Instruct-2506 \
  --tensor-parallel-size 2 \
  --swap-space 16 \
  --disable-log-requests \
  --max-model-len 16k
