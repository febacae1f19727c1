"""Every fact that some reader declares, by name: what rules may name, and how to ask for it."""

from __future__ import annotations

from functools import cache
from typing import Any

from advisor.catalog.engines import profiles
from advisor.evidence import reading
from advisor.launches import mentions
from advisor.match import derived
from advisor.model.fact import FactKind


@cache
def kinds() -> dict[str, FactKind]:
    """All declared facts by name; a profile declares those that only it derives."""
    own = (
        FactKind(name, recipe["type"], recipe["says"], recipe["question"], recipe.get("how", ""))
        for made in recipes().values()
        for name, recipe in made.items()
        if "question" in recipe
    )
    return {kind.name: kind for kind in (*own, *reading.FACTS, *mentions.FACTS, *derived.FACTS)}


def recipes() -> dict[str, dict[str, dict[str, Any]]]:
    """By engine, the facts its profile derives and what from."""
    return {engine: profile["facts"] for engine, profile in profiles().items() if profile.get("facts")}
