"""What is taken twice, because moving or not is the question: stacks and counters; and the engine's health, once."""

from __future__ import annotations

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import split

from advisor.capture import endpoints
from advisor.capture.commands import Ran, find
from advisor.jobs.collect_scene import Kept, Scene, why
from advisor.model.capture import Outcome, status
from advisor.redaction import GONE

STACK_S, HEALTH_S, METRICS_S = 30.0, 25.0, 10.0  # SGLang gives its own /health 20 s
AT_ONCE = 8
_COMMAND = re.compile(rb"\AProcess \d+: (.*?)\n(?=Python v)", re.S)
_DENIED = re.compile(rb"[Pp]ermission [Dd]enied|[Oo]peration not permitted|ptrace|EPERM")


@dataclass(frozen=True)
class Tool:
    """How a process's stacks are dumped: command lines, of which the first that works is taken; none: no tool."""

    name: str
    lines: tuple[tuple[str, ...], ...] = ()


def tool_for(scene: Scene, pid: int) -> Tool:
    """py-spy, with the frames of native code where it can show them; what knowledge/ says for engines not in Python."""
    own = split(scene.dump_command(pid))
    if own and not scene.processes[pid].is_python:
        found = find(own[0])
        argv = tuple(str(pid) if word == "$PID" else word for word in own[1:])
        return Tool(own[0], ((found, *argv),) if found else ())
    found = find("py-spy", scene.tools_beside)
    if not found:
        return Tool("py-spy")
    plain = (found, "dump", "--pid", str(pid))
    if scene.asked.nonblocking:  # which --native cannot be
        return Tool("py-spy", ((*plain, "--nonblocking"),))
    return Tool("py-spy", ((found, "dump", "--native", "--pid", str(pid)), plain))


def stacks(scene: Scene, kept: Kept) -> Outcome:
    """The first sample of stacks."""
    scene.sampled = time.monotonic()
    return _stacks(scene, kept, 1)


def stacks_again(scene: Scene, kept: Kept) -> Outcome:
    """The second, at least the wait after the first."""
    scene.commands.pause(max(0.0, scene.sampled + scene.asked.wait_s - time.monotonic()))
    return _stacks(scene, kept, 2)


def _stacks(scene: Scene, kept: Kept, number: int) -> Outcome:
    pids = sorted(scene.chosen)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            found = dict(zip(pids, pool.map(lambda pid: _dump(scene, pid), pids), strict=True))
        except BaseException:
            scene.commands.stop()  # else the pool waits for what they run
            raise
    said: list[str] = []
    for pid, runs in found.items():
        for ran in runs:
            kept.ran(ran)
        if not (
            runs
            and runs[-1].well
            and kept.text(f"{scene.label(pid)}.stack.{number}.txt", _named(scene, pid, runs[-1].out))
        ):
            said.append(_none_of(scene, pid, runs))
    return Outcome("", status(len(said), len(found)), said=tuple(dict.fromkeys(said)))


def _named(scene: Scene, pid: int, dump: bytes) -> bytes:
    """The dump; where py-spy repeats a command line that holds secrets, each word of it is looked at for itself."""
    said = _COMMAND.match(dump)
    own = " ".join(scene.processes[pid].command).encode("utf-8", "replace")
    command = scene.command(pid)
    if said is None or GONE not in command or said[1].split() != own.split():
        return dump
    return b"Process %d: %s\n" % (pid, command.encode("utf-8", "replace")) + dump[said.end() :]


def _dump(scene: Scene, pid: int) -> list[Ran]:
    """The runs up to the first that went well, or that no other can better."""
    runs: list[Ran] = []
    for argv in tool_for(scene, pid).lines:
        runs.append(scene.commands.run(argv, STACK_S))
        if runs[-1].well or _DENIED.search(runs[-1].err) or not os.path.exists(f"/proc/{pid}"):
            break
    return runs


def _none_of(scene: Scene, pid: int, runs: list[Ran]) -> str:
    """Why there is no stack of a process, and what to do."""
    tool = tool_for(scene, pid).name
    if not runs:
        if tool != "py-spy":
            return f"{tool} is not here: install it, and collect again"
        return "py-spy is not here: `pip install py-spy` beside advisor or the engine, and collect again"
    if not os.path.exists(f"/proc/{pid}"):
        return f"process {pid} had gone"
    if _DENIED.search(runs[-1].err):
        return (
            f"{tool} may not look into process {pid}: run as root with CAP_SYS_PTRACE (docker --cap-add=SYS_PTRACE; "
            "a pod: securityContext.capabilities.add: [SYS_PTRACE]), or on the host (docker run --pid=host)"
        )
    return f"{tool} showed no stack of process {pid}: {why(runs[-1])}"


def metrics(scene: Scene, kept: Kept) -> Outcome:
    """The counters, first time."""
    return _metrics(scene, kept, 1)


def metrics_again(scene: Scene, kept: Kept) -> Outcome:
    """The counters, second time."""
    return _metrics(scene, kept, 2)


def _metrics(scene: Scene, kept: Kept, number: int) -> Outcome:
    said = []
    for host, port in scene.ports():
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        answer = endpoints.get(host, port, "/metrics", METRICS_S)
        if answer.status == 200 and answer.body.strip():
            kept.text(f"port{port}.metrics.{number}.txt", f"# {moment}\n".encode() + answer.whole)
        else:
            said.append(f"{answer.url} gave no counters: {answer.problem or f'HTTP {answer.status}'}")
    return Outcome("", status(len(said), len(scene.ports())), said=tuple(said))


def health(scene: Scene, kept: Kept) -> Outcome:
    """What the engine says of itself; that nothing came back is an answer too."""
    said = []
    for host, port in scene.ports():
        answer = endpoints.get(host, port, "/health", HEALTH_S)
        kept.text(f"port{port}.health.txt", answer.headed())
        if not answer.status:
            said.append(f"{answer.url} did not answer: {answer.problem}")
    return Outcome("", "taken", said=tuple(said))
