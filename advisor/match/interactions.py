"""Settings of one workload × what it runs in -> what cannot go together: devices, shared memory, ranks, ports.

    --tensor-parallel-size 8 beside nvidia.com/gpu: 4        gpus-too-few
    --tp-size 4 in a pod without a memory volume             shared-memory-default
    --node-rank 0 in a Deployment of two replicas            ranks-repeated
    --gpu-memory-utilization 1.2                             memory-fraction

Each speaks only where the file itself shows both sides; a size that only a template or the shell knows is silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from advisor.match.demand import Demand, demand
from advisor.match.observation import (
    Check,
    Observation,
    assigned,
    document,
    in_pod,
    number_of,
    place_of,
    related,
    source,
    value_of,
    whole,
)
from advisor.match.view import View
from advisor.model.deployment import Workload

_GPUS = source("https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/", "devices are asked for in limits")
_ITEMS = source(
    "https://github.com/vllm-project/vllm/issues/8273", "unrecognized arguments: an item with a space in it"
)
_WORLD = source("vllm 0.33.0 wheel, vllm/config/parallel.py", "refuses a world larger than the visible devices")
_VLLM_SHM = source(
    "https://github.com/vllm-project/vllm/blob/4f819f801b7702e39d9588cc9f2ecd28560b31f5/docs/deployment/k8s.md",
    "shared memory for tensor parallel inference",
)
_SGLANG_SHM = source(
    "sgl-project/sglang, docs/docs/advanced_features/server_arguments.mdx as of 2026-08-22", "docker and pods"
)
_SGLANG_POD = source(
    "https://github.com/sgl-project/sglang/blob/0b082f520802a6bb644b73ea5a3bccf61244836f/docker/k8s-sglang-service.yaml",
    "hostIPC: true",
)
_LMDEPLOY_POD = source(
    "https://github.com/InternLM/lmdeploy/blob/5beeafda5fe987fdd61afba20e43191e0748f426/k8s/deployment.yaml",
    "an emptyDir of medium Memory",
)
_SHM = source(
    "https://github.com/vllm-project/production-stack/issues/276", "64 MB seen in a pod, NCCL failed", "2025-03-13"
)
_DOCKER = source("https://github.com/moby/moby/issues/29492", "docker's default is 64 MB")
_NCCL = source(
    "https://docs.nvidia.com/deeplearning/nccl/archives/nccl_2262/user-guide/docs/_sources/troubleshooting.rst.txt",
    "NCCL fails to start without room in /dev/shm; 1 GB in its example",
)
_RANKS = source("vllm 0.33.0 wheel, vllm/config/parallel.py; sglang 0.5.23 wheel, arg_groups/fields/parallel.py")
_FRACTION = source(
    "vllm 0.8.0 wheel, vllm/config.py; vllm 0.33.0 wheel, vllm/config/cache.py", "more than 1 is refused"
)
_PORTS = source("vllm, sglang, lmdeploy and xllm wheels and sources as in knowledge/", "each engine's default port")
_LOGGER = source(
    "vllm-project/vllm v0.8.0, v0.9.2, v0.11.0 and 4f819f801b77 (2026-08-04), vllm/logger.py", "it raises RuntimeError"
)
_PROBED = source("https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes", "")

TOO_FEW = Check(
    "gpus-too-few", "interaction", "error", "The launch takes more accelerators than its container is given.",
    "Compares what one node's processes take (tensor, pipeline and local data parallel over the nodes named) with the "
    "device limit of the container. Silent where a size is not a number in the file, and for resources that are parts "
    "of a device (MIG, vGPU, cores).", (_GPUS, _WORLD),
)  # fmt: skip
IDLE = Check(
    "gpus-idle", "interaction", "note", "The container is given more accelerators than the launch uses.",
    "Only for a complete command line that is alone in its container, where nothing else can take the rest.", (_GPUS,),
)  # fmt: skip
MISSING = Check(
    "gpus-missing", "interaction", "note", "The container asks for no accelerator at all.",
    "A pod without a device limit can be placed on a node without devices. Devices may still come in another way, so "
    "this is a note; silent where the object names a resource claim or a runtime class, and for launches on the CPU.",
    (_GPUS,),
)  # fmt: skip
SHARED = Check(
    "shared-memory-default", "interaction", "warning", "Several ranks share the 64 MiB of /dev/shm of any container.",
    "More than one accelerator in one container, no memory volume on /dev/shm, no host IPC and no --shm-size, or a "
    "size not above that default. The engines' own manifests mount one; NCCL fails to start when it is full.",
    (_VLLM_SHM, _SGLANG_SHM, _SGLANG_POD, _LMDEPLOY_POD, _SHM, _DOCKER, _NCCL),
)  # fmt: skip
SMALL = Check(
    "shared-memory-small", "interaction", "note", "/dev/shm is smaller than NCCL's own example.",
    "More than one accelerator in one container and less than 1 GiB of /dev/shm.", (_NCCL,),
)  # fmt: skip
REPEATED = Check(
    "ranks-repeated", "interaction", "error", "Several pods of one object start as the same node rank.",
    "A rank written as a number in a template of which more than one pod is made, and --nnodes above 1.", (_RANKS,),
)  # fmt: skip
NODES = Check(
    "nodes-mismatch", "interaction", "error", "--nnodes is not the number of pods that the object makes.",
    "For objects that say how many pods make up one copy.", (_RANKS,),
)  # fmt: skip
FRACTION = Check(
    "memory-fraction", "interaction", "error", "A share of the accelerator's memory above 1.",
    "vLLM refuses to start with --gpu-memory-utilization above 1.", (_FRACTION,),
)  # fmt: skip
PORT = Check(
    "probe-port", "interaction", "warning", "A health probe asks another port than the engine listens on.",
    "Only for probes of an engine's own paths whose port is a number, and a port of the engine that is known.",
    (_PORTS, _PROBED),
)  # fmt: skip
GLUED = Check(
    "argument-glued", "interaction", "error", "A flag and its value are one item of a list, so one word.",
    "No shell takes the items of a list apart: the parser gets `--dtype auto` as one argument and refuses it. Silent "
    "inside `sh -c` and in formats whose command is one text.", (_ITEMS,),
)  # fmt: skip
LOGGING = Check(
    "logging-contradiction", "interaction", "error", "vLLM's logging is switched off and configured at once.",
    "VLLM_CONFIGURE_LOGGING=0 with VLLM_LOGGING_CONFIG_PATH: vLLM raises at import.", (_LOGGER,),
)  # fmt: skip
CHECKS = (GLUED, TOO_FEW, IDLE, MISSING, SHARED, SMALL, REPEATED, NODES, FRACTION, PORT, LOGGING)
_CONFIGURED, _CONFIGURATION = "VLLM_CONFIGURE_LOGGING", "VLLM_LOGGING_CONFIG_PATH"

_LISTS = ("block item", "flow item", "exec form")

DEFAULT_SHM = 64 << 20
_EXAMPLES = {  # what the engine's own manifest does: _VLLM_SHM, _SGLANG_POD, _LMDEPLOY_POD
    "vllm": " (vLLM's example gives it 2Gi)",
    "sglang": " (SGLang's example gives the pod hostIPC: true instead)",
    "lmdeploy": " (as LMDeploy's example does, without a limit)",
}
_PART = re.compile(r"(?i)mig|vgpu|vcuda|core|mem|slice|percent|shared")
_CPU = re.compile(r"(?i)(?:^|[/:_-])cpu(?:$|[/:_-])")
_PATHS = ("/health", "/health_generate", "/v1/models", "/ping", "/version", "/metrics", "/load")
_CLAIMS = re.compile(r"(?m)^[ \t-]*[\"']?(?:resourceClaims|claims|runtimeClassName)[\"']?[ \t]*:")
_PROBE_PORT = re.compile(r"\bport[\"']?\s*:\s*[\"']?(\d{2,5})\b")
_DOCKER_RUN = re.compile(r"\b(?:docker|podman|nerdctl)\s+(?:container\s+)?run\b")


def interactions(workload: Workload, view: View, beside: Sequence[Workload], text: str) -> Iterator[Observation]:
    """Every contradiction of one workload. `beside` are the file's other workloads, `text` the file."""
    need = demand(workload, view)
    if need is not None:
        resource = "nvidia.com/gpu" if view.base.engine == view.case.build.engine else ""  # a plugin brings its own
        yield from _devices(workload, need, beside, text, resource)
        yield from _memory(workload, need, text, view.base.engine)
    yield from _glued(workload)
    yield from _ranks(workload, view)
    yield from _fraction(workload, view)
    yield from _ports(workload, view, text)
    yield from _logging(workload, view)


