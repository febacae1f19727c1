#!/bin/sh
# café au lait
vllm serve Qwen/Qwen3-8B --port 8000
