"""Where rules/ and knowledge/ are: inside the installed package, or beside it in a source tree."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import advisor
from advisor.errors import KnowledgeError


@cache
def root() -> Path:
    """The folder that holds `rules/` and `knowledge/`. Raises KnowledgeError when neither place has them."""
    package = Path(advisor.__file__).resolve().parent
    for place in (package / "_data", package.parent):
        if (place / "rules").is_dir() and (place / "knowledge").is_dir():
            return place
    raise KnowledgeError("the rules and knowledge folders are missing", str(package), "reinstall inference-advisor")


@cache
def rules_root() -> Path:
    """The folder of all rules."""
    return root() / "rules"


def knowledge_root() -> Path:
    """The folder of all engines' knowledge."""
    return root() / "knowledge"


_own: list[Path] = []


def own_rules() -> tuple[Path, ...]:
    """The folders of the user's own rules that are judged beside the shipped ones (`own.take`)."""
    return tuple(_own)


def use_own_rules(folders: Iterable[Path]) -> None:
    """From now on this process judges by the rules of these folders too; before anything is judged."""
    _own[:] = folders


def rule_files(base: Path) -> list[Path]:
    """Every rule file below `base`, in the order of their ids."""
    return sorted(base.glob("[!.]*/[!.]*/rule.yaml"))  # hidden: one that is being made
