"""Every target for a while, and what came of it: `make fuzz`, or `python -m tests.fuzz [TARGET …]`.

FUZZ_SECONDS is what each target gets (15); as many run at once as there are cores. `python -m tests.fuzz TARGET FILE …`
runs these inputs alone. The exit code is 1 where a fault was found; the input that shows it is named.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.guided import targets
from tests.fuzz.properties import PROPERTIES

SECONDS = 15
KEPT = Path("build/fuzz")
"""Where inputs that show a fault are kept."""


@dataclass(frozen=True)
class Outcome:
    """One target's row; `edges` is 0 where nothing counts them; `said` is what it printed where there was a fault."""

    name: str
    kind: str
    inputs: int
    edges: int
    faults: int
    seconds: float
    said: str = ""


def main(arguments: Sequence[str]) -> int:
    """Run the targets named, all by default; the exit code."""
    known = [*targets(), *PROPERTIES]
    files = [Path(one) for one in arguments if one not in known]
    names = [one for one in arguments if one in known] or known
    if files:
        return (
            _again(names, files)
            if len(names) == 1 and not [one for one in files if not one.is_file()]
            else _usage(known)
        )
    seconds = int(os.environ.get("FUZZ_SECONDS") or SECONDS)
    guided = importlib.util.find_spec("atheris") is not None
    if not guided:
        print(
            f"fuzz: atheris has no wheel for Python {sys.version_info.major}.{sys.version_info.minor}: changed seeds in place of guided ones"
        )
    print(f"fuzz: {len(names)} targets, {seconds} s each, {os.cpu_count() or 1} at once")
    print(f"{'target':<26} {'kind':<16} {'inputs':>9} {'edges':>7} {'faults':>7} {'seconds':>8}")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        rows = []
        for row in pool.map(lambda name: _run(name, seconds, guided), names):
            print(
                f"{row.name:<26} {row.kind:<16} {row.inputs:>9,} {row.edges or '-':>7} {row.faults:>7} {row.seconds:>8.0f}",
                flush=True,
            )
            rows.append(row)
    for row in rows:
        if row.said:
            print(f"\n{row.name}\n{row.said}")
    print(f"fuzz: {sum(row.inputs for row in rows):,} inputs tried, {sum(row.faults for row in rows)} faults found")
    return int(any(row.faults for row in rows))


def _usage(known: Sequence[str]) -> int:
    print(f"fuzz: name targets, or one target and input files; targets: {' '.join(known)}", file=sys.stderr)
    return 2


def _again(names: Sequence[str], files: Sequence[Path]) -> int:
    for one in files:
        targets()[names[0]].one(one.read_bytes())
    print(f"fuzz: {names[0]}: {len(files)} inputs, no fault")
    return 0


def _run(name: str, seconds: int, guided: bool) -> Outcome:
    began = time.monotonic()
    row = (_property if name in PROPERTIES or not guided else _guided)(name, seconds)
    return Outcome(row.name, row.kind, row.inputs, row.edges, row.faults, time.monotonic() - began, row.said)


def _child(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, errors="replace", check=False
    )


def _property(name: str, seconds: int) -> Outcome:
    done = _child("tests.fuzz.properties", name, str(seconds))
    found = re.search(r"^inputs (\d+) faults (\d+)$", done.stdout, re.M)
    tried, faults = (int(found[1]), int(found[2])) if found else (0, 0)
    faults = faults or int(not tried)  # what tried nothing has shown nothing
    return Outcome(name, "property", tried, 0, faults, 0, (done.stdout + done.stderr)[-4000:] if faults else "")


def _guided(name: str, seconds: int) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        new = Path(folder, "new")
        new.mkdir()
        done = _child("tests.fuzz.guided", name, str(seconds), str(new))
        text = done.stdout + done.stderr
        shown = [_kept(one) for one in sorted(Path(folder).glob(f"{name}-*"))]
    runs = [
        int(one) for one in re.findall(r"^#(\d+)\s|number_of_executed_units: (\d+)", text, re.M) for one in one if one
    ]
    edges = [int(one) for one in re.findall(r"cov: (\d+)", text)]
    fault = done.returncode != 0 or bool(shown) or not any(runs)
    said = ""
    if fault:
        again = f"\nagain: python -m tests.fuzz {name} {' '.join(map(str, shown))}" if shown else ""
        said = _traceback(text) + again
    return Outcome(name, "coverage-guided", max(runs, default=0), max(edges, default=0), int(fault), 0, said)


def _kept(one: Path) -> Path:
    KEPT.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(one, KEPT / one.name))


def _traceback(text: str) -> str:
    """Why a guided target stopped: from the exception on, without what libFuzzer says of itself."""
    at = max(text.find("=== Uncaught Python exception"), text.find("ERROR: libFuzzer"))
    start = text.find("=== Uncaught Python exception")
    kept = text[start if start >= 0 else max(at, 0) :]
    return kept[:3000]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
