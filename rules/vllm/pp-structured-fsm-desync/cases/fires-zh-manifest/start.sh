#!/bin/bash
export VLLM_USE_V2_MODEL_RUNNER=0
exec vllm serve /models/qwen3.5-27b-awq --pipeline-parallel-size 4 --port 8000
