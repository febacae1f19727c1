"""Values of the vLLM production-stack chart -> a workload per entry of `servingEngineSpec.modelSpec`.

    - name: llama                             -> `vllm serve m --tensor-parallel-size 2 --max-model-len 4096
      repository: vllm/vllm-openai                --enable-chunked-prefill --block-size 32`, image v0.28.0, 2 GPUs
      tag: v0.28.0
      modelURL: m
      requestGPU: 2
      vllmConfig: {tensorParallelSize: 2, maxModelLen: 4096, enableChunkedPrefill: true, extraArgs: ["--block-size=32"]}

The chart decides what else is on the command line (`--host`, `--port`, in some releases `--no-enable-prefix-caching`
where the key is absent), and its release is not in the file: such a launch is not complete.

**Source:** vllm-project/production-stack, helm/templates/deployment-vllm-multi.yaml at 010004eea56f, read 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.launches.files import container, mapped, pod, quantities, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.sources import image_source
from advisor.launches.files.typed import File, Typed
from advisor.launches.shell import Word
from advisor.model.deployment import Resources, Workload
from advisor.model.fact import Note

_OWN = {"extraArgs", "v0", "v1", "prometheusMultiprocDir"}
_BESIDE = {
    "enableLoRA": "--enable-lora",
    "enableTool": "--enable-auto-tool-choice",
    "toolCallParser": "--tool-call-parser",
}


def workloads(root: Node, file: File) -> Iterator[Workload]:
    """The models that the values deploy."""
    spec = root.get("servingEngineSpec")
    models = spec.get("modelSpec") if spec is not None else None
    for one in models.items if models is not None else ():
        if one.kind == "map" and spec is not None:
            yield from _model(one, spec, file)


def _model(one: Node, spec: Node, file: File) -> Iterator[Workload]:
    words = scalars.Argv()
    words.words += [Word("vllm"), Word("serve")]
    if (url := one.get("modelURL")) is not None and url.kind == "text":
        words.words.append(Word(url.text, url.start, url.end))
        words.forms[(url.start, url.end)] = "mapping value"
    config = one.get("vllmConfig")
    pairs = [*(config.mapping().items() if config is not None and config.kind == "map" else ())]
    for name, (key, value) in [*one.mapping().items(), *pairs]:
        if name in _BESIDE or ((name, (key, value)) in pairs and name not in _OWN):
            mapped.add(words, key, value, _BESIDE.get(name, ""))
    extra = scalars.argv([config.get("extraArgs") if config is not None else None], file)
    _lmcache(one, words)
    given = scalars.resolved(scalars.variables(one.get("env"), file))
    repository, tag = one.said("repository"), one.get("tag")
    image = f"{repository}:{tag.text}" if repository and tag is not None else repository
    spot = tag or one.get("repository")
    typed = Typed(
        [*words.words, *extra.words],
        one.start,
        one.end,
        "mapping value",
        {**words.forms, **extra.forms},
        given,
        image,
        scripts=extra.scripts,
        whole=False,
    )
    probes = (pod.probe(kind, spec, file) for kind in ("startup", "liveness", "readiness"))
    note = Note(
        "hint", "what the chart itself adds to the command line is not here", file.span(one.start, one.start + 1)
    )
    for made in launches(typed, file, engine="vllm"):
        yield made.workload(
            file,
            file.place(one.start, one.end, "block item"),
            kind="modelSpec",
            name=one.said("name"),
            role=container.role(made, pod.Around(name=one.said("name")), ""),
            versions=image_source(image, file.place(spot.start, spot.end, "mapping value")) if spot else (),
            resources=_resources(one, file),
            replicas=quantities.quantity(one.get("replicaCount"), file),
            probes=tuple(found for found in probes if found),
            capabilities=tuple(scalars.texts(spec.get("containerSecurityContext", "capabilities", "add"))),
            accelerators=tuple(pod.devices(one.get("nodeSelectorTerms"))),
            annotations=tuple(
                each for key in ("annotations", "podAnnotations") for each in scalars.labels(one.get(key), file)
            ),
            notes=(note, *extra.notes),
        )


def _lmcache(one: Node, words: scalars.Argv) -> None:
    cache = one.get("lmcacheConfig")
    on = cache.mapping().get("enabled") if cache is not None and cache.kind == "map" else None
    if cache is None or on is None or not on[1].true or cache.get("enablePD") is not None:
        return
    place = (on[0].start, on[1].end)
    value = f'{{"kv_connector": "LMCacheConnectorV1", "kv_role": "{cache.said("kvRole") or "kv_both"}"}}'
    words.forms[place] = "mapping value"
    words.words += [Word("--kv-transfer-config", *place), Word(value, *place)]


def _resources(one: Node, file: File) -> Resources:
    gpus = quantities.quantity(one.get("requestGPU"), file)
    memory = quantities.quantity(one.get("limitMemory") or one.get("requestMemory"), file)
    kind = (one.said("requestGPUType") or "nvidia.com/gpu") if gpus else ""
    return Resources(gpus, kind, memory, quantities.quantity(one.get("shmSize"), file))
