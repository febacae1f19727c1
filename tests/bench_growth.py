"""`make bench`, the part about growth: what a start and a judgement cost with 5,000 rules, beside today's catalogue.

Both catalogues lie as a wheel carries them, in copies of the package. The generated rules are the real ones many times
over, each with lines of its own to look for and, nine times in ten, one more setting that it takes: of as many failures
as that a deployment has met few, and can meet some.
"""

from __future__ import annotations

import copy
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

from advisor.catalog import compiling, engines, histories, kept, layout, replacements
from advisor.catalog.compiled import compiled
from advisor.catalog.places import knowledge_root, rules_root

REPO = Path(__file__).parents[1]
RULES = 5000
PAIRS = 9
GROWTH, JUDGED_MS = 1.3, 50.0
FLAGS = "vllm serve m --tensor-parallel-size 4 --pipeline-parallel-size 2 --enable-prefix-caching"
CASES = {
    "flags": ("--flags", FLAGS),
    "symptom": ("--symptom", "after an hour under load every request hangs, one GPU at 100 %, the others at 0 %"),
    "both": ("--flags", FLAGS, "--symptom", "Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST)"),
}
JUDGE = """
import gc, sys, time
from advisor.jobs.assemble import assemble
from advisor.jobs.judging import judge_case
from advisor.jobs.request import Request
case, _ = assemble(Request(engine="vllm", version="0.28.0", flags=tuple(sys.argv[1:2]), symptoms=tuple(sys.argv[2:])))
took = []
for _ in range(5):
    begun = time.perf_counter()
    found = judge_case(case)
    took.append(time.perf_counter() - begun)
print(found.considered, len(found.verdicts), *took)
"""


def generated(total: int) -> list[dict[str, Any]]:
    """So many rules as plain data, in the order of ids: the real ones, and copies that ask for something else."""
    real = [raw for raw in _real() if raw["maturity"] != "retired"]
    made = list(real)
    for number in count():
        if len(made) >= total:
            return sorted(made, key=lambda raw: raw["id"].split("/"))
        made.append(_varied(real[number % len(real)], number))
    raise AssertionError


def _real() -> list[dict[str, Any]]:
    from advisor.catalog.places import rule_files
    from advisor.catalog.schema import read

    found = (read(file, str(file))[0] for file in rule_files(rules_root()))
    return [raw for raw in found if raw is not None]


def _varied(raw: dict[str, Any], number: int) -> dict[str, Any]:
    made = copy.deepcopy(raw)
    made["id"] += f"-{number:05}"
    made["symptoms"] = _with_lines(made["symptoms"], number)
    if number % 10 and made["id"].partition("/")[0] != "any":
        extra = {"setting": f"--generated-{number}", "is": True}
        made["exposure"] = {"all": [made["exposure"], extra]} if made.get("exposure") else extra
    return made


def _with_lines(part: Any, number: int) -> Any:
    """The conditions, each looking for a line or frame that only this rule asks for."""
    if isinstance(part, list):
        return [_with_lines(one, number) for one in part]
    if not isinstance(part, dict):
        return part
    varied = {key: _with_lines(value, number) for key, value in part.items()}
    if isinstance(part.get("log"), str):
        varied["log"] = f"(?:{part['log']})[^\\n]*generated{number}"
    if "stack" in part:
        varied["stack"] = [*part["stack"], f"generated_{number}"]
    return varied


def laid_out(folder: Path, rules: list[dict[str, Any]]) -> Path:
    """A copy of the package with these rules, as a wheel carries them; the folder to import it from."""
    package = folder / "advisor"
    shutil.copytree(REPO / "advisor", package, ignore=shutil.ignore_patterns("__pycache__"))
    data = package / "_data"
    (data / "rules").mkdir(parents=True)
    (data / "knowledge").symlink_to(knowledge_root())
    kept.write(data / layout.SHIPPED, compiling.packed(rules, []))
    kept.write(data / "engines.json", engines.compile_profiles(knowledge_root()))
    kept.write(data / replacements.SHIPPED, replacements.compile_replacements(knowledge_root()))
    for settings in knowledge_root().glob("*/settings.json"):
        kept.write(data / histories.shipped_name(settings.parent.name), histories.compile_settings(settings))
    return folder


def growth(total: int = RULES) -> dict[str, float]:
    """Print what a start and a judgement cost with so many rules; the ratio of starts, and milliseconds by case."""
    today = len(list(compiled().all()))
    print(f"growth: {total} generated rules beside today's {today}, as a wheel carries them")
    with tempfile.TemporaryDirectory() as scratch:
        small = laid_out(Path(scratch, "today"), generated(today))
        large = laid_out(Path(scratch, "grown"), generated(total))
        for folder in (small, large):
            _start(folder)
        pairs = [(_start(small), _start(large)) for _ in range(PAIRS)]
        ratio = statistics.median(grown / now for now, grown in pairs)
        for name, at in (("today", 0), (f"{total}", 1)):
            print(
                f"  {name:<6} {statistics.median(pair[at] for pair in pairs) * 1000:7.1f} ms   advisor check --flags …"
            )
        print(f"  ratio  {ratio:7.2f}      budget {GROWTH} {'met' if ratio <= GROWTH else 'NOT MET'}")
        found = {"start": ratio}
        for name, options in CASES.items():
            found[name] = _judged(large, name, options)
    return found


def environment_of(folder: Path) -> dict[str, str]:
    """The environment in which that copy answers, with a cache of its own."""
    own = {**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "XDG_CACHE_HOME": str(folder / "cache")}
    own.pop("PYTHONDONTWRITEBYTECODE", None)
    return own


def _start(folder: Path) -> float:
    command = [sys.executable, "-m", "advisor", "check", "--engine", "vllm", "--version", "0.28.0", "--flags", FLAGS]
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=environment_of(folder), cwd=folder)
    assert done.returncode in (0, 1), done.stderr.decode()
    return time.perf_counter() - begun


def _judged(folder: Path, name: str, options: tuple[str, ...]) -> float:
    given = dict(zip(options[::2], options[1::2], strict=True))
    texts = [given.get("--flags", ""), *filter(None, [given.get("--symptom")])]
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, *texts],
        capture_output=True,
        text=True,
        check=False,
        env=environment_of(folder),
        cwd=folder,
    )
    assert not done.returncode, done.stderr
    considered, shown, first, *again = done.stdout.split()
    median = statistics.median(map(float, again)) * 1000
    print(
        f"  judged {median:7.1f} ms   {name}: {considered} rules, {shown} shown (the first of a process "
        f"{float(first) * 1000:.1f} ms); budget {JUDGED_MS:.0f} {'met' if median <= JUDGED_MS else 'NOT MET'}"
    )
    return median


if __name__ == "__main__":
    growth()
