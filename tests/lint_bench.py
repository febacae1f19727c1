"""`make bench`, the part about `advisor lint`: beside checkov on 2,000 manifests, and the cost of a file in small and large trees.

checkov (Apache-2.0) is stopped where it has taken far more than the budget asks: then the ratio is a lower bound, and
said to be one.
"""

from __future__ import annotations

import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.competitors import program
from tests.manifests_made import make

MANIFESTS = 2000
PAIRS = 3
BUDGET = 10.0
ENOUGH = 4 * BUDGET  # times our own duration, after which checkov is stopped
SIZES = (100, 1000, 10_000)
FLAT = 1.25  # the cost of a file in the largest tree, to that in the smallest
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)


def lint_command(folder: Path, *options: str) -> list[str]:
    """`advisor lint FOLDER`."""
    return [sys.executable, "-m", "advisor", "lint", *options, str(folder)]


def checkov_command(checkov: Path, folder: Path) -> list[str]:
    """The leanest run of checkov over the same files: its Kubernetes checks alone, failures alone, no download."""
    return [str(checkov), "-d", str(folder), "--framework", "kubernetes", "--compact", "--quiet", "--skip-download"]


def seconds(command: list[str], limit: float | None = None) -> tuple[float, bool]:
    """Wall seconds of one whole process, and whether it ended by itself; findings (exit code 1) are a success here."""
    begun = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT, timeout=limit)
    except subprocess.TimeoutExpired:
        return time.perf_counter() - begun, False
    spent = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} failed: {done.stderr.decode(errors='replace')[-2000:]}")
    return spent, True


def processor_seconds() -> float:
    """What all ended child processes, and theirs, have taken of the processors."""
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime


def beside_checkov() -> float | None:
    """Print both command lines, their times and the ratio, from runs in turn; None when checkov is not to be had."""
    print(f"lint of {MANIFESTS} manifests beside checkov, whole processes, median of {PAIRS} pairs")
    checkov = program("checkov", "checkov")
    if checkov is None:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        folder, few = make(MANIFESTS, Path(scratch, "manifests")), make(25, Path(scratch, "few"))
        ours, theirs = lint_command(folder), checkov_command(checkov, folder)
        seconds(lint_command(few))
        seconds(checkov_command(checkov, few))  # that it works here, and byte code is there
        pairs: list[tuple[float, float]] = []
        used: list[tuple[float, float]] = []
        ended = True
        for _ in range(PAIRS):
            before = processor_seconds()
            spent, _ = seconds(ours)
            between = processor_seconds()
            other, whole = seconds(theirs, limit=spent * ENOUGH)
            ended = ended and whole
            pairs.append((spent, other))
            used.append((between - before, processor_seconds() - between))
    ratio = statistics.median(other / spent for spent, other in pairs)
    for name, at, command in (("advisor", 0, ours), ("checkov", 1, theirs)):
        spent = statistics.median(pair[at] for pair in pairs)
        taken = statistics.median(each[at] for each in used)
        print(
            f"  {name:<8} {spent:7.2f} s, {taken:6.2f} s of processors   {shlex.join([Path(command[0]).name, *command[1:]])}"
        )
    bound = "" if ended else f" at least: checkov was stopped after {ENOUGH:.0f} times our duration"
    verdict = "met" if ratio >= BUDGET else "NOT MET"
    spread = ", ".join(f"{other / spent:.1f}" for spent, other in pairs)
    print(f"  ratio    {ratio:7.1f}     budget {BUDGET:.0f} {verdict} (pairs: {spread}){bound}")
    return ratio


def cost_of_a_file() -> dict[int, float]:
    """Print what a file costs in trees of different sizes, in one process, its start taken off; milliseconds by size."""
    print("lint, processor time of a file, one process (-j 1), the start (one file) taken off, best of 2")
    costs: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        start = min(_taken(lint_command(make(1, Path(scratch, "1")), "-j", "1")) for _ in range(3))
        for size in SIZES:
            command = lint_command(make(size, Path(scratch, str(size))), "-j", "1")
            spent = min(_taken(command) for _ in range(2))
            costs[size] = (spent - start) / size * 1000
            print(f"  {size:>6} files  {spent:7.2f} s   {costs[size]:6.2f} ms a file")
    growth = costs[SIZES[-1]] / costs[SIZES[0]]
    print(f"  largest to smallest {growth:5.2f}   budget {FLAT} {'met' if growth <= FLAT else 'NOT MET'}")
    return costs


def _taken(command: list[str]) -> float:
    """Processor seconds of one process: other work on the machine counts for less than in wall seconds."""
    before = processor_seconds()
    seconds(command)
    return processor_seconds() - before


if __name__ == "__main__":
    beside_checkov()
    cost_of_a_file()
