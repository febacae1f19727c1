# Start the server from Windows; Docker Desktop with WSL2
$env:HF_TOKEN = Get-Content "$HOME\.hf_token"
docker run --rm -it `
  --gpus all `
  --shm-size 16g `
  -v "${HOME}\models:/models" `
  -e VLLM_LOGGING_LEVEL=INFO `
  -p 8000:8000 `
  vllm/vllm-openai:v0.33.0 `
  /models/Qwen3-8B-AWQ `
  --quantization awq_marlin `
  --max-model-len 16384 `
  --gpu-memory-utilization 0.85
