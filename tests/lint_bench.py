"""`make bench`, the part about `advisor lint`: beside checkov on 2,000 manifests, again when nothing or one file has changed,
and the cost of a file in small and large trees.

checkov (Apache-2.0) is stopped where it has taken far more than the budget asks: then the ratio is a lower bound, and
said to be one. Our own cache is one of the
bench's, empty of results before every first run; `ADVISOR_BENCH_PAIRS` says how many pairs are run.
"""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.competitors import program
from tests.manifests_made import make

MANIFESTS = 2000
PAIRS = int(os.environ.get("ADVISOR_BENCH_PAIRS", "2"))
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


def seconds(command: list[str], cache: Path, limit: float | None = None) -> tuple[float, bool]:
    """Wall seconds of one whole process, and whether it ended by itself; findings (exit code 1) are a success here."""
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(cache)}
    begun = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=environment, timeout=limit)
    except subprocess.TimeoutExpired:
        return time.perf_counter() - begun, False
    spent = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} failed: {done.stderr.decode(errors='replace')[-2000:]}")
    return spent, True


def forget(cache: Path) -> None:
    """No result of an earlier run is there any more; the compiled catalogue is."""
    shutil.rmtree(cache / "inference-advisor" / "lint", ignore_errors=True)


def processor_seconds() -> float:
    """What all ended child processes, and theirs, have taken of the processors."""
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime


def beside_checkov() -> float | None:
    """Print the command lines, their times and the ratio, from runs in turn; None when checkov is not to be had.

    A turn is: ours with nothing kept, ours again, ours with one file changed, checkov.
    """
    print(f"lint of {MANIFESTS} manifests beside checkov, whole processes, median of {PAIRS} turns")
    checkov = program("checkov", "checkov")
    if checkov is None:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch, "cache")
        folder, few = make(MANIFESTS, Path(scratch, "manifests")), make(25, Path(scratch, "few"))
        ours, theirs = lint_command(folder), checkov_command(checkov, folder)
        seconds(lint_command(few), cache)
        seconds(checkov_command(checkov, few), cache)  # that it works here, and byte code is there
        turns = [_turn(ours, theirs, folder, cache) for _ in range(PAIRS)]
    for name, command in (("first", ours), ("again", ours), ("one changed", ours), ("checkov", theirs)):
        wall, taken = (statistics.median(one[name][at] for one in turns) for at in (0, 1))
        words = shlex.join([Path(command[0]).name, *command[1:]])
        print(f"  {name:<11} {wall:7.2f} s, {taken:6.2f} s of processors   {words}")
    ratios = [one["checkov"][0] / one["first"][0] for one in turns]
    ratio = statistics.median(ratios)
    bound = (
        "" if all(one["ended"][0] for one in turns) else f" at least: checkov was stopped at {ENOUGH:.0f} times ours"
    )
    verdict = "met" if ratio >= BUDGET else "NOT MET"
    spread = ", ".join(f"{one:.1f}" for one in ratios)
    again = statistics.median(one["checkov"][0] / one["again"][0] for one in turns)
    print(f"  ratio    {ratio:7.1f}     budget {BUDGET:.0f} {verdict} (turns: {spread}); again: {again:.1f}{bound}")
    return ratio


def _turn(ours: list[str], theirs: list[str], folder: Path, cache: Path) -> dict[str, tuple[float, float]]:
    """Wall and processor seconds by what was run."""
    forget(cache)
    found: dict[str, tuple[float, float]] = {}
    for name in ("first", "again", "one changed"):
        if name == "one changed":
            with next(folder.rglob("*.yaml")).open("a") as file:
                file.write("# changed\n")
        before = processor_seconds()
        spent, _ = seconds(ours, cache)
        found[name] = spent, processor_seconds() - before
    before = processor_seconds()
    spent, ended = seconds(theirs, cache, limit=found["first"][0] * ENOUGH)
    return {**found, "checkov": (spent, processor_seconds() - before), "ended": (float(ended), 0.0)}


def cost_of_a_file() -> dict[int, float]:
    """Print what a file costs in trees of different sizes, in one process, its start taken off; milliseconds by size."""
    print("lint, processor time of a file, one process (-j 1), the start (one file) taken off: first run, and again")
    costs: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch, "cache")
        one = lint_command(make(1, Path(scratch, "1")), "-j", "1")
        start = min(_taken(one, cache)[0] for _ in range(4))
        again = min(_taken(one, cache)[1] for _ in range(3))
        for size in SIZES:
            first, second = _taken(lint_command(make(size, Path(scratch, str(size))), "-j", "1"), cache)
            costs[size] = (first - start) / size * 1000
            warm = (second - again) / size * 1000
            print(
                f"  {size:>6} files  {first:7.2f} s  {costs[size]:6.2f} ms a file   again {second:6.2f} s  {warm:5.2f} ms"
            )
    growth = costs[SIZES[-1]] / costs[SIZES[0]]
    print(f"  largest to smallest {growth:5.2f}   budget {FLAT} {'met' if growth <= FLAT else 'NOT MET'}")
    return costs


def _taken(command: list[str], cache: Path) -> tuple[float, float]:
    """Processor seconds of a first run and of a second: other work on the machine counts for less than in wall time."""
    forget(cache)
    found = []
    for _ in range(2):
        before = processor_seconds()
        seconds(command, cache)
        found.append(processor_seconds() - before)
    return found[0], found[1]


if __name__ == "__main__":
    beside_checkov()
    cost_of_a_file()
