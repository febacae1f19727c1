"""What `make bench` measures in seconds of flight recorders, counted here; and what is said of the dumps it makes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from functools import partial
from pathlib import Path
from typing import Literal

import pytest

from advisor import intake
from advisor.evidence import divergence
from advisor.evidence import reading as evidence
from advisor.model.posted import Posted
from tests import bench_flight
from tests.counting import steps
from tests.flight_made import MISSING, make
from tests.front_door import advisor, checked

RANKS, ENTRIES = 64, 60
PER_ENTRY = 40  # steps; to read its opcodes one by one takes some 500
LAST = "_all_gather_base #120012 of the default group"


@pytest.fixture(scope="module")
def missing(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("flight") / "dumps"
    make(folder, RANKS, ENTRIES, "missing")
    return folder


def told(*inputs: Path) -> list[str]:
    return [one["says"] for one in checked(*map(str, inputs)).report["situation"]]


def test_the_rank_that_is_missing_is_named_first(missing):
    ran = advisor("check", str(missing))
    text = " ".join(ran.out.split())
    assert f"- ranks 0-36 and 38-63 launched {LAST}, which rank {MISSING} never joined" in text
    assert "dumps/nccl_trace_rank_0 and 63 more: recorder" in text
    assert len(ran.out.splitlines()) < 40


def test_a_folder_an_archive_and_json_say_the_same(missing, tmp_path):
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar,
        zipfile.ZipFile(tmp_path / "d.zip", "w") as zipped,
    ):
        for path in sorted(missing.iterdir()):
            tar.add(path, path.name)
            zipped.write(path, path.name)
    (tmp_path / "d.tar.gz").write_bytes(packed.getvalue())
    make(tmp_path / "json", RANKS, ENTRIES, "missing", "json")
    said = told(missing)
    assert said[0].endswith("rank 37 120011)")
    assert said == told(tmp_path / "d.tar.gz") == told(tmp_path / "d.zip") == told(tmp_path / "json")


def test_another_size_in_the_middle(tmp_path):
    make(tmp_path / "size", RANKS, ENTRIES, "size")
    assert told(tmp_path / "size")[0] == (
        "_all_gather_base #120008 of the default group has different sizes: ranks 0-36 and 38-63 9216 elements; "
        "rank 37 10240 elements"
    )


def test_a_run_that_serves_well(tmp_path):
    make(tmp_path / "well", RANKS, ENTRIES)
    ran = checked(str(tmp_path / "well"))
    assert ran.code == 0 and ran.report["situation"] == [] and ran.report["unexplained"] == []


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_an_entry_costs_a_few_steps(form: Literal["pickle", "json"], tmp_path):
    cost = []
    for entries in (400, 800):
        (path,) = make(tmp_path / str(entries), 1, entries, "healthy", form)
        data = path.read_bytes()
        (taken, taken_steps) = steps(partial(intake.take, "fr_rank_0", data))
        (read, read_steps) = steps(partial(evidence.read, taken.artifacts[0]))
        assert len(read.collectives) == entries
        cost.append(taken_steps + read_steps)
    assert cost[1] - cost[0] <= PER_ENTRY * 400


def test_only_what_is_spoken_of_becomes_a_collective(missing, monkeypatch):
    """Of 64 times 60 entries: those that are not complete, and a few beside them."""
    made = 0
    found = [evidence.read(intake.take(path.name, path.read_bytes()).artifacts[0]) for path in missing.iterdir()]
    real = Posted.__getitem__

    def counted(self, index):
        nonlocal made
        made += 1
        return real(self, index)

    monkeypatch.setattr(Posted, "__getitem__", counted)
    statements, _, _ = divergence.fused(found)
    assert statements[0].kind == "missing_rank" and len(statements[0].ranks) == RANKS
    assert made <= 16 * RANKS


def test_several_cores_say_what_one_says(tmp_path):
    """Enough bytes for processes of their own; a process that may use one core alone forks none."""
    make(tmp_path / "large", 2, 20_000, "missing", odd=1)
    command = [sys.executable, "-m", "advisor", "check", "large", "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    reports = []
    for cores in (os.sched_getaffinity(0), {min(os.sched_getaffinity(0))}) if sys.platform == "linux" else ():
        done = subprocess.run(
            command, capture_output=True, cwd=tmp_path, env=environment, check=True,
            preexec_fn=partial(os.sched_setaffinity, 0, cores),
        )  # fmt: skip
        reports.append(json.loads(done.stdout))
    assert all("which rank 1 never joined" in one["situation"][0]["says"] for one in reports)
    assert reports[:1] == reports[1:]


def test_the_bench_runs(monkeypatch, capsys):
    monkeypatch.setattr(bench_flight, "RANKS", 2)
    monkeypatch.setattr(bench_flight, "ENTRIES", 50)
    monkeypatch.setattr(bench_flight, "RUNS", 1)
    assert bench_flight.flight_recorders() > 0
    printed = capsys.readouterr().out
    assert "-m advisor check" in printed and "json.load(open(f))" in printed and "budget" in printed