def _glued(workload: Workload) -> Iterator[Observation]:
    """Words of the command line that stand in one item."""
    for flag, value in pairwise(workload.arguments):
        if flag.place == value.place and flag.place.form in _LISTS and flag.text.startswith("--"):
            says = f"`{flag.text} {value.text}` is one item, so the engine gets it as one argument and refuses it"
            advice = (f"write two items, {flag.text} and {value.text}", f"or one: {flag.text}={value.text}")
            yield Observation(GLUED, says, flag.place, flag.text, (), advice)


def _devices(
    workload: Workload, need: Demand, beside: Sequence[Workload], text: str, usual: str
) -> Iterator[Observation]:
    given, resource = workload.resources.gpus, workload.resources.gpu_resource
    marks = related(workload, need.flags)
    fact = " ".join(says for _, says in marks)
    if given is None:
        claimed = _CLAIMS.search(document(workload, text))
        if whole(workload, text) and not claimed and not _on_cpu(workload) and not _PART.search(resource):
            says = f"no accelerator is asked for; the launch takes {need.least} ({need.says})"
            yield Observation(MISSING, says, workload.place, "gpus", advice=(_limit(need, usual),))
        return
    if _PART.search(resource):
        return
    said = f"{resource or 'devices'}: {given.value}"
    if need.least > given.value:
        says = (
            f"the launch takes {need.least} accelerators on each node ({need.says}), the container gets {given.value}"
        )
        advice = (_limit(need, resource), f"or split the model over {given.value}")
        yield Observation(
            TOO_FEW, says, given.place, f"{said} {fact}".strip(), (need.says, said), advice, marks
        )  # fmt: skip
    elif need.exact and need.least < given.value and workload.launch.complete and _alone(workload, beside):
        says = f"the container gets {given.value} accelerators, the launch uses {need.least} ({need.says})"
        yield Observation(IDLE, says, given.place, f"{said} {fact}".strip(), (need.says, said), (), marks)


