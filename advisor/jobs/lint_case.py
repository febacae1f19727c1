"""Workloads of a file -> cases as `check` judges them: one build, the launches that belong together, facts of machines.

Launches are judged together where they are one service: the leader and workers of one object, and the ranks of one
object or script that name the same --nnodes. Any others are cases of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from advisor.jobs.lint_build import Placed, engine_of, place
from advisor.model.case import Case
from advisor.model.deployment import Workload
from advisor.model.fact import Fact, Span


@dataclass(frozen=True, slots=True)
class Unit:
    """Workloads that are one case, the first the one that speaks for it."""

    case: Case
    workloads: tuple[Workload, ...]
    placed: Placed

    @property
    def name(self) -> str:
        """The unit as findings call it."""
        return self.workloads[0].identity()

    @property
    def says(self) -> str:
        """The grouping in words, "" for a workload of its own."""
        names = [one.role or one.container or one.identity() for one in self.workloads]
        return f"judged together: {', '.join(names)} of {self.name.partition(':')[0]}" if len(names) > 1 else ""


def units(workloads: Sequence[Workload]) -> Iterator[Unit]:
    """The cases of a file's workloads, in the order of their first; those of no known engine are left out."""
    groups: dict[object, list[Workload]] = {}
    for index, one in enumerate(workloads):
        if engine_of(one):
            groups.setdefault(_group(one, index), []).append(one)
    for group in groups.values():
        yield unit_of(tuple(group))


def unit_of(group: tuple[Workload, ...]) -> Unit:
    """One case of several workloads."""
    placed = place(group)
    facts = tuple(dict.fromkeys(fact for one in group for fact in facts_of(one)))
    launches = tuple(one.launch for one in group)
    return Unit(Case(placed.build, launches, (*facts, *_arch_of(placed))), group, placed)


def _group(one: Workload, index: int) -> object:
    launch = one.launch
    count = launch.setting("--nnodes")
    rank = launch.setting("--node-rank") or launch.setting("--node_rank")
    engine = engine_of(one)
    if one.name and one.role in ("leader", "worker"):
        return engine, one.kind, one.namespace, one.name, ""
    if count is not None and rank is not None and str(count.value) not in ("", "1"):
        return engine, one.kind, one.namespace, one.name, f"{count.value}"
    return index


@lru_cache(maxsize=4096)
def _machines(text: str) -> tuple[Fact, ...]:
    """The facts that a label or a resource's name gives; a label's value is also read as words: NVIDIA-GB200."""
    from advisor.jobs import taking

    value = re.split(r"[=:]", text)[-1].replace("-", " ").replace("_", " ")
    keep = ("hardware.vendor", "hardware.accelerator", "hardware.arch", "hardware.capability")
    found = [*taking.machines(text, strict=False), *taking.machines(value, strict=False)] if text.strip() else []
    return tuple({(one.name, one.value): one for one in found if one.name in keep}.values())


def facts_of(workload: Workload) -> tuple[Fact, ...]:
    """What the file says of the machines: whose accelerators, which, the architecture, over how many nodes."""
    texts = (*workload.accelerators, workload.resources.gpu_resource)
    span = Span(workload.file, workload.place.span.line, workload.place.span.line)
    facts = [fact.but(span=span) for text in texts for fact in _machines(text)]
    ascend = next((one for one in workload.environment if one.name.startswith(("ASCEND_", "HCCL_"))), None)
    if ascend is not None and not any(one.name == "hardware.vendor" for one in facts):
        why = f"{ascend.name} is a variable of Ascend's runtime"
        facts.append(Fact("hardware.vendor", "ascend", "derived", ascend.place.span, ascend.name, why=why))
    if workload.nodes is not None:
        where = workload.nodes.place.span
        facts.append(Fact("topology.nodes", workload.nodes.value, "stated", where, workload.nodes.text))
    return tuple(facts)


def _arch_of(placed: Placed) -> tuple[Fact, ...]:
    """The hosts' architecture, where the image's tag names it."""
    image = placed.build.image or ""
    arch = _arch_in(image)
    if not arch or placed.source is None:
        return ()
    span = placed.source.place.span
    return (Fact("hardware.arch", arch, "derived", span, image, why="the image's tag names it"),)


@lru_cache(maxsize=4096)
def _arch_in(image: str) -> str:
    from advisor.evidence import image_tags
    from advisor.jobs.taking import with_images

    name, _, tag = image.rpartition(":")
    found = image_tags.place(name, tag, with_images()) if name else None
    return found.arch if found is not None else ""
