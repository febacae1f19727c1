"""The file of `vllm serve --config FILE` or `sglang … --config FILE` -> one launch, never complete: flags win over it.

    model: m                         -> vllm: --model m, --tensor-parallel-size 8, --enable-expert-parallel
    tensor-parallel-size: 8             each from its key to the end of its value
    enable_expert_parallel: true

The engine is the one whose flags most keys are, when no other knows as many; a map with fewer than two flags, or with
more keys that are none, is no such file.

**Source:** vLLM v0.28.0 vllm/utils/argparse_utils.py (load_config_file: keys are flag names); SGLang 0.5.16
sglang/srt/server_args_config_parser.py (ConfigArgumentMerger).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.launches.files import mapped, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.typed import File, Typed
from advisor.launches.spelling import spell
from advisor.model.deployment import Workload


def engine_of(root: Node, file: File) -> str | None:
    """The engine whose configuration this map is; None when it is none's."""
    keys = list(root.mapping()) if root.kind == "map" else []
    if not 2 <= len(keys) <= 200:
        return None
    counts = {
        name: sum(known.canonical(spell(mapped.flag_of(key), known, None).flag) is not None for key in keys)
        for name, known in file.engines.items()
    }
    best = max(counts, key=lambda name: counts[name], default="")
    alone = best and all(counts[best] > count for name, count in counts.items() if name != best)
    return best if alone and counts[best] >= 2 and counts[best] * 5 >= len(keys) * 4 else None


def workloads(root: Node, file: File, engine: str | None = None) -> Iterator[Workload]:
    """The launch that the file configures."""
    engine = engine or engine_of(root, file)
    words = scalars.Argv()
    for key, value in root.mapping().values():
        mapped.add(words, key, value)
    typed = Typed(words.words, root.start, root.end, "mapping value", words.forms, whole=False, follows=True)
    for made in launches(typed, file, engine=engine):
        yield made.workload(file, file.place(root.start, root.end, "mapping value"), format="engine config")
