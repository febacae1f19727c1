"""Logs of any size for tests and measurements: what a healthy deployment prints all day, and one that only crashes."""

from __future__ import annotations

import random

_TRACEBACK = """\
(EngineCore_DP0 pid=269) ERROR 08-02 {clock} [core.py:1197] Traceback (most recent call last):
(EngineCore_DP0 pid=269) ERROR 08-02 {clock} [core.py:1197]   File "/opt/vllm/v1/engine/core.py", line {line}, in run
(EngineCore_DP0 pid=269) ERROR 08-02 {clock} [core.py:1197]     engine_core.run_busy_loop()
(EngineCore_DP0 pid=269) ERROR 08-02 {clock} [core.py:1197]   File "/opt/vllm/v1/worker/step_{kind}.py", line 88, in go
(EngineCore_DP0 pid=269) ERROR 08-02 {clock} [core.py:1197]     return self._step_{kind}(scheduled)
(EngineCore_DP0 pid=269) ERROR 08-02 {clock} [core.py:1197] RuntimeError: step {kind} failed for request {line}
"""


def healthy(size: int, seed: int = 1) -> bytes:
    """About `size` bytes of several engines' usual lines, in whole lines."""
    some = random.Random(seed)
    rows: list[str] = []
    left = size
    at = 0
    while left > 0:
        at += 1
        rows.append(_line(some, at))
        left -= len(rows[-1]) + 1
    return ("\n".join(rows) + "\n").encode()


def _line(some: random.Random, at: int) -> str:
    clock = f"{at // 72_000 % 24:02}:{at // 1_200 % 60:02}:{at // 20 % 60:02}"
    which = some.random()
    if which < 0.25:
        return (
            f"(APIServer pid=1) INFO:     10.0.{at % 7}.{at % 251}:{40_000 + at % 20_000} - "
            '"POST /v1/chat/completions HTTP/1.1" 200 OK'
        )
    if which < 0.35:
        return f'(APIServer pid=1) INFO:     10.0.0.3:{40_000 + at % 20_000} - "GET /health HTTP/1.1" 200 OK'
    if which < 0.55:
        return (
            f"(APIServer pid=1) INFO 08-02 {clock} [loggers.py:248] Engine 000: Avg prompt throughput: "
            f"{some.random() * 900:.1f} tokens/s, Avg generation throughput: {some.random() * 900 + 1:.1f} tokens/s, "
            f"Running: {at % 9} reqs, Waiting: {at % 3} reqs, GPU KV cache usage: {some.random() * 90:.1f}%"
        )
    if which < 0.75:
        return (
            f"(EngineCore_DP0 pid=269) INFO 08-02 {clock} [scheduler.py:{at % 900}] Added request "
            f"chatcmpl-{some.getrandbits(128):032x}."
        )
    if which < 0.9:
        return (
            f"[2026-08-02 {clock} TP{at % 4}] Decode batch, #running-req: {at % 9}, #token: {at % 40_960}, token usage: "
            f"0.{at % 99:02}, cuda graph: True, gen throughput (token/s): {some.random() * 900 + 1:.2f}, #queue-req: 0"
        )
    if which < 0.95:
        return (
            f"(Worker_TP{at % 4} pid={226_320 + at % 4}) WARNING 08-02 {clock} [cache.py:{at % 90}] prefix cache "
            f"eviction of {at % 77} blocks"
        )
    return (
        f"node-a:643:{at % 999} [{at % 8}] NCCL INFO Channel {at % 16:02}/0 : {at % 8}[{at % 8}] -> "
        f"{(at + 1) % 8}[{(at + 1) % 8}] via P2P/CUMEM"
    )


def tracebacks(size: int) -> bytes:
    """About `size` bytes of nothing but tracebacks, of some hundred kinds."""
    found: list[str] = []
    left = size
    at = 0
    while left > 0:
        at += 1
        clock = f"{at // 72_000 % 24:02}:{at // 1_200 % 60:02}:{at // 20 % 60:02}"
        kind = "".join(chr(ord("g") + int(digit)) for digit in str(at % 200))
        found.append(_TRACEBACK.format(clock=clock, line=at, kind=kind))
        left -= len(found[-1])
    return "".join(found).encode()
