#!/bin/bash
# Four NPUs of a host
docker run --rm --name vllm-ascend --shm-size=32g --net=host \
  --device /dev/davinci0 --device /dev/davinci1 --device /dev/davinci2 --device /dev/davinci3 \
  --device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc \
  -v /usr/local/Ascend/driver/lib64/:/usr/local/Ascend/driver/lib64/ -v /usr/local/dcmi:/usr/local/dcmi \
  -v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi -v /etc/ascend_install.info:/etc/ascend_install.info -v /models:/models \
  quay.io/ascend/vllm-ascend:v0.23.0.post1 \
  vllm serve /models/qwen3-32b --tensor-parallel-size 4 --max-model-len 32768 --gpu-memory-utilization 0.9
