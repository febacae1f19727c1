"""What the tests of the gate search: the catalogue's log patterns, and every text of the repository that is evidence."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

from advisor.jobs.judging import catalogue
from advisor.model.condition import Atom, Join, atoms
from advisor.patterns import compile_pattern

REPO = Path(__file__).parents[2]


@cache
def patterns() -> tuple[str, ...]:
    """Every log pattern of the catalogue."""
    found: dict[str, None] = {}

    def walk(noun: object) -> None:
        if isinstance(noun, Atom | Join):
            found.update((atom.name, None) for atom in atoms(noun) if atom.kind == "log")
        elif is_dataclass(noun):
            for field in fields(noun):
                walk(getattr(noun, field.name))
        elif isinstance(noun, list | tuple):
            for one in noun:
                walk(one)

    for rule in catalogue():
        walk(rule)
    return tuple(found)


@cache
def texts() -> tuple[str, ...]:
    """Every file of the rules' cases, of the healthy corpus and of the excerpts."""
    places = [*REPO.glob("rules/*/*/cases/*/*"), *REPO.glob("tests/healthy/*"), *REPO.glob("tests/evidence/excerpts/*")]
    read = (file.read_text(encoding="utf-8", errors="replace") for file in places if file.is_file())
    return tuple(dict.fromkeys(read))


@cache
def excerpts() -> tuple[tuple[str, str], ...]:
    """For each pattern that matches anywhere, up to three places where it does, with the lines around."""
    corpus = "\n".join(texts())
    found = []
    for pattern in patterns():
        for place, match in zip(range(3), compile_pattern(pattern).finditer(corpus), strict=False):
            start = corpus.rfind("\n", 0, match.start()) + 1
            end = corpus.find("\n", match.end())
            found.append((pattern, corpus[start : None if end < 0 else end] if place else match.group()))
    return tuple(found)
