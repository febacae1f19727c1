"""What a file deploys: one engine launch each, with everything the file says about it and where it says so.

Offsets are characters of the file's text as decoded, line ends untouched; `Span` lines and columns count from 1. None
means that the file does not say.
"""

from __future__ import annotations

from typing import Literal

from advisor.model.fact import Note, Span
from advisor.model.late import dataclass
from advisor.model.launch import Launch

Form = Literal["block item", "flow item", "shell word", "exec form", "mapping value", "keyword", "text"]
VersionKind = Literal["explicit", "pip", "git", "image"]


@dataclass(frozen=True, slots=True)
class Place:
    """Characters `start`..`end` of the file, quotes included, and the form in which they stand there."""

    start: int
    end: int
    form: Form
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """One word of the command line as the engine gets it. Several words can share a place: `- --tp 8` is one item."""

    text: str
    place: Place
    known: bool = True


@dataclass(frozen=True, slots=True)
class Assignment:
    """An environment variable: `place` is its whole entry (a list item, a mapping pair), `value_place` its value."""

    name: str
    value: str
    place: Place
    value_place: Place | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class VersionSource:
    """A place that says which build runs: `vllm/vllm-openai:v0.28.0` (image), `vllm==0.28.0` (pip), a commit (git)."""

    kind: VersionKind
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number the file gives (bytes, seconds, a count), with its place."""

    value: int
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Probe:
    """A health probe: `allows_s` is how long the container may take before it is killed (delay + period x failures)."""

    kind: Literal["startup", "liveness", "readiness"]
    allows_s: int
    path: str
    place: Place


@dataclass(frozen=True, slots=True)
class Resources:
    """What one replica of the container gets. `gpus` of resource `gpu_resource` (`nvidia.com/gpu`); `shm` in bytes."""

    gpus: Quantity | None = None
    gpu_resource: str = ""
    memory: Quantity | None = None
    shm: Quantity | None = None
    host_ipc: bool = False


@dataclass(frozen=True, slots=True)
class Workload:
    """One launch in a file.

    `format` is the file's (`kubernetes`, `compose`, `dockerfile`, `shell`, `python`, …); `kind`/`name`/`container` are
    as the object calls them; `role` is leader, worker, prefill, decode, router or "". `replicas` counts copies of the
    whole, `nodes` the pods that make up one copy. `accelerators` are node selectors, labels and the like that name a
    device. `launch.text` is the whole file, its settings' `start`..`end` offsets into it, -1 where nothing can be
    edited; the launch is `complete` where the whole command line stands here.
    """

    file: str
    format: str
    launch: Launch
    place: Place
    kind: str = ""
    name: str = ""
    namespace: str = ""
    container: str = ""
    role: str = ""
    arguments: tuple[Argument, ...] = ()
    environment: tuple[Assignment, ...] = ()
    versions: tuple[VersionSource, ...] = ()
    resources: Resources = Resources()
    replicas: Quantity | None = None
    nodes: Quantity | None = None
    probes: tuple[Probe, ...] = ()
    grace: Quantity | None = None
    pre_stop_s: int | None = None
    capabilities: tuple[str, ...] = ()
    host_pid: bool = False
    service_links: bool | None = None
    accelerators: tuple[str, ...] = ()
    annotations: tuple[tuple[str, str, Place], ...] = ()
    notes: tuple[Note, ...] = ()

    def identity(self) -> str:
        """The workload by name, the same wherever in the file it stands: `Deployment/default/vllm:server`."""
        parts = "/".join(one for one in (self.kind, self.namespace, self.name) if one)
        own = f"{self.name}:{self.container}".lower()  # the kind may hold the word: LeaderWorkerSet
        if self.role in ("leader", "worker", "prefill", "decode") and self.role not in own:
            parts = f"{parts}/{self.role}" if parts else self.role
        return f"{parts}:{self.container}" if self.container else parts or self.format


@dataclass(frozen=True, slots=True)
class Service:
    """A Kubernetes Service of a file: its name is injected as variables into pods of the namespace."""

    name: str
    namespace: str
    place: Place


@dataclass(frozen=True, slots=True)
class Deployment:
    """What a file deploys. `unread` are what of it could not be read, a line each; `recognised` is the format or ""."""

    file: str
    text: str
    recognised: str
    workloads: tuple[Workload, ...] = ()
    services: tuple[Service, ...] = ()
    unread: tuple[Note, ...] = ()
