"""A fact as seen at a place of an artifact: with its span, the line it stands on and the rank that printed it."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.evidence.lines import line_around, rank_of
from advisor.model.fact import Artifact, Fact, Value

_QUOTED_BEFORE = 2000


def sighting(
    artifact: Artifact,
    name: str,
    value: Value,
    start: int,
    end: int | None = None,
    *,
    notable: bool = False,
    why: str = "",
) -> Fact:
    """The fact `name` = `value`, observed at the characters `start`..`end` of the artifact."""
    rank = artifact.rank or rank_of(line_around(artifact.text, start).text[:_QUOTED_BEFORE])
    quote = artifact.line_at(start)
    return Fact(name, value, "observed", artifact.span(start, end), quote, rank, notable, why)


def once(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The first sighting of each value by each rank; a later notable one makes the first notable."""
    kept: dict[tuple[str, Value, str | None], Fact] = {}
    for fact in facts:
        key = (fact.name, fact.value, fact.rank)
        if key not in kept:
            kept[key] = fact
        elif fact.notable and not kept[key].notable:
            kept[key] = kept[key].but(notable=True)
    return tuple(kept.values())
