"""`python -m tests.bench_batch`: how many cases a second `advisor check --batch` answers, on all cores and on one.

The cases are the rules' own, as often as it takes, each time with words of its own (a number of requests, a time of
day), so that no two are the same text: engine, version, flags, variables, words, and logs or stacks as `log`. With
`REPORTS=file.jsonl` also those of users in that file, in the same way. Whole processes are timed, start and end
included. `ADVISOR_BENCH_CASES=N` takes another number of cases.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from advisor.catalog.engines import named
from advisor.jobs import batch, check
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.model.report import Report
from advisor.render.json import json_line

CASES = int(os.environ.get("ADVISOR_BENCH_CASES", "4000"))
BUDGET = 500.0
"""Cases a second, on two cores."""
RUNS = 3  # whole processes, of which the quickest counts: the machine only ever slows one down
CORES = 2
LOG = 4_000  # characters of a log: what is pasted into a line
SAMPLE = 200  # cases whose parts are timed
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def lines(count: int) -> Iterator[str]:
    """So many lines of a batch."""
    for number, case in enumerate(islice(cycle(tuple(cases())), count)):
        yield json.dumps(_line(case, number), ensure_ascii=False)


def launches(count: int) -> Iterator[str]:
    """So many lines with a launch and its build alone: what a fleet runs."""
    given = [one for one in map(json.loads, lines(len(list(cases())))) if one["launch"]]
    for number, one in enumerate(islice(cycle(given), count)):
        yield json.dumps({**one, "id": str(number), "symptom": "", "log": ""}, ensure_ascii=False)


def reported(file: Path, count: int) -> Iterator[str]:
    """So many lines out of users' reports; what is known of each beside the case is left out."""
    given = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    for number, one in enumerate(islice(cycle(given), count)):
        case = {key: one.get(key, "") for key in batch.KEYS}
        case |= {"id": str(number), "engine": "" if case["engine"] not in named() else case["engine"]}
        yield json.dumps({**case, "symptom": _own(str(case["symptom"] or ""), number)}, ensure_ascii=False)


def _own(words: str, number: int) -> str:
    """The words with some of their own."""
    return f"{words} Seen {number} times by {number % 24:02}:{number % 60:02}." if words else ""


def _line(case: RuleCase, number: int) -> dict[str, str]:
    given = case.request
    logs = "\n".join(one.content[:LOG].decode("utf-8", "replace") for one in given.files)
    words = " ".join(given.symptoms)
    return {
        "id": f"{case.rule}#{number}",
        "engine": given.engine,
        "version": given.version,
        "launch": " ".join(given.flags),
        "env": " ".join(given.env),
        "hardware": ", ".join(given.hardware),
        "symptom": _own(words, number),
        "log": logs,
    }


def whole(file: Path, cores: int) -> tuple[float, float, int]:
    """Seconds by the clock and of processors, and the answers, of one process that may use so many cores."""
    command = [sys.executable, "-m", "advisor", "check", "--batch", str(file)]
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
        preexec_fn=lambda: os.sched_setaffinity(0, allowed),
    )
    spent, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} failed: {done.stderr.decode(errors='replace')}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, used, done.stdout.count(b"\n")


def parts(content: list[str]) -> dict[str, float]:
    """Milliseconds of the processor that a case takes in each part of it, once everything is loaded."""
    took: dict[str, float] = defaultdict(float)
    stages = ("assemble", "judge_case", "report")
    real = {name: getattr(check, name) for name in stages}
    for name in stages:
        setattr(check, name, _timed(real[name], took, name))
    try:
        _answer(content)
        gc.collect()
        gc.freeze()
        took.clear()
        begun = time.process_time()
        _answer(content, _timed(json_line, took, "json"))
        took["all"] = time.process_time() - begun
    finally:
        for name in stages:
            setattr(check, name, real[name])
    return {name: spent / len(content) * 1000 for name, spent in took.items()}


def _answer(content: list[str], written: Callable[[Report], str] = json_line) -> None:
    for report, _ in batch.reports("\n".join(content)):
        written(report)


def _timed(function: Callable[..., Any], took: dict[str, float], name: str) -> Callable[..., Any]:
    def timed(*given: Any, **named: Any) -> Any:
        begun = time.process_time()
        try:
            return function(*given, **named)
        finally:
            took[name] += time.process_time() - begun

    return timed


def batches() -> dict[str, float]:
    """Print the figures; the cases a second on two cores, by what the cases are."""
    rates = {}
    kinds = {"the rules' own, with texts": lines(CASES), "the rules' own, launches alone": launches(CASES)}
    if os.environ.get("REPORTS"):
        kinds["users' reports"] = reported(Path(os.environ["REPORTS"]), CASES)
    for name, content in ((name, list(made)) for name, made in kinds.items()):
        size = sum(map(len, content)) / CASES / 1000
        print(f"a batch of {CASES} cases out of {name}, {size:.1f} kB each, a whole process")
        with tempfile.TemporaryDirectory() as folder:
            file, small = Path(folder, "cases.jsonl"), Path(folder, "few.jsonl")
            file.write_text("".join(f"{line}\n" for line in content), encoding="utf-8")
            small.write_text("".join(f"{line}\n" for line in content[:100]), encoding="utf-8")
            whole(small, CORES)  # what is compiled once and kept
            found = {cores: min(whole(file, cores) for _ in range(RUNS)) for cores in (CORES, 1)}
        for cores, (spent, used, answers) in found.items():
            if answers != CASES:
                raise SystemExit(f"{answers} answers to {CASES} cases")
            print(
                f"  on {cores}: {CASES / spent:7.0f} cases/s in {spent:.1f} s, the quickest of {RUNS}   {used / CASES * 1000:5.2f} ms of "
                "processor a case   advisor check --batch cases.jsonl"
            )
        rates[name] = CASES / found[CORES][0]
        said = ", ".join(f"{part} {took:.2f}" for part, took in parts(content[:: max(1, CASES // SAMPLE)]).items())
        print(f"  ms a case, warm: {said}")
        print(f"  budget {BUDGET:.0f} cases/s on {CORES} cores {'met' if rates[name] >= BUDGET else 'NOT MET'}")
    return rates


if __name__ == "__main__":
    batches()
