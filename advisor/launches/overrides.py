"""Hydra overrides of a trainer that starts engines -> settings, as verl passes them through.

    actor_rollout_ref.rollout.name=sglang actor_rollout_ref.rollout.tensor_model_parallel_size=2
    +actor_rollout_ref.rollout.engine_kwargs.sglang.attention_backend=fa3
        -> --tp-size 2, --attention-backend fa3 of sglang

**Source:** verl, verl/trainer/config/rollout/rollout.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.launches.flags import convert
from advisor.launches.prose import Prose
from advisor.launches.spelling import spell
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Setting
from advisor.model.shape import Shape

_OVERRIDE = Shape(r"(?<![\w.+])\+{0,2}(?:\w+\.){0,4}rollout\.([A-Za-z_][\w.]*)=([\"']?)([^\s\"'\\]+)\2")
_NAME = Shape(r"rollout\.name=[\"']?(\w+)")
FLAGS = {
    "tensor_model_parallel_size": ("--tensor-parallel-size", "--tp-size", "--tp"),
    "pipeline_model_parallel_size": ("--pipeline-parallel-size", "--pp-size"),
    "data_parallel_size": ("--data-parallel-size", "--dp-size", "--dp"),
    "expert_parallel_size": ("--ep-size", "--ep"),
    "gpu_memory_utilization": ("--gpu-memory-utilization", "--mem-fraction-static"),
    "enforce_eager": ("--enforce-eager", "--disable-cuda-graph"),
    "enable_chunked_prefill": ("--enable-chunked-prefill",),
    "enable_prefix_caching": ("--enable-prefix-caching",),
    "max_model_len": ("--max-model-len", "--context-length"),
    "max_num_seqs": ("--max-num-seqs", "--max-running-requests"),
    "max_num_batched_tokens": ("--max-num-batched-tokens",),
    "dtype": ("--dtype",),
    "load_format": ("--load-format",),
}


def engine(text: str) -> str:
    """The engine that the overrides choose, or ""."""
    found = _NAME.search(text)
    return found.group(1) if found else ""


def read(prose: Prose, known: Knowledge | None, version: str | None) -> Iterator[tuple[Setting, int, int]]:
    """Each setting, with the characters it stands on."""
    if known is None or "rollout." not in prose.text:
        return
    for found in _OVERRIDE.finditer(prose.joined):
        key, value = found.group(1), found.group(3)
        own = f"engine_kwargs.{known.engine}."
        names = (f"--{key[len(own) :]}",) if key.startswith(own) else FLAGS.get(key, ())
        spelled = next((one for name in names if (one := spell(name, known, version)).known), None)
        if spelled is not None:
            shown = convert(value, "bool" if spelled.boolean else spelled.type, guess=spelled.type is None)
            made = Setting(spelled.flag, shown, key, prose.span(*found.span()), quote=prose.quote(found.start()))
            yield made, *found.span()
