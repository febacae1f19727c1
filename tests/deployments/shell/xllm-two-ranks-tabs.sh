#!/bin/bash
# xLLM on two Ascend devices of one host, one process each.  Indented with tabs.
set -e
source /usr/local/Ascend/ascend-toolkit/set_env.sh
MODEL_PATH=/data/models/GLM-5
MASTER_NODE_ADDR="127.0.0.1:9748"
START_PORT=18000
LOG_DIR=logs
NNODES=2
mkdir -p $LOG_DIR
export HCCL_CONNECT_TIMEOUT=7200

for (( i=0; i<NNODES; i++ )); do
	PORT=$((START_PORT + i))
	xllm \
		--model "$MODEL_PATH" \
		--devices="npu:$i" \
		--port $PORT \
		--master_node_addr=$MASTER_NODE_ADDR \
		--nnodes=2 \
		--node_rank=$i \
		--max_memory_utilization=0.86 \
		--block_size=128 \
		--communication_backend=hccl \
		--enable_graph=true \
		> $LOG_DIR/node_$i.log 2>&1 &
done
wait
