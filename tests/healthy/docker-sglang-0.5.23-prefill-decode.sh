#!/usr/bin/env bash
# One prefill and one decode server on a host, KV over RDMA
set -euo pipefail
docker run -d --name prefill --gpus '"device=0,1"' --network host --ipc host --ulimit memlock=-1 --device /dev/infiniband \
  -v /models:/models lmsysorg/sglang:v0.5.23 \
  python3 -m sglang.launch_server --model-path /models/qwen3-32b --tp 2 --port 30000 \
  --disaggregation-mode prefill --disaggregation-transfer-backend mooncake --disaggregation-ib-device mlx5_0
docker run -d --name decode --gpus '"device=2,3"' --network host --ipc host --ulimit memlock=-1 --device /dev/infiniband \
  -v /models:/models lmsysorg/sglang:v0.5.23 \
  python3 -m sglang.launch_server --model-path /models/qwen3-32b --tp 2 --port 30001 \
  --disaggregation-mode decode --disaggregation-transfer-backend mooncake --disaggregation-ib-device mlx5_0
