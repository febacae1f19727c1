"""What follows from a noun alone is made once for each: by its identity, for to hash a whole rule takes longer.

Meant for nouns that live as long as the process, such as the catalogue's rules and their parts. What is made lives as
long, and so what follows from that in turn, such as its text in a report, can be made once too: `is_kept` knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Noun = TypeVar("Noun")
Made = TypeVar("Made")

_KEPT: dict[int, Any] = {}


def once_each(make: Callable[[Noun], Made]) -> Callable[[Noun], Made]:
    """The function, called once for each object that it is given; what it gives must not be changed."""
    known: dict[int, tuple[Any, Made]] = {}

    @wraps(make)
    def made(noun: Noun) -> Made:
        found = known.get(id(noun))
        if found is None:
            found = known[id(noun)] = noun, keep(make(noun))  # the noun is kept, so that no other gets its number
        return found[1]

    return made


def keep(made: Made) -> Made:
    """The same, kept from now on: it must not be changed."""
    _KEPT[id(made)] = made
    return made


def is_kept(one: object) -> bool:
    """Whether this very object lives as long as the process."""
    return id(one) in _KEPT
