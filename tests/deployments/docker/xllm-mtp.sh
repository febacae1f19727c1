#!/bin/bash
# xLLM 0.10.1 with the model's own MTP layers, rank 0 of 2; rank 1 is started the same way
docker run -it --rm --privileged --ipc=host --network=host \
  --device=/dev/davinci0 --device=/dev/davinci1 --device=/dev/davinci_manager \
  -v /usr/local/Ascend/driver:/usr/local/Ascend/driver \
  -v /data:/data \
  -e HCCL_IF_BASE_PORT=43432 \
  -e ASCEND_RT_VISIBLE_DEVICES=0,1 \
  quay.io/jd_xllm/xllm-ai:xllm-0.10.1-release-hb-rc2-arm \
  /usr/local/bin/xllm --model=/data/DeepSeek-V3.2-w8a8 --port=18000 \
    --master_node_addr=127.0.0.1:9748 --nnodes=2 --node_rank=0 \
    --draft_model=/data/DeepSeek-V3.2-w8a8-mtp --num_speculative_tokens=2 \
    --enable_graph=true --enable_schedule_overlap=true --communication_backend=hccl
