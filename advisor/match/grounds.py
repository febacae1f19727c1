"""A case in which nothing was seen -> all of it that an exposure can rest on, places and words left out.

    vllm serve a --tensor-parallel-size 8 --port 8000    in one file, at line 12
    vllm serve b --tensor-parallel-size 8 --port 9000    in another, at line 40: the same grounds, the same exposures

Thousands of manifests differ in names and ports alone. What no rule asks for is left out, so that what is found
of one holds of all that have its grounds. A case with logs or stacks has none: there all of the text can matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from advisor.match.derived import runs_in_container
from advisor.match.view import ANSWERED, View
from advisor.model.build import Build
from advisor.model.condition import atoms
from advisor.model.fact import Fact
from advisor.model.launch import Launch
from advisor.model.rule import Rule
from advisor.patterns import found_in

_BUILD = attrgetter(
    "engine", "version", "commit", "image", "digest", "branch", "fork", "after_pr", "earliest", "latest", "least",
    "below", "origin",
)  # fmt: skip
"""Fields by which a build is placed; `text` and `notes` only say so, components and holdings follow by themselves."""


@dataclass(frozen=True)
class Asked:
    """What conditions can ask of launches: flags and variables by name, and patterns that a model's name may match."""

    flags: frozenset[str]
    variables: frozenset[str]
    models: frozenset[str]


def asked(rules: Iterable[Rule], recipes: Iterable[Mapping[str, Any]]) -> Asked:
    """What the exposures of these rules can ask, themselves or through the facts that the recipes derive."""
    told = [atom for rule in rules for atom in atoms(rule.exposure)]
    flags = {one.name for one in told if one.kind == "setting"}
    variables = {one.name for one in told if one.kind == "env"}
    for recipe in recipes:
        flags.update(recipe.get("settings") or ())
        variables.update(recipe.get("env") or ())
    above = {one.partition(".")[0] for one in flags}
    models = {one.name for one in told if one.kind == "model"}
    return Asked(frozenset(flags | above), frozenset(variables), frozenset(models))


def grounds(view: View, what: Asked) -> tuple[object, ...] | None:
    """Equal for two cases whose exposures are the same; None where something was seen."""
    case = view.case
    if case.artifacts or case.threads or any(fact.notable for fact in case.facts):
        return None
    builds = (case.build, *(one.build for one in view.layers))
    return (
        tuple(map(_of_build, builds)),
        tuple(_of_launch(one, what) for one in case.launches),
        tuple(map(_of_fact, case.facts)),
    )


def _of_build(one: Build) -> tuple[object, ...]:
    parts = tuple((each.name, each.version, each.origin) for each in one.components)
    return (*_BUILD(one), parts, one.holdings)


def _of_launch(one: Launch, what: Asked) -> tuple[object, ...]:
    return (
        one.engine,
        one.complete,
        one.rank,
        one.image,
        _of_model(one.model, what.models),
        runs_in_container(one),
        frozenset(_last(((each.flag, each) for each in one.settings), what.flags)),
        frozenset(_last(((each.name, each) for each in one.environment), what.variables)),
    )


@lru_cache(maxsize=4096)
def _of_model(name: str, patterns: frozenset[str]) -> tuple[bool, frozenset[str]]:
    """Whether a model is named, and the patterns that its name matches."""
    return bool(name), frozenset(one for one in patterns if found_in(one, name))


def _last(given: Iterable[tuple[str, Any]], wanted: frozenset[str]) -> Iterator[tuple[object, ...]]:
    """What is wanted of settings or variables: of several of one name the last, as engines take them.

    True and 1 are one key to Python and two values to a condition.
    """
    last = {name: one for name, one in given if name in wanted}
    return ((name, one.value, type(one.value), one.origin) for name, one in last.items())


def _of_fact(one: Fact) -> tuple[object, ...]:
    answered = one.span is not None and one.span.artifact == ANSWERED
    return one.name, one.value, type(one.value), one.origin, one.rank, answered
