"""`make bench`, the part about cold start: whole processes in turn, so that a machine that drifts drifts for all alike.

Beside ours: the bare imports that the budget is a multiple of, and `minefield guide` of model-serving-minefield
(MIT), which ranks its known traps against a symptom in words. It takes no launch; it is given what it has options
for, and asked for its page for people, as ours prints one.
"""

from __future__ import annotations

import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.competitors import program

RUNS = 15
BUDGET = 1.8
FLAGS = (
    "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --pipeline-parallel-size 2 "
    '--speculative-config \'{"method":"eagle3","num_speculative_tokens":3}\''
)
CHECK = ("check", "--engine", "vllm", "--version", "0.28.0", "--flags", FLAGS)
OURS = [sys.executable, "-m", "advisor", *CHECK]
BARE = [sys.executable, "-c", "import pydantic, typer"]
GUIDE = (
    *("guide", "hangs with speculative decoding and pipeline parallel", "--text"),
    *("--stack", "vllm", "--version", "0.28.0", "--model", "Qwen/Qwen3-32B", "--parallelism", "TP4 PP2"),
)
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
    """Print every command's time, and the ratios of ours to the others'; the ratio to the bare imports."""
    minefield = program("model-serving-minefield", "minefield")
    commands = {"bare": BARE, "advisor": OURS, **({"minefield": [str(minefield), *GUIDE]} if minefield else {})}
    for command in commands.values():
        seconds(command)
    runs = [{name: seconds(command) for name, command in commands.items()} for _ in range(RUNS)]
    print("cold start, whole processes, median of", RUNS, "runs in turn")
    for name, command in commands.items():
        spent = statistics.median(run[name] for run in runs)
        print(f"  {name:<9} {spent * 1000:7.1f} ms   {shlex.join([Path(command[0]).name, *command[1:]])}")
    budgets = {"bare": BUDGET, "minefield": 1.0}
    ratios = {
        name: statistics.median(run["advisor"] / run[name] for run in runs) for name in budgets if name in commands
    }
    for name, ratio in ratios.items():
        verdict = "met" if ratio <= budgets[name] else "NOT MET"
        print(f"  to {name:<9} {ratio:5.2f}      budget {budgets[name]} {verdict}")
    return ratios["bare"]


if __name__ == "__main__":
    cold_start()
