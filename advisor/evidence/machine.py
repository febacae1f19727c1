"""Readings of the machine and of the server's own ports -> facts, loads, statuses: the front of their readers.

    nvidia_smi  nvidia-smi: table, -q, -L, dmon, --query-gpu=… --format=csv     npu_smi   npu-smi info
    rocm_smi    rocm-smi                                                        maps      /proc/PID/maps, lsof, ldd
    ras         NCCL RAS, text and JSON                                         metrics   Prometheus text of an engine
    health      an answer of /health                         host      what `advisor collect` writes of the machine

A text may hold several of them, so each reader is asked. `across` tells what several artifacts say together. A text
that none of them knows is said to be unknown. **Source:** each reader names its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from advisor.evidence import devices, health, host, maps, metrics, npu_smi, nvidia_smi, ras, rocm_smi
from advisor.evidence.devices import Reading
from advisor.evidence.sighting import once, span_of
from advisor.model.fact import Artifact, Fact, FactKind, Note

FACTS: tuple[FactKind, ...] = (*devices.FACTS, *maps.FACTS, *ras.FACTS, *metrics.FACTS, *health.FACTS)


class Reader(Protocol):
    """A module that reads one kind of text."""

    def mine(self, text: str) -> bool: ...

    def read(self, artifact: Artifact) -> Reading: ...


READERS: tuple[Reader, ...] = (host, nvidia_smi, rocm_smi, npu_smi, ras, maps, metrics, health)


def mine(text: str) -> bool:
    """Whether any of the readers knows this text."""
    return any(reader.mine(text) for reader in READERS)


def reading(artifact: Artifact) -> Reading:
    """Everything that the readers which know the text say of it."""
    found = [reader.read(artifact) for reader in READERS if reader.mine(artifact.text)]
    if not found and artifact.text.strip():
        return Reading(
            notes=(Note("unreadable", "a reading of the machine of a kind not known here", span_of(artifact, 0)),)
        )
    return Reading(
        once(fact for one in found for fact in one.facts),
        tuple(load for one in found for load in one.loads),
        tuple(status for one in found for status in one.statuses),
        tuple(note for one in found for note in one.notes),
    )


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """The facts alone."""
    return reading(artifact).facts


def across(artifacts: Sequence[Artifact], facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """What only several artifacts together say: whether ranks map different files, whether counters moved between.

    `facts` are those already read of `artifacts`.
    """
    of_metrics = [one for one in artifacts if one.kind in ("metrics", "machine") and metrics.mine(one.text)]
    return once([*maps.across(facts), *metrics.across(of_metrics)])
