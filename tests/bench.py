"""`make bench`: the budgets, measured as ratios to something run beside them, each command line printed.

Cold start: whole processes, the two commands in turn so that a machine that drifts drifts for both; medians.
"""

from __future__ import annotations

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests import lint_bench, service_bench

RUNS = 15
FLAGS = (
    "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --pipeline-parallel-size 2 "
    '--speculative-config \'{"method":"eagle3","num_speculative_tokens":3}\''
)
BARE = [sys.executable, "-c", "import pydantic, typer"]
CHECK = [sys.executable, "-m", "advisor", "check", "--engine", "vllm", "--version", "0.28.0", "--flags", FLAGS]
BUDGET = 1.8
# As on a user's machine: byte code is kept between runs.
ENVIRONMENT = {**os.environ, "NO_COLOR": "1"}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)


def seconds(command: list[str]) -> float:
    """Wall seconds of one whole process; findings (exit code 1) are a success here."""
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    spent = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} failed: {done.stderr.decode(errors='replace')}")
    return spent


def cold_start() -> float:
    """Print both commands' times and their ratio."""
    for command in (BARE, CHECK):
        seconds(command)
    pairs = [(seconds(BARE), seconds(CHECK)) for _ in range(RUNS)]
    bare, check = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    print("cold start, whole processes, median of", RUNS, "pairs")
    for name, spent, command in (("bare", bare, BARE), ("check", check, CHECK)):
        print(f"  {name:<6} {spent * 1000:7.1f} ms   {shlex.join([Path(command[0]).name, *command[1:]])}")
    print(f"  ratio  {ratio:7.2f}      budget {BUDGET} {'met' if ratio <= BUDGET else 'NOT MET'}")
    return ratio


def a_log(megabytes: int = 2) -> float:
    """Print how long a healthy log of that size takes, the figure that README gives."""
    row = (
        "INFO 08-22 11:{minute:02}:{second:02} [loggers.py:123] Engine 000: Avg prompt throughput: {at}.3 tokens/s, Avg "
        "generation throughput: {second}.1 tokens/s, Running: 8 reqs, Waiting: 0 reqs, GPU KV cache usage: {minute}.1%\n"
    )
    rows = (row.format(at=at, minute=at // 60 % 60, second=at % 60) for at in range(megabytes * 6_000))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "serve.log")
        file.write_text("".join(rows)[: megabytes * 1_000_000])
        command = [sys.executable, "-m", "advisor", "check", "--engine", "vllm", "--version", "0.28.0", str(file)]
        spent = statistics.median(seconds(command) for _ in range(5))
    print(f"a healthy log of {megabytes} MB, median of 5: {spent:.2f} s")
    return spent


if __name__ == "__main__":
    cold_start()
    a_log()
    lint_bench.beside_checkov()
    lint_bench.cost_of_a_file()
    service_bench.service_under_load()
