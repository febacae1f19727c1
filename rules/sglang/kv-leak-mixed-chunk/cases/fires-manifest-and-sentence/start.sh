#!/bin/bash
exec python3 -m sglang.launch_server --model-path /models/qwen3-14b --tp-size 1 --enable-mixed-chunk --page-size 64 --host 0.0.0.0 --port 30000
