"""Folders that a user names → rules judged beside the shipped ones (`catalog/own.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from advisor.catalog.places import own_rules, rule_files, use_own_rules
from advisor.errors import UsageError

__all__ = ["Carried", "adopt", "carried", "own_rules", "take", "use_own_rules"]


class Carried(NamedTuple):
    """The user's own rules as they were when they were taken, for processes that are started later."""

    folders: tuple[Path, ...]
    compiled: bytes


def take(folders: Sequence[Path]) -> tuple[str, ...]:
    """Judge by these rules too; a line for each fault in them, and then by none. Before anything else is judged.

    Raises UsageError for a folder that is not there or holds no rule.
    """
    for one in folders:
        if not one.is_dir():
            raise UsageError("no such folder", f"--rules {one}", None)
        if not rule_files(one):
            raise UsageError("no rules here", f"--rules {one}", "a rules folder holds <engine>/<slug>/rule.yaml")
    if not folders:
        return ()
    from advisor.catalog.own import take as taken
    from advisor.jobs.vocabulary import kinds

    return tuple(map(str, taken(folders, kinds())))


def carried() -> Carried | None:
    """What this process judges by beside the shipped rules, whatever becomes of the files; None where there is none."""
    if not own_rules():
        return None
    from advisor.catalog.compiled import compiled

    return Carried(own_rules(), compiled().content())


def adopt(given: Carried | None) -> None:
    """Judge by what another process took, before anything else is judged."""
    if given is None:
        return
    from advisor.catalog.compiled import hand_over

    hand_over(*given)
    use_own_rules(given.folders)