def _limit(need: Demand, resource: str) -> str:
    return f"ask for {need.least} of {resource or 'the device'}"


def _alone(workload: Workload, beside: Sequence[Workload]) -> bool:
    here = workload.identity()
    return not any(one is not workload and one.identity() == here for one in beside)


def _on_cpu(workload: Workload) -> bool:
    device = workload.launch.setting("--device")
    images = [workload.launch.image, *(one.text for one in workload.versions)]
    return (device is not None and device.value == "cpu") or any(_CPU.search(one) for one in images)


def _memory(workload: Workload, need: Demand, text: str, engine: str) -> Iterator[Observation]:
    resources, shm = workload.resources, workload.resources.shm
    here = text[workload.place.start : workload.place.end]
    contained = workload.format in ("docker", "compose") or bool(_DOCKER_RUN.search(here))
    if need.least < 2 or resources.host_ipc or not (contained or in_pod(workload)):
        return
    marks = related(workload, need.flags)
    if shm is None:
        spoken = "/dev/shm" in here or re.search(r"\bipc\b", here)  # in a form that the reader did not take
        if spoken or not (contained or whole(workload, text)):
            return
        says = f"{need.least} ranks of {engine} share the 64 MiB of /dev/shm that a container gets by itself"
        place = marks[0][0] if marks else workload.place
        yield Observation(SHARED, says, place, "shm", (need.says,), _more_shm(workload, engine), marks[1:])
    elif shm.value <= DEFAULT_SHM:
        says = f"{need.least} ranks of {engine} share {shm.text} of /dev/shm, no more than the default of 64 MiB"
        yield Observation(SHARED, says, shm.place, f"shm={shm.text}", (need.says,), _more_shm(workload, engine), marks)
    elif shm.value < 1 << 30:
        says = f"{need.least} ranks of {engine} share {shm.text} of /dev/shm; NCCL's own example gives 1 GB"
        yield Observation(SMALL, says, shm.place, f"shm={shm.text}", (need.says,), _more_shm(workload, engine), marks)


