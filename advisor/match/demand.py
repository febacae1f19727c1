"""The accelerators that one node's processes of a launch take, from how it is split.

    vllm --tensor-parallel-size 8 --pipeline-parallel-size 2 --nnodes 2     8 on each node
    vllm --tensor-parallel-size 4 --data-parallel-size-local 2              8
    sglang --tp-size 16 --nnodes 2                                          8; --dp-size adds none with DP attention
    lmdeploy --tp 4                                                         4

None means that the file does not tell: a size that only the shell knows, a Ray cluster of unknown size, an engine whose
processes are started one by one (xLLM). `exact` is False where more may be added than is seen.

Source (read 2026-11-29): vllm 0.33.0 wheel, vllm/config/parallel.py (world_size, device_count); sglang 0.5.23 wheel,
sglang/srt/arg_groups/validation_hook.py (tp_size * pp_size over nnodes) and fields/parallel.py; lmdeploy 0.18.0 wheel,
lmdeploy/cli/utils.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.match.observation import number_of, value_of
from advisor.match.view import View
from advisor.model.deployment import Workload


@dataclass(frozen=True, slots=True)
class Demand:
    """At least `least` accelerators on each of `nodes` nodes; `says` is how that follows, from `flags`."""

    least: int
    exact: bool
    nodes: int
    says: str
    flags: tuple[str, ...]


def demand(workload: Workload, view: View) -> Demand | None:
    """What one node of the workload needs; None when the file does not tell."""
    reckon = {"vllm": _vllm, "sglang": _sglang, "lmdeploy": _lmdeploy}.get(view.base.engine)
    return reckon(workload, view) if reckon else None


_CLUSTER = re.compile(r"\braySpec\b|\bray start\b|\bRAY_ADDRESS\b|multi-node-serving")
"""The workload is part of a Ray cluster, whose other pods stand elsewhere."""

_VLLM = ("--tensor-parallel-size", "--pipeline-parallel-size", "--prefill-context-parallel-size")
_VLLM_LOCAL = "--data-parallel-size-local"
_VLLM_SPREAD = (
    "--data-parallel-rank", "--data-parallel-start-rank", "--headless", "--data-parallel-hybrid-lb",
    "--data-parallel-external-lb", "--data-parallel-multi-port-external-lb", "--enable-elastic-ep",
)  # fmt: skip


def _vllm(workload: Workload, view: View) -> Demand | None:
    tp, pp = number_of(view, _VLLM[0]), number_of(view, _VLLM[1])
    hidden = pp is None and workload.launch.setting(_VLLM[1]) is None  # a chart may add it: at least one all the same
    pp = 1 if hidden else pp
    if tp is None or pp is None or value_of(view, "--distributed-executor-backend") == "external_launcher":
        return None
    pcp = number_of(view, _VLLM[2]) or 1
    nodes = _vllm_nodes(workload, view)
    if nodes is None:
        return None
    copies, exact = _vllm_copies(workload, view, nodes)
    world = tp * pp * pcp
    says = f"tensor parallel {tp} x pipeline parallel {pp}" + (f" x prefill context parallel {pcp}" if pcp > 1 else "")
    says += f" x {copies} local data parallel" if copies > 1 else ""
    says += f" over {nodes} nodes" if nodes > 1 else ""
    flags = (*_VLLM, _VLLM_LOCAL, "--data-parallel-size", "--nnodes")
    return Demand(-(-world // nodes) * copies, exact and not hidden, nodes, says, flags)


def _vllm_nodes(workload: Workload, view: View) -> int | None:
    """Over how many nodes one copy of the model is split."""
    if workload.launch.setting("--nnodes") is not None:
        return number_of(view, "--nnodes")
    if workload.nodes is not None and workload.nodes.value > 1:
        return workload.nodes.value
    ray = value_of(view, "--distributed-executor-backend") == "ray" or workload.kind.startswith("Ray")
    here = workload.launch.text[workload.place.start : workload.place.end]
    return None if ray or _CLUSTER.search(here) or workload.role in ("leader", "worker") else 1


def _vllm_copies(workload: Workload, view: View, nodes: int) -> tuple[int, bool]:
    """How many data-parallel copies run on one node, and whether that is all that can be."""
    launch = workload.launch
    local = launch.setting(_VLLM_LOCAL)
    if local is not None:
        count = number_of(view, _VLLM_LOCAL)
        return (count, nodes == 1) if count else (1, False)
    copies = number_of(view, "--data-parallel-size")
    spread = any(launch.setting(flag) for flag in _VLLM_SPREAD) or nodes > 1
    ray = value_of(view, "--data-parallel-backend") == "ray"
    ranked = any(one.name.startswith("VLLM_DP_") for one in workload.environment)
    if copies is None or spread or ray or ranked:
        return 1, copies == 1 and not ranked
    return copies, True


_SGLANG = ("--tp-size", "--pp-size", "--dp-size", "--nnodes", "--enable-dp-attention")


def _sglang(workload: Workload, view: View) -> Demand | None:
    tp, nodes = number_of(view, "--tp-size"), number_of(view, "--nnodes")
    pp = number_of(view, "--pp-size") or 1
    if tp is None or not nodes:
        return None
    dp = number_of(view, "--dp-size")
    shared = any(workload.launch.setting(flag) for flag in ("--enable-dp-attention", "--attn-dp-size", "--dwdp-size"))
    copies = dp if dp and not shared and nodes == 1 else 1
    says = f"tensor parallel {tp} x pipeline parallel {pp}" + (f" x data parallel {copies}" if copies > 1 else "")
    says += f" over {nodes} nodes" if nodes > 1 else ""
    return Demand(-(-tp * pp // nodes) * copies, dp is not None, nodes, says, _SGLANG)


def _lmdeploy(workload: Workload, view: View) -> Demand | None:
    tp, split = number_of(view, "--tp"), [number_of(view, flag) for flag in ("--dp", "--ep", "--nnodes")]
    if tp is None or any(one not in (None, 1) for one in split):
        return None
    return Demand(tp, None not in split, 1, f"tensor parallel {tp}", ("--tp",))
