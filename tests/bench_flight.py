"""`make bench`, the part about flight recorders: the dumps of 64 ranks of 20,000 entries, judged by whole processes.

Beside it stands PyTorch's own analyser where torch can be imported, and else the floor: a process that only decodes the
same JSON. The dumps are made by `flight_made`, one rank of which never joins the last collective; a run whose report
does not name that rank is no run. `ADVISOR_BENCH_RANKS` and `ADVISOR_BENCH_ENTRIES` make it smaller.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Literal, NamedTuple

from tests.flight_made import MISSING, make

RANKS = int(os.environ.get("ADVISOR_BENCH_RANKS", "64"))
ENTRIES = int(os.environ.get("ADVISOR_BENCH_ENTRIES", "20000"))
BUDGET_S = 5.0
RUNS = 2
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)
DECODED = "import json,sys; [json.load(open(f)) for f in sys.argv[1:]]"
# The highest resident size of a process and of those that it forked, each page counted wherever it stands.
MEASURED = (
    "import resource,subprocess,sys,time; t=time.perf_counter(); c=subprocess.run(sys.argv[1:],capture_output=True); "
    "s=time.perf_counter()-t; u=resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print(s,u.ru_utime+u.ru_stime,u.ru_maxrss,c.returncode); sys.stdout.flush(); sys.stdout.buffer.write(c.stdout+c.stderr)"
)


class Run(NamedTuple):
    """Wall seconds, processor seconds, MiB of the largest process, and what was printed."""

    seconds: float
    processor: float
    mib: int
    printed: str


def run(command: list[str]) -> Run:
    """One whole process; findings (exit code 1) are a success here."""
    done = subprocess.run([sys.executable, "-c", MEASURED, *command], capture_output=True, env=ENVIRONMENT, check=True)
    first, _, printed = done.stdout.decode().partition("\n")
    seconds, processor, kib, code = first.split()
    if code not in ("0", "1"):
        raise SystemExit(f"{shlex.join(command)[:300]} failed: {printed[-2000:]}")
    return Run(float(seconds), float(processor), int(kib) >> 10, printed)


def check_command(folder: Path) -> list[str]:
    """`advisor check FOLDER`."""
    return [sys.executable, "-m", "advisor", "check", str(folder)]


def flight_recorders() -> float:
    """Print the seconds and memory for pickles and JSON, and of what runs beside it; the seconds for pickles."""
    print(f"flight recorders of {RANKS} ranks, {ENTRIES} entries each, whole processes, best of {RUNS}")
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        forms: tuple[Literal["pickle", "json"], ...] = ("pickle", "json")
        for form in forms:
            at = Path(folder, form)
            begun = time.perf_counter()
            paths = make(at, RANKS, ENTRIES, "missing", form)
            size = sum(path.stat().st_size for path in paths) >> 20
            print(f"  {form}: {size} MiB, made in {time.perf_counter() - begun:.0f} s", flush=True)
            command = check_command(at)
            ran = [run(command) for _ in range(RUNS)]
            assert RANKS <= MISSING or all(
                f"rank {MISSING} never joined" in one.printed.replace("\n  ", " ") for one in ran
            )
            _say(form, min(ran), command)
            found[form] = min(ran).seconds
            beside = _beside(form, at, paths)
            if beside is not None:
                print(f"  {'ratio':<8}{found[form] / beside:7.2f}")
    met = "met" if found["pickle"] <= BUDGET_S else "NOT MET"
    print(f"  budget  {BUDGET_S:5.1f} s for the pickles, on two idle cores: {met}")
    return found["pickle"]


def _beside(form: str, folder: Path, paths: list[Path]) -> float | None:
    """PyTorch's analyser for the pickles, where it is there; bare decoding for the JSON."""
    if form == "json":
        command, name = [sys.executable, "-c", DECODED, *map(str, paths)], "decode"
    elif importlib.util.find_spec("torch") is None:
        print("  torchfrtrace: not measured, torch cannot be imported here")
        return None
    else:
        command, name = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", str(folder)], "fr_trace"
    ran = run(command)
    _say(name, ran, command)
    return ran.seconds


def _say(name: str, ran: Run, command: list[str]) -> None:
    shown = shlex.join([Path(command[0]).name, *command[1:]])
    shown = shown if len(shown) < 200 else f"{shown[:160]} … ({len(command)} words)"
    print(f"  {name:<8}{ran.seconds:7.2f} s, {ran.processor:.2f} s of processor, {ran.mib} MiB   {shown}", flush=True)


if __name__ == "__main__":
    flight_recorders()
