docker run --gpus all -p 8000:8000 --shm-size=64m vllm/vllm-openai:latest \
    mistralai/Mistral-Large-Instruct-2411 --tensor-parallel-size=4 --max-model-len 32768
