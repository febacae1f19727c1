#!/bin/bash
# xLLM v0.10.1, one model over two NPUs, a process each
source /usr/local/Ascend/ascend-toolkit/set_env.sh
export ASCEND_RT_VISIBLE_DEVICES=0,1 HCCL_IF_BASE_PORT=43432
for rank in 0 1; do
  ./xllm --model /models/Qwen3-8B --devices="npu:$rank" --port $((18000 + rank)) --master_node_addr=127.0.0.1:19748 \
    --nnodes=2 --node_rank=$rank --max_memory_utilization=0.86 --block_size=128 --communication_backend=hccl \
    --enable_prefix_cache=true --enable_chunked_prefill=true >"node_$rank.log" 2>&1 &
done
wait
