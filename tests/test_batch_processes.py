"""`advisor check --batch` on several processes: the same answers in the same order, and how it ends before its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.faces import batch
from advisor.jobs.batch import TOGETHER

ONE = {"engine": "vllm", "version": "0.28.0", "launch": "--tensor-parallel-size 2", "symptom": "every request hangs"}
# As `python -m advisor`, but that few cases are many, and that a case can kill the process it is judged in.
START = """
import os, signal, sys
from advisor.faces import batch
batch.cores, batch.MANY, batch.TOGETHER = lambda: {cores}, 2, 1
judged = batch.reports
def reports(part):
    if '"kill"' in part:
        os.kill(os.getpid(), signal.SIGKILL)
    return judged(part)
batch.reports = reports
sys.argv = ["advisor", "check", "--batch", {file!r}]
from advisor.__main__ import run
run()
"""
forked = pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info >= (3, 14),
    reason="a process of the pool is a copy of its parent only there",
)


def start(file: Path, cores: int, count: int, kill: int = -1) -> subprocess.Popen[str]:
    """A batch of so many like cases, over so many processes; the one numbered `kill` kills its process."""
    cases = [{"id": "kill" if number == kill else str(number), **ONE} for number in range(count)]
    file.write_text("".join(json.dumps(one) + "\n" for one in cases))
    return subprocess.Popen(
        [sys.executable, "-c", START.format(cores=cores, file=str(file))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def is_gone(group: int) -> bool:
    """Whether no process is left of those that were started together."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What one process says of 30 cases: standard output and standard error."""
    file = tmp_path_factory.mktemp("batch") / "cases.jsonl"
    out, err = start(file, 1, 30).communicate(timeout=60)
    return out, err


def test_many_processes_answer_as_one_does(tmp_path: Path, alone: tuple[str, str]) -> None:
    run = start(tmp_path / "cases.jsonl", 3, 30)
    out, err = run.communicate(timeout=60)
    assert [json.loads(line)["id"] for line in out.splitlines()] == [str(number) for number in range(30)]
    assert (out, err) == alone
    assert is_gone(run.pid)


@forked
def test_where_a_process_dies_what_was_answered_stands_and_one_line_says_so(
    tmp_path: Path, alone: tuple[str, str]
) -> None:
    file = tmp_path / "cases.jsonl"
    run = start(file, 2, 30, kill=28)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 3
    answered = len(out.splitlines())
    assert answered <= 28  # fewer where the other process was held up in one of the first
    assert alone[0].startswith(out)
    assert err == (
        f"advisor: {file}: {answered} of its cases are answered: a process was ended from outside, as for want of memory, "
        "and the rest was not judged\n"
    )
    assert is_gone(run.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_an_interrupt_ends_all_of_it(tmp_path: Path) -> None:
    run = start(tmp_path / "cases.jsonl", 2, 4000)
    assert run.stdout is not None and run.stderr is not None
    assert json.loads(run.stdout.readline())["id"] == "0"
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to every process in front
    rest, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert len(rest.splitlines()) < 3000
    assert err == ""
    assert is_gone(run.pid)


@pytest.mark.parametrize("processes", [1, 2, 64])
@pytest.mark.parametrize("count", [0, 1, 9, 11, 100, 4_001])
def test_every_case_is_in_one_part_in_order_and_the_last_parts_are_small(count: int, processes: int) -> None:
    parts = list(batch._parts([str(number) for number in range(count)], processes))
    assert [one for part in parts for one in part] == [str(number) for number in range(count)]
    assert all(0 < len(part) <= TOGETHER for part in parts)
    assert not parts or (len(parts[0]) <= batch.FEW and len(parts[-1]) <= batch.FEW)
