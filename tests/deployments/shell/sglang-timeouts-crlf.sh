#!/bin/sh
# saved on Windows: every line ends in CR LF
pip install "sglang[all]==0.5.18"
export SGLANG_REQ_WAITING_TIMEOUT=60
export SGLANG_REQ_RUNNING_TIMEOUT=600
python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 4 --context-length 65536 --mem-fraction-static 0.85 --host 0.0.0.0 --port 30000 --enable-metrics
