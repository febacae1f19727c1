"""A trainer's hydra file (verl) -> the engine that its rollout starts; never complete: the trainer sets more itself.

    actor_rollout_ref:
      rollout:
        name: vllm                              -> vllm: --tensor-parallel-size 4, --gpu-memory-utilization 0.6
        tensor_model_parallel_size: 4              and engine_kwargs.vllm.* by their own names
        gpu_memory_utilization: 0.6
    trainer: {nnodes: 2, n_gpus_per_node: 8}    -> 2 nodes, 8 GPUs

**Source:** verl, verl/trainer/config/rollout/rollout.yaml; read 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.launches.files import mapped, quantities, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.typed import File, Typed
from advisor.launches.overrides import FLAGS
from advisor.launches.spelling import spell
from advisor.model.deployment import Resources, Workload


def workloads(root: Node, file: File) -> Iterator[Workload]:
    """The rollout's engine, if the file names it."""
    rollout = root.get("actor_rollout_ref", "rollout") or root.get("rollout")
    engine = rollout.said("name").partition("_")[0] if rollout is not None and rollout.kind == "map" else ""
    if rollout is None or engine not in file.engines:
        return
    known = file.engines[engine]
    words = scalars.Argv()
    model = root.get("actor_rollout_ref", "model", "path")
    for name, (key, value) in rollout.mapping().items():
        flag = next((one for one in FLAGS.get(name, ()) if spell(one, known, None).known), "")
        if flag:
            mapped.add(words, key, value, flag)
    own = rollout.get("engine_kwargs", engine)
    for key, value in own.mapping().values() if own is not None and own.kind == "map" else ():
        mapped.add(words, key, value)
    typed = Typed(words.words, rollout.start, rollout.end, "mapping value", words.forms, whole=False, follows=True)
    gpus = quantities.quantity(root.get("trainer", "n_gpus_per_node"), file)
    for made in launches(typed, file, engine=engine):
        if model is not None and model.kind == "text" and not model.null:
            made = replace(made, launch=replace(made.launch, model=model.text))
        yield made.workload(
            file,
            file.place(rollout.start, rollout.end, "mapping value"),
            kind="rollout",
            resources=Resources(gpus, "gpu" if gpus else ""),
            nodes=quantities.quantity(root.get("trainer", "nnodes"), file),
        )
