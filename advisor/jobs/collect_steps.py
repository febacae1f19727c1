"""The steps of a collection: which there are here, in what order, and how each is done.

Two samples of what may or may not move (stacks, counters) are taken `wait_s` apart, and what does not change meanwhile
is taken between them. The flight recorder comes last: it is the one step that makes the engine write a file.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import join, split

from advisor.capture import endpoints, files, kernel, libraries, recorder
from advisor.capture.commands import Ran, find
from advisor.capture.processes import environment, open_files
from advisor.jobs.collect_scene import Kept, Scene
from advisor.model.capture import OURS, Outcome, Status, Step, Words, words

STACK_S, HEALTH_S, METRICS_S, DEVICE_S, FILES_S, LOG_S, RECORDER_S = 20.0, 25.0, 10.0, 20.0, 30.0, 20.0, 15.0
AT_ONCE = 8
LOG_HEAD, LOG_TAIL = 1 << 20, 8 << 20
_KERNEL_LINE = re.compile(
    rb"NVRM|Xid|oom|[Oo]ut of memory|Killed process|nvidia|amdgpu|davinci|mlx5|segfault|hung_task|blocked for more"
    rb"|pcieport|AER:|I/O error"
)
_KERNEL_LINES = 2_000
_DENIED = re.compile(rb"[Pp]ermission [Dd]enied|[Oo]peration not permitted|ptrace|EPERM", re.S)

DEVICE_COMMANDS = (  # those whose output a reader knows
    ("nvidia-smi", "nvidia-smi", ("nvidia-smi",)),
    (
        "nvidia-smi",
        "nvidia-smi.query",
        (
            "nvidia-smi",
            "--query-gpu=index,name,uuid,pstate,utilization.gpu,utilization.memory,memory.used,memory.total,power.draw,"
            "clocks.sm,driver_version",
            "--format=csv",
        ),
    ),
    ("nvidia-smi", "nvidia-smi.topo", ("nvidia-smi", "topo", "-m")),
    ("npu-smi", "npu-smi", ("npu-smi", "info")),
    ("rocm-smi", "rocm-smi", ("rocm-smi",)),
)


@dataclass(frozen=True)
class Tool:
    """How a process's stacks are dumped: several command lines, the first that works; none where no tool is there."""

    lines: tuple[tuple[str, ...], ...]
    name: str


def planned(scene: Scene) -> tuple[Step, ...]:
    """The steps that there are here, in order."""
    steps: list[Step] = []
    chosen = sorted(scene.chosen)
    if chosen:
        steps.append(Step("processes", ("/proc/PID/{status,cmdline,environ}",), 5.0))
        steps.append(_stack_step(scene, "stacks"))
    ports = scene.ports() if chosen else []
    urls = [f"http://{_host(host)}:{port}" for host, port in ports]
    if urls:
        steps.append(Step("metrics", tuple(f"GET {url}/metrics" for url in urls), METRICS_S * len(urls)))
        note = None
        if "sglang" in scene.chosen.values():
            note = words(
                "SGLang answers /health by generating one token, as for any probe; a wedged one does not answer"
            )
        steps.append(Step("health", tuple(f"GET {url}/health" for url in urls), HEALTH_S * len(urls), note))
    devices = [join(argv) for tool, _, argv in DEVICE_COMMANDS if find(tool)]
    steps.append(
        Step("devices", tuple(devices or ["nvidia-smi", "npu-smi info", "rocm-smi"]), DEVICE_S * max(1, len(devices)))
    )
    if chosen:
        steps.append(Step("libraries", ("/proc/PID/maps", "*.dist-info", "libnccl.so*"), FILES_S))
        steps.append(Step("kernel", ("/proc/PID/{status,wchan,stack}", "/proc/PID/task/*"), 5.0))
    steps.append(Step("machine", ("uname", "/proc/meminfo", "/dev/shm", "/sys/fs/cgroup", "dmesg -T"), 10.0))
    if logs := _logs(scene):
        steps.append(Step("logs", tuple(path for _, path in logs), LOG_S))
    if chosen:
        steps.append(_stack_step(scene, "stacks again"))
    if urls:
        steps.append(Step("metrics again", tuple(f"GET {url}/metrics" for url in urls), METRICS_S * len(urls)))
    steps += _recorder_step(scene)
    return tuple(steps)


