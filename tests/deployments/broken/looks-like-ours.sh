#!/bin/sh
# Waits for a server that somebody else started.
until pgrep -f "vllm serve" > /dev/null; do
  echo "no 'vllm serve --tensor-parallel-size 8' yet"
  sleep 5
done
curl -s localhost:8000/metrics | grep vllm:
