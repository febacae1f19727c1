"""`advisor collect` on processes that look like a wedged deployment, and on machines that lack one thing or another."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from advisor.model.capture import Step
from tests.front_door import Ran, advisor, checked
from tests.standing_in import DUMPS, Deployment, deployed, only, recorder, tool
from tests.test_shown_safely import STRINGS, safe

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
    pytest.mark.xdist_group("collect"),  # each sees the processes of all
]

PY_SPY = r"""PATH=/usr/bin:/bin
for last; do :; done
rank=$(tr '\0' '\n' </proc/$last/environ | sed -n 's/^RANK=//p')
echo "Process $last: sglang::scheduler_TP$rank"
echo 'Python v3.12.3 (/usr/bin/python3.12)

Thread 1 (active): "MainThread"
    all_gather (sglang/launch_server.py:40)
    <module> (sglang/launch_server.py:50)'
"""

SPOKEN = r"""echo "Process $last: $(tr '\0' ' ' </proc/$last/cmdline)"
echo 'Python v3.12.3 (/usr/bin/python3.12)

Thread 1 (active): "MainThread"
    sleep (x.py:4)'
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("deployment")
    with deployed(folder, environment=recorder(folder)) as one:
        yield one


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tools: a py-spy and an nvidia-smi."""
    folder = tmp_path_factory.mktemp("bin")
    tool(folder, "py-spy", PY_SPY)
    tool(folder, "nvidia-smi", f"[ $# -eq 0 ] && cat {DUMPS}/nvidia-smi.txt")
    only(folder, "cat")
    return folder


def collect(monkeypatch: pytest.MonkeyPatch, path: Path | str, *arguments: str) -> Ran:
    monkeypatch.setenv("PATH", str(path))
    return advisor("collect", "--wait", "0.1", *arguments)


@pytest.fixture(scope="module")
def taken(running: Deployment, bench: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """One collection of everything, which several tests look at."""
    archive = tmp_path_factory.mktemp("taken") / "incident.tar.gz"
    with pytest.MonkeyPatch.context() as patch:
        ran = collect(patch, bench, *running.named, "--output", str(archive))
    assert ran.code == 0, ran.err
    return ran, archive


def held(archive: Path) -> dict[str, str]:
    with tarfile.open(archive) as tar:
        return {one.name: tar.extractfile(one).read().decode() for one in tar}  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def judged(taken: tuple[Ran, Path]) -> dict[str, Any]:
    """What check says of it."""
    return checked(str(taken[1])).report


def steps(archive: Path) -> dict[str, dict[str, object]]:
    return {one["step"]: one for one in json.loads(held(archive)["manifest.json"])["steps"]}


# -- what two wedged ranks yield


def test_check_names_the_rank_that_did_not_join_and_the_collective(judged: dict[str, Any]) -> None:
    said = [one for one in judged["situation"] if one["kind"] == "missing_rank"]
    assert ["rank 0 launched _all_gather_base #201" in one["says"] for one in said] == [True], judged["situation"]
    assert "which rank 1 never joined" in said[0]["says"]


def test_check_gets_build_launch_and_environment_without_being_told(judged: dict[str, Any]) -> None:
    assert (judged["build"]["engine"], judged["build"]["version"]) == ("sglang", "0.5.16")
    assert judged["environment"]["NCCL_DEBUG"] == "INFO"
    assert judged["coverage"]["launch_complete"]
    assert ("--tp-size", 2) in {(one["flag"], one["value"]) for one in judged["settings"]}


def test_two_samples_of_a_rank_are_one_rank_that_did_not_move(judged: dict[str, Any]) -> None:
    assert [sorted(one["ranks"]) for one in judged["situation"] if one["kind"] == "stuck"] == [["0", "1"]]


def test_what_is_for_people_is_no_evidence(judged: dict[str, Any]) -> None:
    names = [one["name"].partition("!")[2] for one in judged["coverage"]["inputs"]]
    assert "launch.txt" in names and not [name for name in names if name.endswith((".json", ".kernel.txt"))]


def test_every_file_bears_the_rank_it_is_of(taken: tuple[Ran, Path], running: Deployment) -> None:
    files = held(taken[1])
    for rank, one in enumerate(running.ranks):
        for ending in ("stack.1.txt", "stack.2.txt", "kernel.txt", "stdout.log", "recorder"):
            assert f"rank{rank}-pid{one.pid}.{ending}" in files
    assert {"launch.txt", "packages.txt", "machine.txt", "nvidia-smi.txt"} <= files.keys()
    assert f"port{running.port}.metrics.2.txt" in files


def test_the_archive_is_for_its_owner_alone_and_bears_one_time(taken: tuple[Ran, Path]) -> None:
    assert stat.S_IMODE(taken[1].stat().st_mode) == 0o600
    with tarfile.open(taken[1]) as tar:
        assert len({one.mtime for one in tar}) == 1
    assert [path.name for path in taken[1].parent.iterdir()] == [taken[1].name]


def test_no_secret_and_no_stray_variable_is_written(taken: tuple[Ran, Path]) -> None:
    everything = "\n".join([taken[0].out, taken[0].err, *held(taken[1]).values()])
    assert "very-secret" not in everything and "hf_aaaa" not in everything
    assert "NOBODYS_BUSINESS" not in everything
    assert "very secret" not in everything and "k3y" not in everything
    assert "--api-key '[redacted]' '--admin-api-key=[redacted]' --max-queued-requests 7" in held(taken[1])["launch.txt"]
    assert "token=[redacted]" in "".join(text for name, text in held(taken[1]).items() if name.endswith("stdout.log"))


def test_the_plan_comes_first_and_says_what_writes(taken: tuple[Ran, Path], running: Deployment) -> None:
    out = taken[0].out
    assert out.index("Will do, in this order") < out.index("recorder: taken")
    assert "fr_0.pipe (a byte is written to it)" in out and "Every step but the last only reads." in out
    assert "at most" in out and out.rstrip().endswith(f"Next: advisor check {taken[1]}")


def test_a_command_line_cannot_speak_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "input()  # \x1b]0;owned\x07"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as loud:
        ran = advisor("collect", "--plan", "--pid", str(loud.pid))
        loud.kill()
    assert ran.code == 0 and "owned" in ran.out and "\x1b" not in ran.out and "\x07" not in ran.out


def test_plan_alone_does_nothing(
    running: Deployment, bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = [(running.folder / f"trace_{rank}").stat().st_mtime_ns for rank in (0, 1)]
    ran = collect(monkeypatch, bench, *running.named, "--plan", "-o", str(tmp_path / "a.tar.gz"))
    assert ran.code == 0 and "py-spy dump --native" in ran.out and not list(tmp_path.iterdir())
    assert before == [(running.folder / f"trace_{rank}").stat().st_mtime_ns for rank in (0, 1)]


def test_the_plan_in_chinese(running: Deployment, bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran = collect(monkeypatch, bench, *running.named, "--plan", "--lang", "zh", "-o", str(tmp_path / "a.tar.gz"))
    assert "将依次执行" in ran.out and "Will do" not in ran.out and "pauses each process" not in ran.out


def test_without_the_trigger_old_dumps_are_taken_and_said_to_be_old(
    running: Deployment, bench: Path, taken: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    archive = tmp_path / "a.tar.gz"
    before = (running.folder / "trace_0").stat().st_mtime_ns
    ran = collect(monkeypatch, bench, *running.named, "--no-trigger", "-o", str(archive))
    assert "Every step only reads." in ran.out and "minutes before" in ran.out
    assert f"rank0-pid{running.ranks[0].pid}.old-recorder" in held(archive)
    assert (running.folder / "trace_0").stat().st_mtime_ns == before


def test_an_engine_is_found_by_its_command(running: Deployment, bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = collect(monkeypatch, bench, "--engine", "sglang", "--plan")
    assert all(f"{one.pid} sglang (rank {rank})" in ran.out for rank, one in enumerate(running.ranks))


def test_the_real_py_spy(running: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = Path(sys.executable).parent / "py-spy"
    if not real.exists():
        pytest.skip("py-spy is not installed")
    archive = tmp_path / "a.zip"
    ran = collect(monkeypatch, tmp_path, *running.named, "--no-trigger", "-o", str(archive))
    if "may not look into" in ran.out:
        pytest.skip("py-spy is not permitted here")
    with zipfile.ZipFile(archive) as found:
        stack = found.read(f"rank1-pid{running.ranks[1].pid}.stack.1.txt").decode()
    assert "all_gather (sglang/launch_server.py" in stack


# -- what lacks, hangs, floods or goes away


def bare(folder: Path) -> str:
    """A PATH on which nothing is but a py-spy that says it is not permitted; the one beside Python is hidden by it."""
    return str(
        tool(
            folder, "py-spy", "echo 'Permission Denied: Try running again with elevated permissions' >&2; exit 1"
        ).parent
    )


def test_no_permission_says_what_to_do_and_keeps_what_the_kernel_says(
    running: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    archive = tmp_path / "a.tar.gz"
    ran = collect(monkeypatch, bare(tmp_path / "bin"), *running.named, "--no-trigger", "-o", str(archive))
    assert ran.code == 0 and "SYS_PTRACE" in ran.out
    assert "State:" in held(archive)[f"rank0-pid{running.ranks[0].pid}.kernel.txt"]
    text = advisor("check", str(archive)).out
    assert "may not look into process" in text and "missing" not in text.partition("WHAT WAS LOOKED AT")[0]


def test_what_proc_does_not_show_is_said_and_stays_unknown(
    running: Deployment, bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from advisor.jobs.collect import prepare, run
    from advisor.jobs.collect_scene import Asked

    monkeypatch.setattr("advisor.capture.processes._environment", lambda pid: {})
    monkeypatch.setattr("advisor.capture.libraries.maps", lambda pid: "")
    monkeypatch.setenv("PATH", str(bench))
    archive, pids = tmp_path / "a.tar.gz", tuple(one.pid for one in running.ranks)
    done = run(prepare(Asked(archive, pids, wait_s=0)), lambda step: None)
    said = [text for one in done.outcomes for text in one.said]
    assert f"no environment could be read of: {pids[0]}, {pids[1]}" in said
    assert f"the memory map of process {pids[0]} may not be read" in said
    report = checked(str(archive)).report
    assert not report["environment"] and not [one for one in report["situation"] if one["kind"] == "missing_rank"]


def test_a_tool_that_hangs_is_stopped_with_what_it_started(
    running: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "bin"
    tool(folder, "py-spy", f"echo $$ >> {tmp_path}/pids; sleep 300 & echo $! >> {tmp_path}/pids; wait")
    only(folder, "sleep")
    monkeypatch.setattr("advisor.jobs.collect_samples.STACK_S", 0.2)
    from advisor.jobs.collect import prepare, run
    from advisor.jobs.collect_scene import Asked

    monkeypatch.setenv("PATH", str(folder))
    asked = Asked(tmp_path / "a.tar.gz", (running.ranks[0].pid,), wait_s=0, trigger=False)
    done = run(prepare(asked), lambda step: None)
    said = [text for one in done.outcomes for text in one.said]
    assert any("stopped after" in one for one in said), said
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        assert (
            not Path(f"/proc/{pid}").exists()
            or Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        )


def test_a_tool_that_prints_without_end_is_cut(
    running: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from advisor.capture.commands import Commands

    tool(tmp_path / "bin", "flood", "while :; do echo 0123456789012345678901234567890123456789; done")
    began = time.monotonic()
    with Commands() as commands:
        ran = commands.run([str(tmp_path / "bin" / "flood")], 10, cap=1 << 20)
    assert ran.cut and len(ran.out) == 1 << 20 and not ran.well and time.monotonic() - began < 8


def test_a_program_that_is_not_there_is_said() -> None:
    from advisor.capture.commands import Commands

    with Commands() as commands:
        assert "No such file" in commands.run(["/nowhere/py-spy"], 1).problem


def test_of_what_a_tool_complains_of_the_reason_is_told_and_no_frame_of_its_own() -> None:
    from advisor.capture.commands import Commands
    from advisor.jobs.collect_scene import why

    frames = r"Error: no python version\n\nStack backtrace:\n   0: anyhow::error\n  10: main\n"
    with Commands() as commands:
        assert why(commands.run(["sh", "-c", f"printf '{frames}' >&2; exit 1"], 5)) == "Error: no python version"
        assert why(commands.run(["sh", "-c", "exit 3"], 5)) == "exit code 3"


def test_a_process_that_goes_away_is_said(bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from advisor.jobs.collect import prepare, run
    from advisor.jobs.collect_scene import Asked

    monkeypatch.setenv("PATH", str(tool(tmp_path / "bin", "py-spy", "exit 1").parent))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as gone:
        prepared = prepare(Asked(tmp_path / "a.tar.gz", (gone.pid,), wait_s=0))
        gone.kill()
    done = run(prepared, lambda step: None)
    assert any(f"process {gone.pid} had gone" in text for one in done.outcomes for text in one.said)


@contextmanager
def odd(folder: Path, title: str = "python", *words: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of somebody, under a title and in an environment of their choice."""
    code = "import signal, time; signal.alarm(60); print('ready', flush=True); time.sleep(60)"
    with (folder / "out.log").open("wb") as out:
        one = subprocess.Popen(
            [os.fsencode(title), "-c", code, *words], executable=sys.executable, stdout=out, stdin=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )  # fmt: skip
    try:
        while not (folder / "out.log").read_bytes():
            time.sleep(0.01)
        yield one
    finally:
        one.kill()
        one.wait()


def test_an_environment_cannot_name_another_file_as_a_dump(
    bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What it names may be a link to what only root may read."""
    variables = {"TORCH_NCCL_TRACE_BUFFER_SIZE": "9", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{tmp_path}/trace_"}
    with odd(tmp_path, RANK="0", **variables) as one:
        (tmp_path / "private").write_text("nobody else's business\n")
        (tmp_path / "trace_0").symlink_to(tmp_path / "private")
        ran = collect(monkeypatch, bench, "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
    assert "it is no dump of a flight recorder" in " ".join(ran.out.split())
    assert not any("recorder" in name for name in held(tmp_path / "c.tar.gz"))


def test_a_title_that_is_no_text_and_a_rank_without_end(
    bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with odd(tmp_path, os.fsdecode(b"VLLM::\xff\xfe"), RANK="9" * 5000) as one:
        ran = collect(monkeypatch, bench, "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
    assert ran.code == 0, ran.err
    assert f"pid{one.pid}.kernel.txt" in held(tmp_path / "c.tar.gz")


def test_secrets_in_odd_places_of_a_command_line(bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """py-spy repeats the command line as one, where nobody sees any more which word is a value."""
    tool(tmp_path / "bin", "py-spy", f"PATH=/usr/bin:/bin\nfor last; do :; done\n{SPOKEN}")
    words = [
        "--api-key",
        "my s3cret-1",
        "--api-keys",
        "s3cret-2",
        "s3cret-3",
        "--tp",
        "2",
        "http://h/?token=s3cret-4&x=1",
    ]
    with odd(tmp_path, "python", *words, NCCL_ODD_TOKEN="s3cret-5", NCCL_DEBUG="INFO") as one:
        collect(monkeypatch, tmp_path / "bin", "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
    found = held(tmp_path / "c.tar.gz")
    assert [name for name, text in found.items() if "s3cret" in text] == []
    assert "MainThread" in found[f"pid{one.pid}.stack.1.txt"]
    assert all(kept in found["processes.json"] for kept in ("--tp 2", "INFO"))


def test_a_title_that_drives_a_terminal(bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In what is said, in the archive, and in the report that is made of it."""
    title = f"VLLM::{' '.join(STRINGS.values())} --api-key s3cret-9"
    tool(tmp_path / "bin", "py-spy", f"PATH=/usr/bin:/bin\nfor last; do :; done\n{SPOKEN}")
    with odd(tmp_path, title, TITLE=title) as one:
        ran = collect(monkeypatch, tmp_path / "bin", "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
    assert ran.code == 0, ran.err
    report = advisor("check", str(tmp_path / "c.tar.gz"), "-v")
    for text in (ran.out, ran.err, report.out, report.err):
        assert safe(text) is None and "s3cret" not in text
    assert [name for name, text in held(tmp_path / "c.tar.gz").items() if "s3cret" in text] == []


def test_a_process_that_nobody_has_asked_how_it_ended(
    bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = subprocess.Popen(["true"])
    os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOWAIT)
    ran = collect(monkeypatch, bench, "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
    one.wait()
    assert ran.code == 0, ran.err
    assert "zombie" in held(tmp_path / "c.tar.gz")["processes.json"]


def test_logs_of_one_name_are_all_taken(bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    logs = [tmp_path / node / "serve.log" for node in ("a", "b")]
    for log in logs:
        log.parent.mkdir()
        log.write_text(f"of {log.parent.name}\n")
    named = [word for log in logs for word in ("--log", str(log))]
    collect(monkeypatch, bench, "--pid", str(os.getppid()), *named, "--output", str(tmp_path / "c.tar.gz"))
    found = held(tmp_path / "c.tar.gz")
    assert [found["log.serve.log"], found["log.2.serve.log"]] == ["of a\n", "of b\n"]


def test_what_a_process_prints_to_is_read_where_the_process_has_it(
    bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a container the path leads to another file; here its name has been given to one."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("may not make a mount namespace")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "out.log").write_text("of this machine\n")
    inside = "mount -t tmpfs none here && exec sh -c 'echo of the container; exec sleep 60' >here/out.log"
    with subprocess.Popen(["unshare", "-m", "sh", "-c", inside], cwd=tmp_path) as one:
        try:
            while Path(f"/proc/{one.pid}/comm").read_text() != "sleep\n":
                time.sleep(0.01)
            collect(monkeypatch, bench, "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
        finally:
            one.kill()
    assert held(tmp_path / "c.tar.gz")[f"pid{one.pid}.stdout.log"] == "of the container\n"


def test_a_port_that_is_another_s_is_not_asked(
    running: Deployment, bench: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An engine that does not listen yet, or in a container, and here somebody else does on its port."""
    words = ["-m", "sglang.launch_server", "--model-path", "m", "--port", str(running.port)]
    package = {"PYTHONPATH": str(running.folder / "packages"), "RANK": "1"}
    with (tmp_path / "out.log").open("wb") as out:
        one = subprocess.Popen([sys.executable, *words], env={**os.environ, **package}, stdout=out)
    try:
        while b"ready" not in (tmp_path / "out.log").read_bytes():
            time.sleep(0.01)
        ran = collect(monkeypatch, bench, "--plan", "--pid", str(one.pid))
    finally:
        one.kill()
        one.wait()
    assert "sglang.launch_server" in ran.out and "GET http" not in ran.out


def test_a_tool_that_others_can_write_is_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder is named by a process of anyone's."""
    tool(tmp_path / "venv" / "bin", "py-spy", f"echo run >{tmp_path}/ran")
    (tmp_path / "venv" / "bin").chmod(0o777)
    with odd(tmp_path, VIRTUAL_ENV=f"{tmp_path}/venv") as one:
        collect(monkeypatch, "/nowhere", "--pid", str(one.pid), "--output", str(tmp_path / "c.tar.gz"))
    assert not (tmp_path / "ran").exists()


def test_a_read_that_never_returns_is_given_up(tmp_path: Path) -> None:
    from advisor.capture.bounded import within
    from advisor.capture.files import start

    never = threading.Event()
    assert within(0.05, never.wait, False) is False
    os.mkfifo(tmp_path / "pipe")
    assert start(tmp_path / "pipe", 10).problem == "not a regular file"


def test_a_signal_that_another_thread_gets_is_heard_of_at_once() -> None:
    """As is one that comes between two instructions, just before the wait begins: neither ends the wait."""
    from advisor.capture.bounded import within

    over = threading.Event()

    def call() -> bool:
        signal.raise_signal(signal.SIGINT)
        return over.wait(30)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        within(30, call, False)
    over.set()
    assert time.monotonic() - began < 10


def test_an_interruption_waits_for_the_step_at_hand(running: Deployment, bench: Path, tmp_path: Path) -> None:
    """Where a thread of it is in the middle of a pattern while the process ends, that aborts."""
    from advisor.capture import bounded
    from advisor.jobs.collect import prepare, run
    from advisor.jobs.collect_scene import Asked

    heard: list[str] = []
    left = set(bounded._reading)

    def told(step: Step) -> None:
        heard.append(step.name)
        if step.name == "stacks again":
            threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()

    asked = Asked(tmp_path / "a.tar.gz", tuple(rank.pid for rank in running.ranks), wait_s=60)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(prepare(asked), told)
    assert heard[-1] == "stacks again" and bounded._reading <= left and time.monotonic() - began < 30
    assert not (tmp_path / "a.tar.gz").exists()


def test_a_log_of_any_size_gives_its_head_and_its_tail(tmp_path: Path) -> None:
    from advisor.capture.files import ends

    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(10_000)))
    read = ends(log, 100, 100)
    assert read.cut and read.content.startswith(b"line 0\n") and read.content.endswith(b"line 9999\n")
    assert b"\n# advisor: " in read.content and len(read.content) < 300


def test_a_server_that_never_answers_costs_its_bound() -> None:
    import socket

    from advisor.capture.endpoints import get

    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        answer = get("127.0.0.1", deaf.getsockname()[1], "/health", 0.2)
    assert answer.status == 0 and answer.problem == "timed out after 0.2 s" and answer.seconds < 2
    told = checked("-", stdin=answer.headed()).report
    assert not told["findings"]


def test_of_counters_without_end_only_whole_lines_are_kept() -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer

    from advisor.capture.endpoints import get

    class Endless(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"sglang:num_running_reqs 12345\n" * 1000)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        answer = get("127.0.0.1", server.server_port, "/metrics", 5, cap=1003)
    assert answer.cut and answer.whole.endswith(b" 12345\n") and answer.body.startswith(answer.whole)


def test_a_library_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    from advisor.capture.libraries import nccl_version

    os.mkfifo(tmp_path / "libnccl.so.2")
    began = time.monotonic()
    assert nccl_version(os.getpid(), str(tmp_path / "libnccl.so.2"), 5) == "" and time.monotonic() - began < 2


def test_no_engine_no_gpu_and_no_py_spy_is_said_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("advisor.capture.processes.engines", lambda processes, patterns: {})
    monkeypatch.setattr("advisor.capture.processes.accelerator_users", lambda processes: {})
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["advisor", "collect", "--output", str(tmp_path / "a.tar.gz")])
    from advisor.faces.cli import main

    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert set(steps(tmp_path / "a.tar.gz")) == {"devices", "machine"}
    assert advisor("check", str(tmp_path / "a.tar.gz")).code == 0


# -- the archive, and the operator's own mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pid", "4194303"], "no such process"),
        (["--engine", "trt"], "known: lmdeploy"),
        (["--log", "/nowhere.log"], "no such file"),
        (["--namespace", "prod"], "goes with --kubectl POD"),
        (["--kubectl", ""], "names no pod"),
        (["--kubectl", "Not A Pod; rm -rf /"], "is no name that Kubernetes takes"),
        (["-o", "/nowhere/a.tar.gz"], "cannot be written"),
        (["-o", "/tmp/a.rar"], "has no ending known here"),
        (["-o", "/tmp"], "is a folder"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(arguments: list[str], words: str) -> None:
    ran = advisor("collect", "--wait", "0", *arguments)
    assert ran.code == 2 and words in ran.err and "Traceback" not in ran.err


def test_an_archive_is_never_written_over_and_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from advisor.capture.archive import Archive
    from advisor.errors import UsageError

    (tmp_path / "a.tar.gz").write_bytes(b"mine")
    with pytest.raises(UsageError, match="is there already"):
        Archive(tmp_path / "a.tar.gz")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"), Archive(tmp_path / "b.tar.gz") as archive:
        archive.write([("a", b"b")], 0)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_no_file_and_no_child(running: Deployment, tmp_path: Path, end: signal.Signals) -> None:
    tool(tmp_path / "bin", "py-spy", f"echo $$ >> {tmp_path}/pids; exec sleep 300")
    only(tmp_path / "bin", "sleep")
    with subprocess.Popen(
        [sys.executable, "-m", "advisor", "collect", *running.named, "-o", str(tmp_path / "a.tar.gz")],
        env={**os.environ, "PATH": str(tmp_path / "bin"), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as ran:  # fmt: skip
        until = time.monotonic() + 15
        while time.monotonic() < until and not (tmp_path / "pids").exists():
            time.sleep(0.02)
        ran.send_signal(end)
        assert ran.wait(15) == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "pids"]
    assert not [pid for pid in (tmp_path / "pids").read_text().split() if Path(f"/proc/{pid}").exists()]


def test_what_is_stopped_from_another_thread_ends_at_once() -> None:
    """A pipe that is closed under a reader never tells it that it has ended: one in twelve waited for its bound."""
    from advisor.capture.commands import Commands

    for _ in range(60):
        commands = Commands()
        with ThreadPoolExecutor(4) as pool:
            runs = [pool.submit(commands.run, ["sleep", "60"], 30) for _ in range(4)]
            while len(commands._running) < 4:
                time.sleep(0.001)
            commands.stop()
            assert not [one.result(5) for one in runs if one.result(5).timed_out]


def test_a_real_shell_takes_the_driver_of_the_wedged_ranks() -> None:
    driver = Path(__file__).parent / "wedged" / "collect_wedged.sh"
    assert subprocess.run([shutil.which("sh") or "sh", "-n", str(driver)], check=False).returncode == 0


REAL = Path(__file__).parent / "evidence" / "data" / "two_ranks_wedged"


def test_of_two_real_ranks_the_missing_one_and_the_collective_are_named(tmp_path: Path) -> None:
    """What was taken on two H200 of the ranks of tests/wedged/: rank 1 holds a lock, rank 0 spins in NCCL."""
    archive = tmp_path / "wedged.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        for file in sorted(REAL.iterdir()):
            packed.add(file, file.name)
    report = checked(str(archive)).report
    said = {one["kind"]: one["says"] for one in report["situation"] if one["kind"] != "waits"}
    assert said["missing_rank"].startswith(
        "rank 0 launched all_gather #11 of the default group, which rank 1 never joined"
    )
    assert said["stuck"] == "between two captures the main thread of ranks 0 and 1 did not move by a line"
    assert said["spin"].startswith("GPU 0 is 100 % busy") and said["idle"].startswith("GPU 1 idles")
    waits = [one["says"] for one in report["situation"] if one["kind"] == "waits"]
    assert "rank 1 stands in wait_for_a_lock_nobody_releases (two_ranks.py)" in waits
    assert not {one["status"] for one in report["findings"]} & {"matched", "likely"}
    assert not report["coverage"]["notes"], report["coverage"]["notes"]
