"""Two releases and the launches on the way -> what changes in the settings that matter to them.

Two lists: settings that the launches give, and settings that they leave at a default which differs and at which some
rule of the engine looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from advisor.errors import UsageError
from advisor.jobs import flags
from advisor.jobs.judging import catalogue
from advisor.match.judge import applies
from advisor.model.condition import Atom, atoms
from advisor.model.deployment import Workload
from advisor.model.knowledge import Knowledge
from advisor.model.reference import SettingChange

Changes = tuple[SettingChange, ...]


def between(of: Knowledge, old: str, new: str, launches: Sequence[Workload]) -> tuple[Changes, Changes]:
    """Changes of settings given, and of defaults looked at; both empty where one of the releases was not read."""
    if old == new:
        return (), ()
    try:
        found = flags.diff(of.engine, old, new)
    except UsageError:
        return (), ()
    given = {one.flag.partition(".")[0] for each in launches for one in each.launch.settings if one.origin == "stated"}
    given |= {one.name for each in launches for one in each.environment}
    every = (*found.flags, *found.variables)
    changed = tuple(one for one in every if one.name in given and one.change != "added")
    looked_at = _looked_at(of)
    defaults = tuple(
        one
        for one in every
        if one.name not in given and one.name in looked_at and any(said.startswith("default") for said in one.says)
    )
    return changed, defaults


@cache
def _looked_at(of: Knowledge) -> frozenset[str]:
    """The flags and variables that an exposure can hang on, by way of facts too."""
    found: set[str] = set()
    for rule in catalogue():
        if rule.exposure is not None and applies(rule, of.engine):
            found |= {name for atom in atoms(rule.exposure) for name in _names(atom, of)}
    return frozenset(found)


def _names(atom: Atom, of: Knowledge) -> Iterator[str]:
    if atom.kind in ("setting", "env"):
        yield atom.name.partition(".")[0]
    for name in of.read_from(atom.name) if atom.kind == "fact" else ():
        yield name.partition(".")[0]
