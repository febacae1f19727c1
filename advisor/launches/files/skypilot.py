"""A SkyPilot task -> the engines that its `run` script starts.

    envs: {MODEL: m}
    setup: pip install vllm==0.28.0                 -> `vllm serve m --tensor-parallel-size 8`, pinned by pip,
    run: vllm serve $MODEL --tensor-parallel-size 8    on 2 nodes with 8 H100 each
    resources: {accelerators: "H100:8"}
    num_nodes: 2

SkyPilot gives the script SKYPILOT_NUM_NODES and SKYPILOT_NUM_GPUS_PER_NODE; both follow from the file.

**Source:** https://docs.skypilot.co/en/latest/reference/yaml-spec.html, read 2026-11-29.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.launches.files import quantities, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.origins import origins
from advisor.launches.files.sources import image_source
from advisor.launches.files.typed import File, Typed
from advisor.launches.shell import Word
from advisor.model.deployment import Probe, Quantity, Resources, Workload

_DEVICE = re.compile(r"([\w.-]+?)(?::(\d+))?\Z")  # H100:8


def workloads(root: Node, file: File) -> Iterator[Workload]:
    """The engines of the task."""
    run = root.get("run")
    if run is None or run.kind != "text":
        return
    place = (run.start, run.end)
    given = scalars.variables(root.get("envs"), file)
    image_node = root.get("resources", "image_id")
    image = image_node.text.removeprefix("docker:") if image_node is not None and image_node.kind == "text" else ""
    names, gpus = _accelerators(root.get("resources", "accelerators"), file)
    nodes = quantities.quantity(root.get("num_nodes"), file)
    injected = {"SKYPILOT_NUM_NODES": str(nodes.value) if nodes else "1"}
    injected |= {"SKYPILOT_NUM_GPUS_PER_NODE": str(gpus.value)} if gpus else {}
    words = (Word("sh", *place), Word("-c", *place), Word(run.text, *place))
    scripts = {place: origins(run, file.seen)}
    before = []
    if (setup := root.get("setup")) is not None and setup.kind == "text":
        before.append(Word(setup.text, setup.start, setup.end))
        scripts[setup.start, setup.end] = origins(setup, file.seen)
    typed = Typed(words, *place, "shell word", {}, given, image, -1, False, scripts, True, injected, before=before)
    versions = image_source(image, file.place(image_node.start, image_node.end, "mapping value")) if image_node else ()
    count = root.get("service", "replicas") or root.get("service", "replica_policy", "min_replicas")
    probe = _probe(root, file)
    for made in launches(typed, file):
        yield made.workload(
            file,
            file.place(root.start, root.end, "mapping value"),
            kind="task",
            name=root.said("name"),
            versions=versions,
            resources=Resources(gpus, "gpu" if gpus else ""),
            replicas=quantities.quantity(count, file),
            nodes=nodes,
            probes=(probe,) if probe else (),
            accelerators=tuple(names),
        )


def _accelerators(node: Node | None, file: File) -> tuple[list[str], Quantity | None]:
    """The devices named, any of which will do, and how many of each node when all say the same."""
    found: list[tuple[str, int, Node]] = []
    if node is not None and node.kind == "map":
        pairs = [(key.text, value) for key, value in node.mapping().values()]
        found = [(name, int(value.text) if value.text.isdigit() else 1, value) for name, value in pairs]
    elif node is not None:
        for one in node.items if node.kind == "list" else [node]:
            if said := _DEVICE.match(one.text):
                found.append((said.group(1), int(said.group(2) or 1), one))
    if not found or len({count for _, count, _ in found}) > 1:
        return [name for name, _, _ in found], None
    _, count, first = found[0]
    return [name for name, _, _ in found], Quantity(
        count, first.text, file.place(first.start, first.end, "mapping value")
    )


def _probe(root: Node, file: File) -> Probe | None:
    one = root.get("service", "readiness_probe")
    if one is None or one.kind != "map" or not one.said("initial_delay_seconds").isdigit():
        return None
    place = file.place(one.start, one.end, "mapping value")
    return Probe("readiness", int(one.said("initial_delay_seconds")), one.said("path"), place)
