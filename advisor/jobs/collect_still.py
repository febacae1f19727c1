"""What is taken once: launches, accelerators, libraries, what the kernel says, the machine, logs."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import join

from advisor.capture import files, kernel, libraries
from advisor.capture.commands import find
from advisor.capture.processes import environment, open_files
from advisor.jobs.collect_scene import Kept, Scene, why
from advisor.model.capture import HOST, OURS, Outcome, status

DEVICE_S, FILES_S, DMESG_S = 20.0, 30.0, 8.0
LOG_HEAD, LOG_TAIL = 1 << 20, 8 << 20

DEVICE_COMMANDS = (  # tool, name in the archive, command: those whose output a reader knows
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
_KERNEL_LINE = re.compile(
    rb"NVRM|Xid|oom|[Oo]ut of memory|Killed process|nvidia|amdgpu|davinci|mlx5|segfault|hung_task|blocked for more"
    rb"|pcieport|AER:|I/O error"
)
_KERNEL_LINES = 2_000


def processes(scene: Scene, kept: Kept) -> Outcome:
    """The tree for people; and the launches with their environments, as the reader of launches takes them."""
    content = {"format": f"{OURS.strip('# :')}-processes/1", "processes": [_row(scene, pid) for pid in scene.tree()]}
    kept.text("processes.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    started = []
    for pid in scene.launches:
        lines = [scene.command(pid)]
        lines += [f"{name}={value}" for name, value in scene.environment(pid).items() if "\n" not in value]
        started.append("\n".join(lines))
    if started:
        kept.text("launch.txt", "\n\n".join(dict.fromkeys(started)) + "\n")
    closed = [str(pid) for pid in sorted(scene.chosen) if not environment(pid)]
    said = (f"no environment could be read of: {', '.join(closed)}",) if closed else ()
    return Outcome("", "part" if closed else "taken", said=said)


def _row(scene: Scene, pid: int) -> dict[str, object]:
    one = scene.processes[pid]
    return {
        "pid": pid, "ppid": one.ppid, "role": scene.chosen.get(pid, ""), "rank": scene.ranks.get(pid, ""),
        "state": one.state, "threads": one.threads, "started": datetime.fromtimestamp(one.started, UTC).isoformat(),
        "command": scene.command(pid),
        "environment": scene.environment(pid) if pid in scene.chosen else {},
    }  # fmt: skip


def devices(scene: Scene, kept: Kept) -> Outcome:
    """What the vendors' tools say of the accelerators."""
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
            said.append(f"{join(argv)} did not go well: {why(ran)}")
    if not there:
        return Outcome("", "nothing", said=("no nvidia-smi, npu-smi or rocm-smi here",))
    return Outcome("", status(len(said), there), said=tuple(said))


def libraries_of(scene: Scene, kept: Kept) -> Outcome:
    """Which communication libraries each process maps, their versions, and the packages it was started from."""
    said: list[str] = []
    versions: dict[str, str] = {}
    packages: set[str] = set()
    until = time.monotonic() + FILES_S
    for pid in sorted(scene.chosen):
        whole = libraries.maps(pid)
        lines = libraries.mapped(whole)
        if not whole:
            said.append(f"the memory map of process {pid} may not be read")
        kept.text(f"{scene.label(pid)}.maps.txt", "".join(f"{line}\n" for line in lines))
        for path in libraries.nccl_files(lines):
            versions[path] = versions.get(path) or libraries.nccl_version(pid, path, until - time.monotonic())
        packages.update(libraries.packages(pid, whole, scene.processes[pid].command, scene.environment(pid)))
    kept.text("nccl.txt", "".join(f"{path}: {version}\n" for path, version in sorted(versions.items()) if version))
    kept.text("packages.txt", "".join(f"{one}\n" for one in sorted(packages)))
    return Outcome("", status(len(said), len(scene.chosen)), said=tuple(said))


def kernel_of(scene: Scene, kept: Kept) -> Outcome:
    """What the kernel says of each process; the only stack there is without py-spy."""
    gone = []
    for pid in sorted(scene.chosen):
        said = kernel.process_text(pid)
        if said:
            kept.text(f"{scene.label(pid)}.kernel.txt", f"{OURS}/proc/{pid}\n{said}")
        else:
            gone.append(f"process {pid} had gone")
    return Outcome("", status(len(gone), len(scene.chosen)), said=tuple(gone))


def machine(scene: Scene, kept: Kept) -> Outcome:
    """The machine, and what its kernel said of accelerators and of memory."""
    kept.text("machine.txt", HOST + kernel.machine_text())
    path = find("dmesg")
    if not path:
        return Outcome("", "part", said=("no dmesg here",))
    ran = scene.commands.run((path, "-T"), DMESG_S)
    kept.ran(ran)
    rows = [row for row in ran.out.split(b"\n") if _KERNEL_LINE.search(row)]
    kept.text("kernel.log", b"".join(row + b"\n" for row in rows[-_KERNEL_LINES:]))
    return Outcome("", "taken") if ran.well else Outcome("", "part", said=(f"dmesg -T did not go well: {why(ran)}",))


@dataclass(frozen=True, slots=True)
class Log:
    """A log: its name in the archive, its path as people know it, and where it is read."""

    name: str
    path: str
    place: str


def logs_of(scene: Scene) -> list[Log]:
    """The logs named, and what the processes print to where that is a regular file; each file once.

    A process's own is read through its descriptor: in a container its path leads to another file here, or to none.
    """
    found: dict[object, Log] = {}
    for named in scene.asked.logs:
        same = sum(log.name.endswith(f".{named.name}") for log in found.values())
        name = f"log.{same + 1}.{named.name}" if same else f"log.{named.name}"
        found.setdefault(_file(str(named)), Log(name, str(named), str(named)))
    for pid in sorted(scene.chosen):
        for number, path in open_files(pid):
            if number not in (1, 2) or not path.startswith("/") or path.endswith(" (deleted)"):
                continue
            place = f"/proc/{pid}/fd/{number}"
            if not files.start(place, 1).problem:
                name = f"{scene.label(pid)}.{'stdout' if number == 1 else 'stderr'}.log"
                found.setdefault(_file(place), Log(name, path, place))
    return list(found.values())


def _file(path: str) -> object:
    """Which file it is, whatever its name; the path where that cannot be told."""
    try:
        seen = os.stat(path)
    except OSError:
        return path
    return seen.st_dev, seen.st_ino


def logs(scene: Scene, kept: Kept) -> Outcome:
    """Head and tail of each log."""
    said, missing = [], 0
    every = logs_of(scene)
    for log in every:
        read = files.ends(log.place, LOG_HEAD, LOG_TAIL)
        if read.problem or not kept.text(log.name, read.content):
            missing += 1
            said.append(f"{log.path} was not taken: {read.problem or 'it is empty, or the archive is full'}")
        elif read.cut:
            said.append(
                f"{log.path}: of {read.size >> 20} MiB the first {LOG_HEAD >> 20} and the last {LOG_TAIL >> 20}"
            )
    return Outcome("", status(missing, len(every)), said=tuple(said))