def _host(host: str) -> str:
    address = endpoints.address(host)
    return f"[{address}]" if ":" in address else address


def _stack_step(scene: Scene, name: str) -> Step:
    tools = {pid: tool_for(scene, pid) for pid in sorted(scene.chosen)}
    how = tuple(join(tool.lines[0]) if tool.lines else f"{tool.name} --pid {pid}" for pid, tool in tools.items())
    rounds = -(-len(tools) // AT_ONCE)
    lines = max((len(tool.lines) for tool in tools.values()), default=1)
    note = None
    if not scene.asked.nonblocking and any(tool.name == "py-spy" for tool in tools.values()):
        note = words(
            "pauses each process while its stack is read, well under a second as a rule; --nonblocking does not"
        )
    return Step(name, how, STACK_S * rounds * max(1, lines), note)


def tool_for(scene: Scene, pid: int) -> Tool:
    """py-spy, with the frames of native code where it can show them; what the engine's knowledge says for others."""
    own = scene.dump_command(pid)
    if own and not scene.processes[pid].is_python:
        argv = tuple(str(pid) if word == "$PID" else word for word in split(own))
        found = find(argv[0])
        return Tool(((found, *argv[1:]),) if found else (), argv[0])
    found = find("py-spy", scene.tools_beside())
    if not found:
        return Tool((), "py-spy dump")
    plain = (found, "dump", "--pid", str(pid))
    if scene.asked.nonblocking:
        return Tool(((*plain, "--nonblocking"),), "py-spy")
    return Tool(((found, "dump", "--native", "--pid", str(pid)), plain), "py-spy")


# -- the steps themselves


def processes(scene: Scene, kept: Kept) -> Outcome:
    """The tree, and the launches with their environments, as the readers of launches take them."""
    rows = [_row(scene, pid) for pid in scene.tree()]
    content = {"format": f"{OURS.strip('# :')}-processes/1", "processes": rows}
    kept.text("processes.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    started = []
    for pid in scene.launches:
        lines = [join(scene.processes[pid].command)]
        lines += [f"{name}={value}" for name, value in scene.environment(pid).items() if "\n" not in value]
        started.append("\n".join(lines))
    if started:
        kept.text("launch.txt", "\n\n".join(dict.fromkeys(started)) + "\n")
    return Outcome("", "taken")


def _row(scene: Scene, pid: int) -> dict[str, object]:
    one = scene.processes[pid]
    return {
        "pid": pid, "ppid": one.ppid, "role": scene.chosen.get(pid, ""), "rank": scene.ranks.get(pid, ""),
        "state": one.state, "threads": one.threads, "started": datetime.fromtimestamp(one.started, UTC).isoformat(),
        "command": list(one.command) or [f"[{one.name}]"],
        "environment": scene.environment(pid) if pid in scene.chosen else {},
    }  # fmt: skip


def stacks(scene: Scene, kept: Kept) -> Outcome:
    """The first sample."""
    scene.sampled = time.monotonic()
    return _sample(scene, kept, 1)


def stacks_again(scene: Scene, kept: Kept) -> Outcome:
    """The second, at least the wait after the first."""
    left = scene.sampled + scene.asked.wait_s - time.monotonic()
    if left > 0:
        time.sleep(left)
    return _sample(scene, kept, 2)


def _sample(scene: Scene, kept: Kept, number: int) -> Outcome:
    said: list[Words] = []
    taken = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            found = dict(
                zip(sorted(scene.chosen), pool.map(lambda pid: _dump(scene, pid), sorted(scene.chosen)), strict=True)
            )
        except BaseException:
            scene.commands.stop()  # else the pool waits for them
            raise
    for pid, runs in found.items():
        for ran in runs:
            kept.ran(ran)
        if runs and runs[-1].well and kept.text(f"{scene.label(pid)}.stack.{number}.txt", runs[-1].out):
            taken += 1
        else:
            said.append(_no_stack(scene, pid, runs))
    status: Status = "taken" if taken == len(found) else "part" if taken else "failed"
    return Outcome("", status, said=tuple(dict.fromkeys(said)))


def _dump(scene: Scene, pid: int) -> list[Ran]:
    """The runs up to the first that went well."""
    runs: list[Ran] = []
    for argv in tool_for(scene, pid).lines:
        runs.append(scene.commands.run(argv, STACK_S))
        if runs[-1].well or _DENIED.search(runs[-1].err):
            break
    return runs


def _no_stack(scene: Scene, pid: int, runs: list[Ran]) -> Words:
    """Why there is no stack of a process, and what to do."""
    tool = tool_for(scene, pid)
    if not runs:
        if tool.name != "py-spy dump":
            return words("{tool} is not here: install it, and collect again", tool=tool.name)
        return words(
            "py-spy is not here: `pip install py-spy` beside advisor, or where the engine is, and collect again"
        )
    last = runs[-1]
    if not _alive(pid):
        return words("process {pid} had gone", pid=pid)
    if _DENIED.search(last.err):
        return words(
            "{tool} may not look into process {pid}: run as root or as its user, with CAP_SYS_PTRACE (docker run "
            "--cap-add=SYS_PTRACE; a pod: securityContext.capabilities.add: [SYS_PTRACE]), or on the host",
            tool=tool.name, pid=pid,
        )  # fmt: skip
    return words("{tool} showed no stack of process {pid}: {why}", tool=tool.name, pid=pid, why=_why(last))


def _why(ran: Ran) -> str:
    if ran.timed_out:
        return f"stopped after {ran.seconds:.0f} s"
    if ran.cut:
        return "its output was longer than any such output is"
    complaint = ran.err.decode("utf-8", "replace").strip().splitlines()
    return ran.problem or (complaint[-1][:200] if complaint else f"exit code {ran.code}")


def _alive(pid: int) -> bool:
    return bool(files.text(f"/proc/{pid}/stat"))


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
        answer = endpoints.get(endpoints.address(host), port, "/metrics", METRICS_S)
        if answer.status == 200 and answer.body.strip():
            kept.text(f"port{port}.metrics.{number}.txt", f"# {moment}\n".encode() + answer.body)
        else:
            why = answer.problem or f"HTTP {answer.status}"
            said.append(words("{url} gave no counters: {why}", url=answer.url, why=why))
    return Outcome("", _status(said, scene.ports()), said=tuple(said))


def health(scene: Scene, kept: Kept) -> Outcome:
    """What the engine says of itself; that nothing came back is an answer too."""
    said = []
    for host, port in scene.ports():
        answer = endpoints.get(endpoints.address(host), port, "/health", HEALTH_S)
        kept.text(f"port{port}.health.txt", answer.headed())
        if not answer.status:
            said.append(words("{url} did not answer: {why}", url=answer.url, why=answer.problem))
    return Outcome("", "taken", said=tuple(said))


def _status(said: list[Words], of: object) -> Status:
    count = len(of) if isinstance(of, list | tuple | dict) else 0
    return "taken" if not said else "part" if len(said) < count else "failed"


def devices(scene: Scene, kept: Kept) -> Outcome:
    """What the vendor's tools say of the accelerators."""
    said, there = [], 0
    for tool, name, argv in DEVICE_COMMANDS:
        path = find(tool)
        if not path:
            continue
        there += 1
        ran = scene.commands.run((path, *argv[1:]), DEVICE_S)
        kept.ran(ran)
        if ran.out.strip():
            kept.text(f"{name}.txt", ran.out)
        if not ran.well:
            said.append(words("{command} failed: {why}", command=join(argv), why=_why(ran)))
    if not there:
        return Outcome("", "nothing", said=(words("no nvidia-smi, npu-smi or rocm-smi here"),))
    return Outcome("", _status(said, [None] * there), said=tuple(said))


def libraries_of(scene: Scene, kept: Kept) -> Outcome:
    """Which communication libraries each process maps, their versions, and the packages it was started from."""
    said: list[Words] = []
    versions: dict[str, str] = {}
    packages: set[str] = set()
    until = time.monotonic() + FILES_S
    for pid in sorted(scene.chosen):
        lines = libraries.mapped(scene.maps[pid])
        if not scene.maps[pid]:
            said.append(words("the memory map of process {pid} may not be read", pid=pid))
        elif lines:
            kept.text(f"{scene.label(pid)}.maps.txt", "\n".join(lines) + "\n")
        for path in libraries.nccl_files(lines):
            if path not in versions:
                versions[path] = libraries.nccl_version(pid, path, max(0.1, until - time.monotonic()))
        packages.update(libraries.packages(pid, scene.maps[pid], scene.processes[pid].command, scene.environment(pid)))
    told = [f"{path}: {version}" for path, version in sorted(versions.items()) if version]
    if told:
        kept.text("nccl.txt", "\n".join(told) + "\n")
    if packages:
        kept.text("packages.txt", "\n".join(sorted(packages)) + "\n")
    return Outcome("", "part" if said else "taken", said=tuple(said))


def kernel_of(scene: Scene, kept: Kept) -> Outcome:
    """What the kernel says of each process; the only stack there is without py-spy."""
    gone = []
    for pid in sorted(scene.chosen):
        said = kernel.process_text(pid)
        if said:
            kept.text(f"{scene.label(pid)}.kernel.txt", f"{OURS}/proc/{pid}\n{said}")
        else:
            gone.append(words("process {pid} had gone", pid=pid))
    return Outcome("", _status(gone, scene.chosen), said=tuple(gone))


def machine(scene: Scene, kept: Kept) -> Outcome:
    """The machine, and what its kernel said of accelerators and of memory."""
    kept.text("machine.txt", f"{OURS}machine\n{kernel.machine_text()}")
    path = find("dmesg")
    if not path:
        return Outcome("", "part", said=(words("{tool} is not here", tool="dmesg"),))
    ran = scene.commands.run((path, "-T"), 8.0)
    kept.ran(ran)
    rows = [row for row in ran.out.split(b"\n") if _KERNEL_LINE.search(row)]
    kept.text("kernel.log", b"\n".join(rows[-_KERNEL_LINES:]) + b"\n" if rows else b"")
    said = () if ran.well else (words("{command} failed: {why}", command="dmesg -T", why=_why(ran)),)
    return Outcome("", "part" if said else "taken", said=said)


def _logs(scene: Scene) -> list[tuple[str, str]]:
    """Name in the archive and path: the logs named, and what the processes print to where that is a regular file."""
    found = {}
    for named in scene.asked.logs:
        found[str(named)] = f"log.{named.name}"
    for pid in sorted(scene.chosen):
        for number, path in open_files(pid):
            if number in (1, 2) and path.startswith("/") and not path.startswith(("/dev/", "/proc/")):
                seen = f"/proc/{pid}/fd/{number}"
                if path not in found and not path.endswith(" (deleted)") and _is_file(seen):
                    found[path] = f"{scene.label(pid)}.{'stdout' if number == 1 else 'stderr'}.log"
    return [(name, path) for path, name in found.items()]


def _is_file(path: str) -> bool:
    return not files.start(path, 1).problem


def logs(scene: Scene, kept: Kept) -> Outcome:
    """Head and tail of each log."""
    said = []
    every = _logs(scene)
    for name, path in every:
        read = files.ends(path, LOG_HEAD, LOG_TAIL)
        if read.problem:
            said.append(words("{path} cannot be read: {why}", path=path, why=read.problem))
        elif not kept.text(name, read.content):
            said.append(words("{path} is empty, or there is no more room for it", path=path))
        elif read.cut:
            said.append(words("{path}: of {size} MiB the first {head} and the last {tail}", path=path,
                              size=read.size >> 20, head=LOG_HEAD >> 20, tail=LOG_TAIL >> 20))  # fmt: skip
    return Outcome("", "part" if said else "taken", said=tuple(said))


def _recorder_step(scene: Scene) -> list[Step]:
    armed = _armed(scene)
    if not armed:
        return []
    asks = [f"{one.pipe} (a byte is written to it)" for one in armed if one.pipe and scene.asked.trigger]
    reads = list(dict.fromkeys(path for one in armed for path in one.dumps))
    note = None
    if asks:
        note = words("PyTorch answers by writing its dump to a file of its own; --no-trigger leaves that out")
    return [Step("recorder", tuple([*asks, *reads] or ["TORCH_NCCL_TRACE_BUFFER_SIZE"]), RECORDER_S, note, bool(asks))]


def _armed(scene: Scene) -> list[recorder.Armed]:
    found = []
    for pid in sorted(scene.chosen):
        one = recorder.armed(pid, scene.ranks.get(pid, ""), environment(pid))
        if one is not None:
            found.append(one)
    return found


def recorded(scene: Scene, kept: Kept) -> Outcome:
    """Ask every armed rank, wait for the dumps, and take those that lay there where no new one came."""
    said: list[Words] = []
    asked_at, until = time.time(), time.monotonic() + RECORDER_S
    waiting = []
    armed = _armed(scene)
    for one in armed:
        problem = recorder.ask(one) if one.pipe and scene.asked.trigger else "-"
        if not problem:
            waiting.append(one)
        elif problem != "-":
            said.append(words("the pipe {pipe} could not be written to: {why}", pipe=one.pipe, why=problem))
    if without := [one.pid for one in armed if not one.pipe]:
        said.append(_no_pipe(without))
    fresh = {one.pid: recorder.answered(one, asked_at, until) for one in waiting}
    for one in armed:
        dump = fresh.get(one.pid)
        if dump is None and one in waiting:
            said.append(
                words(
                    "process {pid} wrote no dump within {bound} s of being asked", pid=one.pid, bound=f"{RECORDER_S:g}"
                )
            )
        _keep_dump(scene, kept, one, dump, said)
    return Outcome("", "part" if said else "taken", said=tuple(said))


def _no_pipe(pids: list[int]) -> Words:
    return words(
        "no pipe of the flight recorder is open in {pids}: PyTorch makes one where TORCH_NCCL_DEBUG_INFO_PIPE_FILE and "
        "TORCH_NCCL_TRACE_BUFFER_SIZE are set and a group of NCCL was made",
        pids=", ".join(map(str, pids)),
    )


def _keep_dump(scene: Scene, kept: Kept, one: recorder.Armed, fresh: recorder.Dump | None, said: list[Words]) -> None:
    """The dump just written, else the one that lay there, which its name and a sentence tell apart."""
    dump = fresh or recorder.dump_of(one)
    if dump is None:
        return
    rank = f"rank{one.rank}-" if one.rank else ""
    if dump.read.problem or dump.read.cut:
        said.append(words("{path} cannot be read: {why}", path=dump.path, why=dump.read.problem or "too long"))
        return
    old = "" if fresh else "old-"
    kept.binary(f"{rank}pid{one.pid}.{old}recorder", dump.read.content)
    if old:
        age = max(0, round((time.time() - dump.written) / 60))
        said.append(words("{path} was written {age} minutes ago, not for this collection", path=dump.path, age=age))


STEPS: dict[str, Callable[[Scene, Kept], Outcome]] = {
    "processes": processes,
    "stacks": stacks,
    "metrics": metrics,
    "health": health,
    "devices": devices,
    "libraries": libraries_of,
    "kernel": kernel_of,
    "machine": machine,
    "logs": logs,
    "stacks again": stacks_again,
    "metrics again": metrics_again,
    "recorder": recorded,
}
