"""A container of a pod spec, or a map of that shape -> the workloads it starts, with all that the pod says of them.

    - name: server                         -> one workload: argv of command and args, variables, the image's version,
      image: vllm/vllm-openai:v0.28.0         GPUs and memory, /dev/shm, probes, preStop, capabilities, and of the pod
      args: [--model, m]                      grace period, host namespaces, service links, node selectors
      resources: {limits: {nvidia.com/gpu: 8}}

A launch is complete where its command and arguments stand here whole: not where a controller or a chart adds to them
(`parallelism`, VLLM_ADDITIONAL_ARGS, `modelCommand`), nor where a template may drop some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from advisor.launches.files import pod, quantities, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.pod import Around
from advisor.launches.files.sources import image_source
from advisor.launches.files.started import phase
from advisor.launches.files.typed import File, Made, Typed
from advisor.model.deployment import Assignment, Place, VersionSource, Workload
from advisor.model.fact import Note

_ROLE = re.compile(
    r"(?:^|[-_./ ]|(?<=[a-z])(?=[PDLWR]))((?i:prefill|decode|leader|worker|router))(?:er)?s?(?:$|[-_./ \d]|(?=[A-Z]))"
)  # sglang-decode-0, VllmPrefillWorker


def workloads(node: Node, file: File, around: Around, control: tuple[tuple[int, int], ...] = ()) -> Iterator[Workload]:
    """The launches of a container, usually one or none."""
    inner = found if (found := node.get("image")) is not None and found.kind == "map" else node
    command, args = node.get("command") or inner.get("command"), node.get("args") or inner.get("args")
    served = node.said("modelCommand") == "vllmServe"
    words = scalars.argv([command, args], file)
    _extend(words, around, file)
    image, image_node = _image(node, file)
    given = scalars.resolved(scalars.variables(node.get("env"), file) + scalars.variables(node.get("envVars"), file))
    given, more = _additional(given, file)
    cut = any(node.start <= low < node.end for low, _ in control)
    engine = "vllm" if served else around.engine
    typed = Typed(
        (*words.words, *more.words),
        node.start,
        node.end,
        "block item",
        {**words.forms, **more.forms},
        given,
        image,
        image_node.start + (1 if image_node.style in ("'", '"') else 0) if image_node else -1,
        command is None or command.null,
        {**words.scripts, **more.scripts},
        words.whole and not cut and not around.extra and not served and not more.words,
        {**dict(around.injected)},
        hedged=cut and _has_branches(node, file, control),
    )
    versions = image_source(image, file.place(image_node.start, image_node.end, "mapping value")) if image_node else ()
    for made in launches(typed, file, engine=engine or None):
        if around.model and not made.launch.model:
            made = replace(made, launch=replace(made.launch, model=around.model))
        yield _workload(made, node, file, around, versions, [*words.notes, *_left_out(node, file)])


def _has_branches(node: Node, file: File, control: tuple[tuple[int, int], ...]) -> bool:
    """Whether a template chooses between parts of the container: then image and flags may be of different choices."""
    inner = (file.text[low:high] for low, high in control if node.start <= low < node.end)
    return any(re.search(r"\belse\b", one) for one in inner)


def _extend(words: scalars.Argv, around: Around, file: File) -> None:
    if around.extra:
        from advisor.launches.files import mapped

        for key, value, flag in around.extra:
            mapped.add(words, key, value, flag)


def _additional(given: list[Assignment], file: File) -> tuple[list[Assignment], scalars.Argv]:
    """KServe's templates put VLLM_ADDITIONAL_ARGS at the end of the command line."""
    out = scalars.Argv()
    for one in given:
        if one.name == "VLLM_ADDITIONAL_ARGS" and one.value_place is not None and one.known:
            node = Node("text", one.value_place.start, one.value_place.end, _style(file, one.value_place), one.value)
            out.words += scalars.split(node, file, out)
    return given, out


def _style(file: File, place: Place) -> str:
    first = file.text[place.start : place.start + 1]
    return first if first in ("'", '"', "|", ">") else ""


def _image(node: Node, file: File) -> tuple[str, Node | None]:
    """The image as one reference: a text, or `{repository, tag}` as charts have it."""
    found = node.get("image")
    if found is None:
        return "", None
    if found.kind == "text":
        return ("" if found.null else file.filled(found.text, found.start, found.end)), found
    name = "/".join(one for one in (found.said("registry"), found.said("repository") or found.said("name")) if one)
    tag, digest = found.said("tag"), found.said("digest")
    spot = found.get("tag") or found.get("repository") or found
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else ""), spot if name else None


def _left_out(node: Node, file: File) -> Iterator[Note]:
    for key in ("envFrom", "envFromSecret"):
        if (found := node.get(key)) is not None and not found.null:
            yield Note(
                "hint", f"the variables that `{key}` brings are not in this file", file.span(found.start, found.end)
            )


def _workload(
    made: Made, node: Node, file: File, around: Around, versions: tuple[VersionSource, ...], notes: list[Note]
) -> Workload:
    spec = around.pod
    name = node.said("name") or around.part
    probes = tuple(one for kind in ("startup", "liveness", "readiness") if (one := pod.probe(kind, node, file)))
    grace = quantities.quantity(spec.get("terminationGracePeriodSeconds"), file) if spec else None
    return made.workload(
        file,
        file.place(node.start, node.end, "mapping value"),
        kind=around.kind,
        name=around.name,
        namespace=around.namespace,
        container=name,
        role=role(made, around, name),
        versions=versions,
        resources=pod.resources(node, file, around),
        replicas=around.replicas,
        nodes=around.nodes,
        probes=probes,
        grace=grace,
        pre_stop_s=pod.pre_stop(node),
        capabilities=pod.capabilities(node),
        host_pid=bool(spec and (said := spec.get("hostPID")) and said.true),
        service_links=said.true if spec and (said := spec.get("enableServiceLinks")) else None,
        accelerators=tuple(pod.accelerators(around)),
        annotations=around.annotations,
        notes=tuple(notes),
    )


def role(made: Made, around: Around, name: str) -> str:
    """Flags decide, then whether a template's key, a label or a name says prefill or decode, then leader or worker."""
    if part := phase(made.launch, [one.text for one in made.arguments]):
        return part
    labelled = [value for key, value in around.labels if "role" in key.lower() or "component" in key.lower()]
    named = [
        found.group(1).lower() for one in (*labelled, around.part, name, around.name) if (found := _ROLE.search(one))
    ]
    phases = [one for one in (around.role, *named) if one in ("prefill", "decode")]
    return next(iter((*phases, *filter(None, (around.role, *named)))), "")
