"""A fact as seen at a place of an artifact: with its span, the line it stands on and the rank that printed it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from advisor.evidence.lines import line_around, occurrences, rank_of
from advisor.model.fact import Artifact, Fact, Span, Value

_HEAD = 2000  # characters of a line in which its prefix is looked for


@lru_cache(maxsize=1)
def line_ends(text: str) -> array[int]:
    """Where the lines of `text` end; kept for the text being read: to count for every fact would be quadratic."""
    return array("Q", occurrences(text, "\n"))


def span_of(artifact: Artifact, start: int, end: int | None = None) -> Span:
    """The same as `artifact.span`, at a cost that does not grow with the text."""
    ends = line_ends(artifact.text)
    line = artifact.number_of(bisect_left(ends, start))
    last = line if end is None else artifact.number_of(bisect_left(ends, max(start, end - 1)))
    return Span(artifact.name, line, last)


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
    rank = artifact.rank or rank_of(line_around(artifact.text, start).text[:_HEAD])
    quote = artifact.line_at(start)
    return Fact(name, value, "observed", span_of(artifact, start, end), quote, rank, notable, why)


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
