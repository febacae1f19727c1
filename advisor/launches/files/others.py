"""Images and commands of what stands around the engines: routers, sidecars, exporters, operators.

    ghcr.io/llm-d/llm-d-routing-sidecar:v0.2.0       takes --port and --vllm-port, and is no vLLM
    lmcache/lmstack-router --service-discovery k8s   the router of the vLLM production stack
    python3 -m sglang_router.launch_router, lmdeploy serve proxy, vllm bench serve

Their flags are named like the engines' and mean other things: an image says what it is by a whole word of its last
part, and only a command that serves an engine says otherwise.

**Source:** llm-d/llm-d-routing-sidecar cmd/llm-d-routing-sidecar/main.go at 30c9ba994bb9; vllm-project/production-stack
helm/templates/deployment-router.yaml; sglang_router/launch_router.py of sgl-project/sglang; lmdeploy/cli/serve.py of
InternLM/lmdeploy (proxy). Read 2026-11-29.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.launches.shell import Word
from advisor.launches.wrappers import PYTHON, base

_OTHERS = {
    "router", "routing", "sidecar", "exporter", "operator", "scheduler", "proxy", "controller", "gateway", "benchmark",
    "benchmarks", "bench", "epp", "balancer", "loadbalancer", "autoscaler", "webhook", "manager", "dashboard",
    "webui", "client", "simulator", "sim", "mock", "monitor", "downloader", "initializer", "tester",
}  # fmt: skip


def _others(name: str) -> bool:
    return not _OTHERS.isdisjoint(re.split(r"[^a-z0-9]+", name.lower()))


def is_other_image(image: str) -> bool:
    """Whether an image's own name says that it is no engine's server."""
    return _others(base(image).partition("@")[0].partition(":")[0])


def starts_other(words: Sequence[Word]) -> bool:
    """Whether words given to an engine's image start a program that is no server of it."""
    texts = [one.text for one in words[:8]]
    if not texts or texts[0].startswith("-"):
        return False
    if "-m" in texts[:-1] and PYTHON.match(base(texts[0])):
        return _others(texts[texts.index("-m") + 1])
    if base(texts[0]) in ("vllm", "sglang", "lmdeploy"):
        return any(_others(one) for one in texts[1:3] if not one.startswith("-") and "/" not in one)
    return ("/" not in texts[0] or texts[0].startswith("/")) and _others(base(texts[0]))
