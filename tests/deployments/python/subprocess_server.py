"""Start a vLLM server as a child and wait until it is healthy."""
# /// script
# dependencies = ["vllm==0.33.0", "httpx"]
# ///
import os
import subprocess
import sys
import time

import httpx

PORT = 8000

command = [
    "vllm", "serve", "Qwen/Qwen3-8B",
    "--port", str(PORT),
    "--max-num-seqs", "256",
    "--kv-cache-dtype", "fp8",
]
if os.environ.get("TOOLS"):
    command += ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"]


def main() -> int:
    server = subprocess.Popen(command, env={**os.environ, "VLLM_LOGGING_LEVEL": "DEBUG"})
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{PORT}/health", timeout=1).status_code == 200:
                break
        except httpx.HTTPError:
            time.sleep(1)
    return server.wait()


if __name__ == "__main__":
    sys.exit(main())