def _more_shm(workload: Workload, engine: str) -> tuple[str, ...]:
    if in_pod(workload):
        example = _EXAMPLES.get(engine.removesuffix("-ascend"), "")
        return (f"mount an emptyDir with medium: Memory on /dev/shm{example}",)
    return ("give the container --ipc=host or a --shm-size of its own",)


def _ranks(workload: Workload, view: View) -> Iterator[Observation]:
    launch = workload.launch
    rank = launch.setting("--node-rank") or launch.setting("--node_rank")
    asked = launch.setting("--nnodes")
    count = number_of(view, "--nnodes")
    if asked is None or count is None or count < 2:
        return
    pods = workload.nodes.value if workload.nodes else None
    if pods is not None and pods != count:
        says = f"{asked.typed} is {count}, but {pods} pods make up one copy"
        place = place_of(workload, asked) or workload.place
        more = ((workload.nodes.place, f"{pods} pods"),) if workload.nodes else ()
        yield Observation(NODES, says, place, f"nnodes={count} pods={pods}", (says,), ("make both the same",), more)
    same, why = _same_template(workload)
    if rank is not None and re.fullmatch(r"\d+", str(rank.value)) and same > 1 and in_pod(workload):
        says = f"{same} pods are made of this template and each starts as {rank.typed} {rank.value}: {why}"
        place = place_of(workload, rank) or workload.place
        advice = ("take the rank from the pod (an index label or variable), or make one object a rank",)
        yield Observation(REPEATED, says, place, f"node-rank={rank.value} pods={same}", (why,), advice)


def _same_template(workload: Workload) -> tuple[int, str]:
    """How many pods one template makes that belong to one another, and where that is said."""
    if workload.nodes is not None:
        workers = workload.nodes.value - 1
        return (workers, f"{workload.nodes.value} pods in a group") if workload.role == "worker" else (1, "")
    count = workload.replicas
    return (count.value, f"replicas: {count.value}") if count is not None and not workload.role else (1, "")


def _fraction(workload: Workload, view: View) -> Iterator[Observation]:
    given = workload.launch.setting("--gpu-memory-utilization")
    if view.base.engine != "vllm" or given is None:
        return
    try:
        share = float(str(given.value))
    except ValueError:
        return
    if share > 1:
        says = f"{given.typed} {given.value} is a share of the memory and cannot be above 1: vLLM refuses to start"
        place = place_of(workload, given) or workload.place
        record = view.knowledge.setting(given.flag, view.release) if view.knowledge and view.release else None
        advice = f"{record.default} is the default" if record and record.default_known else "give a share, such as 0.9"
        yield Observation(FRACTION, says, place, f"gpu-memory-utilization={given.value}", (says,), (advice,))


def _logging(workload: Workload, view: View) -> Iterator[Observation]:
    off, file = (assigned(workload, name) for name in (_CONFIGURED, _CONFIGURATION))
    if view.base.engine == "vllm" and off and file and off.value == "0" and file.value:
        says = f"{_CONFIGURED}=0 and {_CONFIGURATION} rule each other out: vLLM refuses to start"
        fact, advice = f"{_CONFIGURED}=0 {_CONFIGURATION}", (f"remove {_CONFIGURED}", f"or remove {_CONFIGURATION}")
        also = ((file.place, f"{_CONFIGURATION}={file.value}"),)
        yield Observation(LOGGING, says, off.place, fact, (says,), advice, also, actionability="workaround")


def _ports(workload: Workload, view: View, text: str) -> Iterator[Observation]:
    engine = view.base.engine
    flag = "--server-port" if engine == "lmdeploy" else "--port"
    port = number_of(view, flag)
    if port is None or value_of(view, "--grpc") is True or not in_pod(workload):
        return
    for probe in workload.probes:
        found = _PROBE_PORT.search(text, probe.place.start, probe.place.end)
        if found is None or probe.path not in _PATHS or int(found.group(1)) == port:
            continue
        given = workload.launch.setting(flag)
        listens = f"{given.typed} {port}" if given else f"its default {port}"
        says = f"the {probe.kind} probe asks port {found.group(1)}, {engine} listens on {listens}"
        advice = (f"ask port {port}",)
        fact = f"{probe.kind} {found.group(1)} {port}"
        yield Observation(PORT, says, probe.place, fact, (listens,), advice, related(workload, (flag,)))
