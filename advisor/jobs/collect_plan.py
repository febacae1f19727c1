"""Who runs here → the steps of a collection that there are, in order, each with its bound.

Two samples of what may or may not move (stacks, counters) are taken the wait apart, and what does not change meanwhile
is taken between them. The flight recorder comes last: it is the one step that makes the engine write a file.
"""

from __future__ import annotations

from shlex import join

from advisor.capture import endpoints
from advisor.capture.commands import find
from advisor.jobs.collect_recorder import RECORDER_S, armed
from advisor.jobs.collect_samples import AT_ONCE, HEALTH_S, METRICS_S, STACK_S, tool_for
from advisor.jobs.collect_scene import Scene
from advisor.jobs.collect_still import DEVICE_COMMANDS, DEVICE_S, DMESG_S, FILES_S, logs_of
from advisor.model.capture import Step

_READS_S = 5.0  # what /proc has at hand


def planned(scene: Scene) -> tuple[Step, ...]:
    """The steps."""
    some = bool(scene.chosen)
    urls = [endpoints.url(host, port) for host, port in scene.ports()] if some else []
    counters = tuple(f"GET {url}/metrics" for url in urls)
    steps = [
        Step("processes", ("/proc/PID/{status,cmdline,environ}",), _READS_S) if some else None,
        _stacks(scene, "stacks") if some else None,
        Step("metrics", counters, METRICS_S * len(urls)) if urls else None,
        _health(scene, urls) if urls else None,
        _devices(),
        Step("libraries", ("/proc/PID/maps", "*.dist-info", "libnccl.so*"), FILES_S) if some else None,
        Step("kernel", ("/proc/PID/{status,wchan,stack}", "/proc/PID/task/*"), _READS_S) if some else None,
        Step("machine", ("uname", "/proc/meminfo", "/dev/shm", "/sys/fs/cgroup", "dmesg -T"), DMESG_S + _READS_S),
        _logs(scene),
        _stacks(scene, "stacks again") if some else None,
        Step("metrics again", counters, METRICS_S * len(urls)) if urls else None,
        _recorder(scene),
    ]
    return tuple(step for step in steps if step is not None)


def _stacks(scene: Scene, name: str) -> Step:
    tools = [tool_for(scene, pid) for pid in sorted(scene.chosen)]
    how = tuple(join(tool.lines[0]) if tool.lines else tool.name for tool in tools)
    rounds = -(-len(tools) // AT_ONCE)
    tries = max(1, *(len(tool.lines) for tool in tools))
    note = ""
    if not scene.asked.nonblocking and any(tool.lines for tool in tools):
        note = "pauses each process while its stack is read, at times for seconds; --nonblocking does not"
    return Step(name, tuple(dict.fromkeys(how)), STACK_S * rounds * tries, note)


def _health(scene: Scene, urls: list[str]) -> Step:
    note = ""
    if "sglang" in scene.chosen.values():
        note = "SGLang answers /health by generating one token, if not switched off; a wedged one does not answer"
    return Step("health", tuple(f"GET {url}/health" for url in urls), HEALTH_S * len(urls), note)


def _devices() -> Step:
    there = tuple(join(argv) for tool, _, argv in DEVICE_COMMANDS if find(tool))
    return Step("devices", there or ("nvidia-smi", "npu-smi info", "rocm-smi"), DEVICE_S * max(1, len(there)))


def _logs(scene: Scene) -> Step | None:
    found = logs_of(scene)
    return Step("logs", tuple(log.path for log in found), FILES_S) if found else None


def _recorder(scene: Scene) -> Step | None:
    found = armed(scene)
    if not found:
        return None
    asks = [f"{one.pipe} (a byte is written to it)" for one in found if one.pipe and scene.asked.trigger]
    reads = dict.fromkeys(path for one in found for path in one.dumps)
    note = "PyTorch answers by writing its dump to a file of its own; --no-trigger leaves that out" if asks else ""
    how = (*asks, *reads) or ("TORCH_NCCL_TRACE_BUFFER_SIZE",)
    return Step("recorder", how, RECORDER_S, note, writes=bool(asks))
