"""A compose file's services -> workloads.

    services:
      vllm:                                      -> image v0.28.0 with `--model m --tp 8`, 8 GPUs
        image: vllm/vllm-openai:v0.28.0
        command: --model m --tp ${TP:-8}
        shm_size: 16g
        deploy: {resources: {reservations: {devices: [{count: 8, capabilities: [gpu]}]}}}

`${X:-8}` is 8 here, since the file says so; `${X}` is unknown. A health check is a readiness probe: compose restarts
nothing for it. Labels are given as annotations. `shm_size` without a value is None: docker's default, 64 MiB, holds.

**Source:** https://docs.docker.com/reference/compose-file/services/ and …/interpolation/, read 2026-11-29.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from advisor.launches.files import amounts, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.healthcheck import health
from advisor.launches.files.marks import Node
from advisor.launches.files.sources import image_source
from advisor.launches.files.typed import File, Typed
from advisor.launches.shell import Word
from advisor.model.deployment import Assignment, Probe, Quantity, Resources, Workload
from advisor.model.fact import Note

_HOLD = re.compile(r"\$\$|\$\{(\w+)(?:(:?[-?+])((?:[^{}]|\{[^}]{0,400}\}){0,1000}+))?\}|\$(\w+)")  # ${X:-8}, $X, $$


def workloads(root: Node, file: File) -> Iterator[Workload]:
    """The engines of the services, in order."""
    services = root.get("services")
    for name, (_, node) in services.mapping().items() if services is not None else ():
        if node.kind == "map":
            yield from _service(name, node, file)


def filled(text: str) -> tuple[str, bool]:
    """The text with `${X:-default}` filled in, and whether nothing in it is left open."""
    known = True

    def value(found: re.Match[str]) -> str:
        nonlocal known
        if found.group() == "$$":
            return "$"
        if (found.group(2) or "").endswith("-"):
            return found.group(3)
        known = False
        return found.group()

    return _HOLD.sub(value, text), known


def _filled(word: Word) -> Word:
    if "$" not in word.text:
        return word
    text, known = filled(word.text)
    return replace(word, text=text, known=known, open=word.open and not known)


def _service(name: str, node: Node, file: File) -> Iterator[Workload]:
    words = scalars.argv([node.get("entrypoint"), node.get("command")], file)
    given = [_given(one) for one in scalars.variables(node.get("environment"), file)]
    image_node = node.get("image")
    image = filled(image_node.text)[0] if image_node is not None and image_node.kind == "text" else ""
    entry = node.get("entrypoint")
    at = image_node.start + (image_node.style in ("'", '"')) if image_node is not None else -1
    typed = Typed(
        [_filled(one) for one in words.words],
        node.start,
        node.end,
        "block item",
        words.forms,
        given,
        image,
        at,
        entry is None or entry.null,
        words.scripts,
        words.whole,
    )
    versions = image_source(image, file.place(image_node.start, image_node.end, "mapping value")) if image_node else ()
    probe = _health(node, file)
    for made in launches(typed, file):
        yield made.workload(
            file,
            file.place(node.start, node.end, "mapping value"),
            kind="service",
            name=name,
            container=node.said("container_name") if node.said("container_name") != name else "",
            versions=versions,
            resources=_resources(node, file),
            replicas=_quantity(node.get("deploy", "replicas") or node.get("scale"), file),
            probes=(probe,) if probe else (),
            grace=_quantity(node.get("stop_grace_period"), file, amounts.seconds),
            capabilities=_capabilities(node),
            host_pid=node.said("pid") == "host",
            annotations=tuple(scalars.labels(node.get("labels"), file)),
            notes=(*words.notes, *_left_out(node, file)),
        )


def _given(one: Assignment) -> Assignment:
    text, known = filled(one.value)
    return replace(one, value=text, known=known and one.value_place is not None)


def _left_out(node: Node, file: File) -> Iterator[Note]:
    for key in ("env_file", "extends"):
        if (found := node.get(key)) is not None:
            yield Note("hint", f"what `{key}` brings is not in this file", file.span(found.start, found.end))


def _resources(node: Node, file: File) -> Resources:
    shm, gpus = node.get("shm_size"), _gpus(node, file)
    memory = node.get("mem_limit") or node.get("deploy", "resources", "limits", "memory")
    return Resources(
        gpus,
        "gpu" if gpus else "",
        _quantity(memory, file),
        _quantity(shm, file),
        node.said("ipc") == "host",
    )


def _quantity(node: Node | None, file: File, read: Callable[[str], int | None] = amounts.size) -> Quantity | None:
    value = read(filled(node.text)[0]) if node is not None and node.kind == "text" else None
    if node is None or value is None:
        return None
    return Quantity(value, node.text, file.place(node.start, node.end, "mapping value"))


def _gpus(node: Node, file: File) -> Quantity | None:
    """How many devices are reserved; None for all of them, and where nothing is."""
    devices, short = node.get("deploy", "resources", "reservations", "devices"), node.get("gpus")
    for one in (*(devices.items if devices is not None else ()), *(short.items if short is not None else ())):
        told = {*scalars.texts(one.get("capabilities")), one.said("driver")}
        if one.kind != "map" or (devices is not None and not {"gpu", "nvidia"} & told):
            continue
        count, ids = one.get("count"), one.get("device_ids")
        if count is not None and (found := _quantity(count, file)):
            return found
        if ids is not None and ids.items:
            return Quantity(
                len(ids.items), file.text[ids.start : ids.end], file.place(ids.start, ids.end, "mapping value")
            )
    return _quantity(short, file)


def _health(node: Node, file: File) -> Probe | None:
    one = node.get("healthcheck")
    if one is None or one.kind != "map" or one.get("test") is None:
        return None
    told = {name: filled(one.said(name.replace("-", "_")))[0] for name in ("interval", "retries", "start-period")}
    test = " ".join(scalars.texts(one.get("test")))
    return health(test, told, file.place(one.start, one.end, "mapping value"))


def _capabilities(node: Node) -> tuple[str, ...]:
    added = tuple(scalars.texts(node.get("cap_add")))
    privileged = node.get("privileged")
    return (*added, "ALL") if privileged is not None and privileged.true else added
