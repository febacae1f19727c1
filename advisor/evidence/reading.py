"""The readers: an artifact -> the facts, threads, collectives and notes in it. Readers never raise on odd text.

`FACTS` is the vocabulary of all of them, each name once; a rule may name only facts that stand there. What artifacts
say together is told by `divergence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.evidence import (
    accounts,
    collect_env,
    engine_log,
    flight_recorder,
    free_text,
    hardware,
    heartbeat,
    kernel_log,
    machine,
    multiarch,
    nccl_log,
    python_stack,
    usage,
    waits,
    watchdog,
)
from advisor.evidence.sighting import once
from advisor.model.collective import Beat, Collective, GroupStatus, Utilisation
from advisor.model.fact import Artifact, Fact, FactKind, Note, Thread
from advisor.model.late import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one artifact shows. `artifact` is the artifact read, with `covered` as the readers judge it."""

    facts: tuple[Fact, ...]
    threads: tuple[Thread, ...]
    notes: tuple[Note, ...]
    artifact: Artifact
    collectives: Sequence[Collective] = ()
    statuses: tuple[GroupStatus, ...] = ()
    loads: tuple[Utilisation, ...] = ()
    beats: tuple[Beat, ...] = ()


def read(artifact: Artifact, engine: str | None = None) -> Evidence:
    """Read an artifact with the readers of its kind; what words say of another engine than `engine` does not count."""
    if artifact.kind in ("log", "stack"):
        return _logged(artifact)
    if artifact.kind == "recorder":
        collectives, statuses, said, notes = flight_recorder.read(artifact)
        return Evidence(said, (), notes, artifact, collectives, statuses)
    facts: tuple[Fact, ...] = ()
    if artifact.kind == "collect_env":
        facts = collect_env.read(artifact)
    elif artifact.kind in ("machine", "metrics", "health"):
        found = machine.reading(artifact)
        facts = once([*found.facts, *multiarch.read(artifact)])
        return Evidence(facts, (), found.notes, artifact, (), found.statuses, found.loads)
    elif artifact.kind == "text":
        name, first = artifact.name, artifact.first_line
        facts = (
            *kernel_log.read(artifact),
            *free_text.read_symptoms(artifact.text, artifact=name, first_line=first, engine=engine),
            *usage.read_usage(artifact.text, artifact=name, first_line=first, engine=engine),
        )
    return Evidence(facts, (), (), artifact)


def _logged(artifact: Artifact) -> Evidence:
    """Logs and stacks are printed into each other, so each reader looks at both."""
    threads = python_stack.read(artifact)
    readers = (nccl_log, engine_log, kernel_log, multiarch)
    facts = once(fact for reader in readers for fact in reader.read(artifact))
    collectives, statuses = watchdog.read(artifact)
    beats = heartbeat.beats(artifact)
    if engine_log.covers(artifact):
        artifact = replace(artifact, covered=True)
    return Evidence(facts, threads, python_stack.notes(threads), artifact, collectives, statuses, (), beats)


def _vocabulary() -> tuple[FactKind, ...]:
    readers = (nccl_log, engine_log, machine, collect_env, free_text, usage, hardware, accounts, waits)
    kinds: dict[str, FactKind] = {}
    for reader in readers:
        for kind in reader.FACTS:
            kinds.setdefault(kind.name, kind)
    return tuple(sorted(kinds.values(), key=lambda kind: kind.name))


FACTS: tuple[FactKind, ...] = _vocabulary()
