"""Kubernetes objects of any kind, whole or in pieces -> workloads and Services, found by their shape.

    spec.template.spec.containers[…]       Deployment, StatefulSet, Job, DaemonSet, LeaderWorkerSet, RayCluster, RBG, …
    spec.predictor.model {args, runtime}   KServe        services.X.extraPodSpec.mainContainer   Dynamo
    patches: [{patch: |- …}]               kustomize     data: {start.sh: |- …}                  ConfigMap

Whatever has `containers` is a pod; whatever has `command` or `args`, or an engine's image, is a container. `kind` names
the object and is not asked for anything else but Service, ConfigMap and RayService. What stands nearest counts:
`replicas`, names, labels and a pod's own keys are taken from the innermost map around the container.

**Source:** Kubernetes API core/v1 and apps/v1, v1.34; LeaderWorkerSet v0.7 (`leaderWorkerTemplate.size`,
LWS_GROUP_SIZE); KServe, config/llmisvcconfig/config-llm-worker-data-parallel.yaml at 70e53e8bb001 (`spec.parallelism`);
Dynamo, examples/backends/vllm/deploy/disagg.yaml at 0044eb903566. Read 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.launches.files import container, kustomize, quantities, ray_service, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.origins import inside, origins
from advisor.launches.files.pod import Around
from advisor.launches.files.typed import File, Typed
from advisor.launches.shell import Word
from advisor.model.deployment import Service, Workload
from advisor.model.fact import Note

MAX_VISITS = 100_000
MAX_WORKLOADS = 1_000  # of one document: anchors can make many of little
_POD_KEYS = {
    "containers",
    "mainContainer",
    "volumes",
    "terminationGracePeriodSeconds",
    "hostIPC",
    "nodeSelector",
    "affinity",
}
_SKIPPED = {
    "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "status", "initContainers", "ephemeralContainers",
    "ports", "volumes", "volumeMounts", "env", "resources", "metadata", "securityContext", "tolerations", "affinity",
    "selector", "envFrom", "exec", "rules", "schema", "openAPIV3Schema",
}  # fmt: skip
_BESIDE = {"env", "ports", "volumeMounts", "containerPort"}  # what makes a map with an image a container
_ROLES = {
    "leaderTemplate": "leader", "workerTemplate": "worker", "leader": "leader", "worker": "worker",
    "prefill": "prefill", "decode": "decode", "router": "router",
}  # fmt: skip
_PARALLELISM = {
    "tensor": "--tensor-parallel-size", "pipeline": "--pipeline-parallel-size", "data": "--data-parallel-size",
    "dataLocal": "--data-parallel-size-local", "expert": "--enable-expert-parallel",
}  # fmt: skip


class Walk:
    """One pass over the trees of a file. `control` are the characters of lines that a template may drop or repeat."""

    def __init__(self, file: File, control: tuple[tuple[int, int], ...] = ()) -> None:
        self.file, self.control, self.left = file, control, MAX_VISITS
        self.pods = 0
        self.parts: dict[int, str] = {}  # by place in `workloads`: tells apart containers of one name
        self.workloads: list[Workload] = []
        self.services: list[Service] = []
        self.notes: list[Note] = []
        self.recognised = False

    def document(self, root: Node) -> None:
        """Everything that the document deploys is added to `workloads` and `services`."""
        first = len(self.workloads)
        self._visit(root, Around(), "", 0)
        told = [(one.identity(), one.role) for one in self.workloads]
        for at in range(first, len(told)):
            if told.count(told[at]) > 1 and self.parts.get(at):
                one = self.workloads[at]
                self.workloads[at] = replace(one, container=f"{self.parts[at]}/{one.container}".rstrip("/"))

    def _visit(self, node: Node, around: Around, key: str, depth: int) -> None:
        self.left = self.left - 1 if len(self.workloads) < MAX_WORKLOADS else -1
        if self.left < 0 or depth > 60:
            return
        if node.kind == "list":
            for one in node.items:
                self._visit(one, around, key, depth + 1)
        elif node.kind == "map":
            self._map(node, around, key, depth)
        elif key == "patch" and "\n" in node.text:  # kustomize, inline
            for document in inside(node, self.file.seen):
                if document.root is not None:
                    self._visit(document.root, around, "", depth + 1)

    def _map(self, node: Node, around: Around, key: str, depth: int) -> None:
        keys = node.mapping()
        if "kind" in keys and ("apiVersion" in keys or "metadata" in keys):
            self.recognised = True
            if self._object(node, keys["kind"][1].text):
                return
            around = Around(kind=keys["kind"][1].text)
        around = self._around(node, around, key)
        if "containers" in keys:
            self.recognised, self.pods = True, self.pods + 1
            for each in ("containers", "initContainers"):
                found = node.get(each)
                for one in found.items if found is not None else ():
                    if each == "containers" or one.said("restartPolicy") == "Always":
                        self._container(one, around)
        elif self._is_container(node, key) and self._container(node, around):
            return
        for name, (_, value) in keys.items():
            if (name not in _SKIPPED and name != "containers" and value.kind != "text") or name == "patch":
                self._visit(value, around, name, depth + 1)

    def _is_container(self, node: Node, key: str) -> bool:
        keys = node.mapping()
        listed = any(name in keys and keys[name][1].kind != "map" for name in ("args", "command"))
        image = keys["image"][1] if "image" in keys else None
        if listed or key == "mainContainer" or (image is not None and image.get("command") is not None):
            return True
        return image is not None and not _BESIDE.isdisjoint(keys) and bool(self.file.engine_of(_named(image)))

    def _container(self, node: Node, around: Around) -> bool:
        if node.kind != "map":
            return False
        if (around.base or around.kind.startswith("Ray")) and not {"command", "args"} & node.mapping().keys():
            return False  # KubeRay starts Ray there, whatever the image would start; a role says what it starts
        found = list(container.workloads(node, self.file, around, self.control))
        self.parts |= {len(self.workloads) + at: around.part or around.role for at in range(len(found))}
        self.workloads += found
        self.recognised |= bool(found)
        return bool(found)

    # objects

    def _object(self, node: Node, kind: str) -> bool:
        """Whether the object is one that is read otherwise than by shape, and has been."""
        if kind == "Service":
            name = node.get("metadata", "name")
            if name is not None and name.kind == "text" and _has_address(node.get("spec")):
                place = self.file.place(name.start, name.end, "mapping value")
                shown = self.file.filled(name.text, name.start, name.end)
                self.services.append(Service(shown, node.said("metadata", "namespace"), place))
            return True
        if kind == "ConfigMap":
            self._scripts(node)
            return True
        if kind == "RayService" and (serve := node.get("spec", "serveConfigV2")) is not None:
            around = self._around(node, Around(kind=kind), "")
            self.workloads += ray_service.workloads(serve, node, self.file, around)
        if kind == "Kustomization":
            self.workloads += kustomize.workloads(node, self.file, self.notes)
        return kind == "CustomResourceDefinition"

    def _scripts(self, node: Node) -> None:
        """A ConfigMap's entries that start an engine: scripts that some container mounts."""
        held = node.get("data")
        around = self._around(node, Around(kind="ConfigMap"), "")
        for key, (_, value) in held.mapping().items() if held is not None and held.kind == "map" else ():
            if (
                value.kind != "text"
                or "\n" not in value.text.strip()
                or key.endswith((".json", ".yaml", ".yml", ".md", ".py"))
            ):
                continue
            place = (value.start, value.end)
            words = (Word("sh", *place), Word("-c", *place), Word(value.text, *place))
            typed = Typed(words, *place, "shell word", scripts={place: origins(value, self.file.seen)}, whole=False)
            for made in launches(typed, self.file):
                where = self.file.place(*place, "mapping value")
                self.workloads.append(
                    made.workload(self.file, where, kind="ConfigMap", name=around.name, namespace=around.namespace,
                                  container=key, annotations=around.annotations)
                )  # fmt: skip

    # surroundings

    def _around(self, node: Node, around: Around, key: str) -> Around:
        """The surroundings of what stands in this map."""
        keys = node.mapping()
        changes: dict[str, object] = {}
        if "metadata" in keys:
            changes |= self._metadata(keys["metadata"][1], around)
        if key == "roleTemplates":
            changes["base"] = True
        if key in _ROLES:
            changes["role"] = changes["part"] = _ROLES[key]
        if key == "prefill" and around.extra:  # its own parallelism or none
            changes["extra"] = ()
        if "subComponentType" in keys and node.said("subComponentType") in ("prefill", "decode"):
            changes["role"] = node.said("subComponentType")
        if ("replicas" in keys or "template" in keys or "extraPodSpec" in keys) and "metadata" not in keys:
            changes["part"] = node.said("name") or (key if key not in ("spec", "template") else around.part)
        if "replicas" in keys and (count := quantities.quantity(node.get("replicas"), self.file)):
            changes["replicas"] = count
        if "minReplicas" in keys and "replicas" not in keys and around.replicas is None:
            changes["replicas"] = quantities.quantity(node.get("minReplicas"), self.file)
        size = node.get("size") if key == "leaderWorkerTemplate" else None
        if size is not None and (count := quantities.quantity(size, self.file)):
            changes["nodes"], changes["injected"] = count, (("LWS_GROUP_SIZE", str(count.value)),)
        if (count := quantities.quantity(node.get("multinode", "nodeCount"), self.file)) is not None:
            changes["nodes"] = count
        if not _POD_KEYS.isdisjoint(keys):
            changes["pod"] = node
        if "sharedMemory" in keys:
            changes["shm"] = node.get("sharedMemory", "size")
        if "extraPodSpec" in keys and "resources" in keys:
            changes["gpus"] = keys["resources"][1]
        if "parallelism" in keys:
            changes["extra"] = tuple(_parallelism(keys["parallelism"][1]))
        if engine := self._engine(node, around):
            changes["engine"] = engine
        if (
            model := node.said("model", "uri")
            or node.said("storageUri")
            or node.said("url")
            or node.said("model", "name")
        ):
            changes["model"] = model.removeprefix("hf://")
        return replace(around, **changes) if changes else around  # type: ignore[arg-type]

    def _engine(self, node: Node, around: Around) -> str:
        """The engine that a map names beside its arguments: KServe's runtime, KubeAI's and LMDeploy's `engine`."""
        said = (
            node.said("engine"),
            node.said("runtime"),
            node.said("modelFormat", "name"),
            node.said("backendFramework"),
        )
        words = "vllm" if around.kind == "LLMInferenceService" else " ".join(said).lower()
        return next((name for name in self.file.engines if name in words), "") if words.strip() else ""

    def _metadata(self, node: Node, around: Around) -> dict[str, object]:
        if node.kind != "map":
            return {}
        changes: dict[str, object] = {}
        for key in ("name", "namespace"):
            if (said := node.said(key)) and not getattr(around, key):
                changes[key] = self.file.filled(said, *_place(node.get(key)))
        labels = node.get("labels")
        if labels is not None and labels.kind == "map":
            changes["labels"] = (*around.labels, *((key, value.text) for key, (_, value) in labels.mapping().items()))
        notes = node.get("annotations")
        if notes is not None and notes.kind == "map":
            changes["annotations"] = (*around.annotations, *scalars.labels(notes, self.file))
        return changes


def _has_address(spec: Node | None) -> bool:
    """Whether pods are told of a Service by variables: a headless one and an external name have no address to tell.

    Kubernetes v1.34, pkg/kubelet/envvars/envvars.go (FromServices).
    """
    return spec is None or (spec.said("clusterIP") != "None" and spec.said("type") != "ExternalName")


def _named(image: Node) -> str:
    return image.text if image.kind == "text" else image.said("repository") or image.said("name")


def _place(node: Node | None) -> tuple[int, int]:
    return (node.start, node.end) if node is not None else (0, 0)


def _parallelism(node: Node) -> Iterator[tuple[Node, Node, str]]:
    if node.kind == "map":
        yield from (
            (key, value, _PARALLELISM[name]) for name, (key, value) in node.mapping().items() if name in _PARALLELISM
        )
