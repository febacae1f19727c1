"""`make bench`: the budgets, measured as ratios to something run beside them, each command line printed.

About half an hour on two cores, and 4 GB of disk. Each part runs alone too: `python -m tests.bench_logs`, ….
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from tests import lint_bench, service_bench
from tests.bench_batch import batches
from tests.bench_cold import cold_start, seconds
from tests.bench_flight import flight_recorders
from tests.bench_gate import measure as gate
from tests.bench_growth import growth
from tests.bench_logs import large_logs


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
    growth()
    a_log()
    large_logs()
    gate()
    flight_recorders()
    lint_bench.beside_checkov()
    lint_bench.cost_of_a_file()
    batches()
    service_bench.service_under_load()
