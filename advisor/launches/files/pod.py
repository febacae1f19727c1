"""A pod spec and the objects around it -> what they give each container: devices, memory, probes, time to end.

    resources: {limits: {nvidia.com/gpu: 8, memory: 200Gi}}             -> 8 of nvidia.com/gpu, 200 GiB
    volumes: [{name: s, emptyDir: {medium: Memory, sizeLimit: 16Gi}}]   -> 16 GiB of /dev/shm, where it is mounted there
    livenessProbe: {initialDelaySeconds: 300, periodSeconds: 5}         -> 315 s until the container is killed

`shm` is the size limit of the volume at /dev/shm; where a memory-backed one has none, it is the container's memory,
else `UNLIMITED`; None where nothing is mounted there, and the runtime's own default (64 MiB) holds.

**Source:** Kubernetes API, core/v1 (Container, PodSpec, Probe: defaults 10 s and 3 failures), v1.34.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.launches.files import quantities, scalars
from advisor.launches.files.marks import Node
from advisor.launches.files.typed import File
from advisor.model.deployment import Place, Probe, Quantity, Resources

UNLIMITED = (1 << 63) - 1
_ACCELERATOR = re.compile(r"(?i)gpu|accelerator|instance-type|npu|ascend|\btpu|product")
_SLEEP = re.compile(r"\bsleep[\s\"',]+(\d+)")
_GPU = re.compile(
    r"(?:[\w.-]+/(?:gpu|vgpu|gpu\.shared|xpu|mig-[\w.]+|npu|tpu|gaudi)|huawei\.com/Ascend[\w-]*|gpu\.intel\.com/\w+|gpu)\Z"
)


@dataclass(frozen=True)
class Around:
    """What stands around a container: the object, the pod, how many. `engine` is one that the object names."""

    kind: str = ""
    name: str = ""
    namespace: str = ""
    part: str = ""
    role: str = ""
    engine: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str, Place], ...] = ()
    replicas: Quantity | None = None
    nodes: Quantity | None = None
    pod: Node | None = None
    gpus: Node | None = None
    shm: Node | None = None
    base: bool = False  # a template that roles are made from: what it starts stands with them
    injected: tuple[tuple[str, str], ...] = ()
    extra: tuple[tuple[Node, Node, str], ...] = field(default=())
    model: str = ""


def resources(node: Node, file: File, around: Around) -> Resources:
    """GPUs and memory of limits before requests, and what is mounted at /dev/shm."""
    gpus: Quantity | None = None
    named = ""
    memory: Quantity | None = None
    for told in (node.get("resources"), around.gpus):
        for key in ("limits", "requests"):
            here = told.get(key) if told else None
            for one, (_, value) in here.mapping().items() if here is not None and here.kind == "map" else ():
                if gpus is None and _GPU.match(one) and (count := quantities.quantity(value, file)):
                    gpus, named = count, one
                if memory is None and one == "memory":
                    memory = quantities.quantity(value, file)
    pod = around.pod
    ipc = bool(pod and (said := pod.get("hostIPC")) and said.true)
    shared = _shm(node, pod, file, memory) or quantities.quantity(around.shm, file)
    return Resources(gpus, named, memory, shared, ipc)


def _shm(node: Node, pod: Node | None, file: File, memory: Quantity | None) -> Quantity | None:
    mounts = node.get("volumeMounts")
    here = {
        one.said("name") for one in (mounts.items if mounts else ()) if one.said("mountPath").rstrip("/") == "/dev/shm"
    }
    volumes = pod.get("volumes") if pod else None
    for one in volumes.items if volumes and here else ():
        empty = one.get("emptyDir")
        if one.said("name") not in here or empty is None:
            continue
        limit = empty.get("sizeLimit") if empty.kind == "map" else None
        if limit is not None:
            return quantities.quantity(limit, file)
        value = memory.value if memory and empty.said("medium") == "Memory" else UNLIMITED
        return Quantity(value, "no sizeLimit", file.place(one.start, one.end, "block item"))
    return None


def probe(kind: str, node: Node, file: File) -> Probe | None:
    """The probe of a kind that a container has, or None."""
    one = node.get(f"{kind}Probe")
    if one is None or one.kind != "map":
        return None

    def number(key: str, otherwise: int) -> int:
        said = one.said(key) if one else ""
        return int(said) if said.isdigit() else otherwise

    allows = number("initialDelaySeconds", 0) + number("periodSeconds", 10) * number("failureThreshold", 3)
    http = one.get("httpGet")
    path = (http.said("path") or "/") if http else next((k for k in ("exec", "tcpSocket", "grpc") if one.get(k)), "")
    place = file.place(one.start, one.end, "mapping value")
    return Probe(kind, allows, file.filled(path, one.start, one.end), place)  # type: ignore[arg-type]


def pre_stop(node: Node) -> int | None:
    """Seconds that the preStop hook sleeps; None where it does not say."""
    stop = node.get("lifecycle", "preStop")
    if stop is None:
        return None
    if (said := stop.said("sleep", "seconds")).isdigit():
        return int(said)
    found = _SLEEP.search(" ".join(scalars.texts(stop.get("exec", "command"))))
    return int(found.group(1)) if found else None


def capabilities(node: Node) -> tuple[str, ...]:
    """Those added; ALL besides for a privileged container."""
    added = tuple(scalars.texts(node.get("securityContext", "capabilities", "add")))
    privileged = node.get("securityContext", "privileged")
    return (*added, "ALL") if privileged is not None and privileged.true and "ALL" not in added else added


def accelerators(around: Around) -> Iterator[str]:
    """What node selectors, affinities and labels say of devices."""
    pod = around.pod
    selector = pod.get("nodeSelector") if pod else None
    for key, (_, value) in selector.mapping().items() if selector and selector.kind == "map" else ():
        if _ACCELERATOR.search(key):
            yield f"{key}={value.text}"
    yield from devices(pod.get("affinity", "nodeAffinity") if pod else None)
    yield from (f"{key}={value}" for key, value in around.labels if _ACCELERATOR.search(key))


def devices(terms: Node | None) -> Iterator[str]:
    """What the terms of a node's selection say of devices: `nvidia.com/gpu.product=A100,H100`."""
    for one in _expressions(terms, 0):
        if _ACCELERATOR.search(one.said("key")):
            yield f"{one.said('key')}={','.join(scalars.texts(one.get('values')))}"


def _expressions(node: Node | None, depth: int) -> Iterator[Node]:
    if node is None or depth > 8:
        return
    if node.kind == "map" and node.get("key") and node.get("operator"):
        yield node
    for one in (*(value for _, value in node.pairs), *node.items):
        yield from _expressions(one, depth + 1)
