#!/usr/bin/env bash
uv pip install "sglang==0.5.18"
SGLANG_REQ_WAITING_TIMEOUT=30 python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 4 --mem-fraction-static 0.85 --enable-metrics
