"""One workload -> would an incident here leave evidence? Stacks, flight recorder, logs, metrics, a health probe.

    no SYS_PTRACE, not privileged, no host PID        evidence-stacks: py-spy cannot read the processes
    TORCH_FR_BUFFER_SIZE=2000 on torch 2.7            evidence-recorder: that torch reads the older name alone
    sglang without --enable-metrics                   evidence-metrics

Notes, all of them: the deployment is not wrong, an incident would be harder to explain. Nothing is said of what the
file does not show: an image may set variables, a debug container may be attached.

Which names the flight recorder reads was seen in the headers of released torch wheels (ProcessGroupNCCL.hpp and, from
2.6.0, FlightRecorder.hpp below torch/csrc/distributed/c10d, read 2026-11-29): up to 2.7.1
TORCH_NCCL_TRACE_BUFFER_SIZE alone; from 2.8.0 TORCH_FR_BUFFER_SIZE, the older name with a warning; 0 (off) by default
up to 2.10.0, 2000 from 2.11.0. When a dump is written on a timeout by default is decided in a source file that wheels
do not hold, and is not established here per release.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.match.demand import demand
from advisor.match.observation import Check, Observation, assigned, place_of, source, value_of, whole
from advisor.match.view import View
from advisor.model.build import order_key, parse_version
from advisor.model.deployment import Place, Workload

_TORCH = source("torch 2.4.0 to 2.14.0 wheels, c10d/ProcessGroupNCCL.hpp, FlightRecorder.hpp", "names and defaults")
_DUMP = source(
    "https://docs.pytorch.org/docs/stable/_sources/torch_nccl_environment_variables.md.txt", "dump on timeout"
)
_PYSPY = source("https://docs.ray.io/en/latest/cluster/kubernetes/k8s-ecosystem/pyspy.html", "pods lack it by default")
_DOCKER = source("https://github.com/benfred/py-spy/pull/459", "py-spy asks for it in docker", "2021-10-21")
_FLAGS = source("vllm, sglang and lmdeploy wheels as in knowledge/", "settings and their defaults per release")
_PROBES = source("https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes")

STACKS = Check(
    "evidence-stacks", "evidence", "note", "py-spy cannot read the stacks of a hung process in this container.",
    "A pod whose containers have neither the capability SYS_PTRACE nor the host's process ids. A debug container with "
    "the capability, or a tool on the node, still can.", (_PYSPY, _DOCKER),
)  # fmt: skip
RECORDER = Check(
    "evidence-recorder", "evidence", "note", "The flight recorder of torch is off, or set under another name.",
    "For launches of several ranks on NVIDIA or AMD devices whose torch follows from the release: which variable that "
    "torch reads, and whether it records without it. It sees only what goes through torch's own process groups.",
    (_TORCH, _DUMP),
)  # fmt: skip
LOGS = Check(
    "evidence-logs", "evidence", "note", "The log level leaves out what an incident is read from.",
    "A level above INFO, given or by default (LMDeploy), or vLLM's logging switched off.", (_FLAGS,),
)  # fmt: skip
METRICS = Check(
    "evidence-metrics", "evidence", "note", "The engine's metrics are off.",
    "SGLang without --enable-metrics; vLLM with --disable-log-stats; LMDeploy without --enable-metrics (0.9.2 to 0.10) "
    "or with --disable-metrics (from 0.11.0). LMDeploy before 0.9.2 has none, and nothing is said.", (_FLAGS,),
)  # fmt: skip
HEALTH = Check(
    "evidence-health", "evidence", "note", "Nothing asks the engine whether it is well.",
    "A pod without a readiness and without a liveness probe: when it went silent is not recorded anywhere.", (_PROBES,),
)  # fmt: skip
CHECKS = (STACKS, RECORDER, LOGS, METRICS, HEALTH)

OLD_NAME, NEW_NAME, DUMP = "TORCH_NCCL_TRACE_BUFFER_SIZE", "TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_DUMP_ON_TIMEOUT"
NEW_NAME_SINCE, ON_SINCE = "2.8.0", "2.11.0"
QUIET = ("warning", "warn", "error", "critical", "fatal")


def readiness(workload: Workload, view: View, text: str) -> Iterator[Observation]:
    """What of an incident would leave no trace."""
    yield from _stacks(workload) if whole(workload, text) else ()
    yield from _recorder(workload, view)
    yield from _logs(workload, view)
    yield from _metrics(workload, view)
    if whole(workload, text) and not any(one.kind in ("readiness", "liveness") for one in workload.probes):
        says = "no readiness or liveness probe: when the engine went silent will not be on record"
        yield _note(HEALTH, says, workload.place, "probes", "probe /health")


def _note(check: Check, says: str, place: Place, fact: str, advice: str) -> Observation:
    return Observation(check, says, place, fact, (says,), (advice,), actionability="workaround")


def _stacks(workload: Workload) -> Iterator[Observation]:
    names = {one.upper().removeprefix("CAP_") for one in workload.capabilities}
    if not workload.host_pid and not names & {"SYS_PTRACE", "ALL", "PRIVILEGED"}:
        says = "py-spy cannot read a hung process here: the container has no SYS_PTRACE"
        yield _note(STACKS, says, workload.place, "SYS_PTRACE", "add the capability SYS_PTRACE to the container")


def _torch(view: View) -> str | None:
    """The torch that the release pins; None when it is not one version."""
    seen = {str(fact.value) for fact in view.ask("component", "torch").facts}
    if len(seen) == 1:
        return seen.pop()
    release = view.knowledge.release(view.release) if view.knowledge and view.release else None
    pin = (release.pins.get("torch") or "") if release else ""
    return pin.removeprefix("==") if pin.startswith("==") and parse_version(pin.removeprefix("==")) else None


def _recorder(workload: Workload, view: View) -> Iterator[Observation]:
    need, torch = demand(workload, view), _torch(view)
    vendors = {fact.value for fact in view.ask("hardware", "vendor").facts}
    if need is None or need.least * need.nodes < 2 or torch is None or vendors - {"nvidia", "amd"}:
        return
    new, old = assigned(workload, NEW_NAME), assigned(workload, OLD_NAME)
    name = NEW_NAME if order_key(torch) >= order_key(NEW_NAME_SINCE) else OLD_NAME
    armed = new if name == NEW_NAME and new else old
    if armed is None and new is not None:
        says = f"torch {torch} of {view.case.build.label()} does not read {NEW_NAME}; it reads {OLD_NAME}"
        yield _note(RECORDER, says, new.place, NEW_NAME, f"set {OLD_NAME}={new.value}")
    elif armed is None and order_key(torch) < order_key(ON_SINCE):
        says = f"the flight recorder is off by default: torch {torch} of {view.case.build.label()} needs {name}"
        yield _note(RECORDER, says, workload.place, name, f"set {name}=2000")
    elif armed is not None and armed.value == "0":
        says = f"the flight recorder is switched off by {armed.name}=0"
        yield _note(RECORDER, says, armed.place, f"{armed.name}=0", f"set {name}=2000")
    elif armed is not None and armed.name != name:
        says = f"torch {torch} of {view.case.build.label()} reads {armed.name} with a warning; its name is now {name}"
        yield _note(RECORDER, says, armed.place, armed.name, f"rename it to {name}")
    dump = assigned(workload, DUMP)
    if dump is not None and dump.value.lower() in ("0", "false", "n", "no"):
        says = f"{DUMP}={dump.value}: no dump is written when a collective times out"
        yield _note(RECORDER, says, dump.place, f"{DUMP}={dump.value}", f"set {DUMP}=1")


def _logs(workload: Workload, view: View) -> Iterator[Observation]:
    engine = view.base.engine
    if engine == "vllm":
        yield from _vllm_logs(workload)
        return
    level, given = value_of(view, "--log-level"), workload.launch.setting("--log-level")
    if str(level).lower() in QUIET:
        said = f"{given.typed} {level}" if given else f"--log-level is {level} by default"
        says = f"{said}: what {engine} says of its steps is left out of the log"
        place = place_of(workload, given) or workload.place
        yield _note(LOGS, says, place, f"log-level={level}", "set --log-level to info")


def _vllm_logs(workload: Workload) -> Iterator[Observation]:
    name = "VLLM_LOGGING_LEVEL"
    given, off = assigned(workload, name), assigned(workload, "VLLM_CONFIGURE_LOGGING")
    if given is not None and given.value.lower() in QUIET:
        says = f"{name}={given.value}: what vLLM says of its steps is left out of the log"
        yield _note(LOGS, says, given.place, f"{name}={given.value}", f"set {name}=INFO")
    if off is not None and off.value == "0" and not assigned(workload, "VLLM_LOGGING_CONFIG_PATH"):
        says = "VLLM_CONFIGURE_LOGGING=0: vLLM configures no logging of its own"
        yield _note(LOGS, says, off.place, "VLLM_CONFIGURE_LOGGING=0", "remove it")


def _metrics(workload: Workload, view: View) -> Iterator[Observation]:
    engine, launch = view.base.engine, workload.launch
    on, off = launch.setting("--enable-metrics"), launch.setting("--disable-metrics")
    stats = launch.setting("--disable-log-stats")
    if engine == "vllm" and stats is not None and stats.value is True:
        says = f"{stats.typed} also leaves /metrics without the engine's own figures"
        yield _note(
            METRICS, says, place_of(workload, stats) or workload.place, "disable-log-stats", f"remove {stats.typed}"
        )
    elif engine == "lmdeploy" and off is not None and off.value is True:
        says = f"{off.typed} switches the metrics off"
        yield _note(METRICS, says, place_of(workload, off) or workload.place, "disable-metrics", f"remove {off.typed}")
    elif engine in ("sglang", "lmdeploy") and on is None and value_of(view, "--enable-metrics") is False:
        says = f"{view.case.build.label()} gives no metrics without --enable-metrics"
        yield _note(METRICS, says, workload.place, "enable-metrics", "add --enable-metrics")
