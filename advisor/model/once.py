"""What follows from a noun alone is made once for each: by its identity, for to hash a whole rule takes longer.

Meant for nouns that live as long as the process, such as the catalogue's rules and their parts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Noun = TypeVar("Noun")
Made = TypeVar("Made")


def once_each(make: Callable[[Noun], Made]) -> Callable[[Noun], Made]:
    """The function, called once for each object that it is given; what it gives must not be changed."""
    known: dict[int, tuple[Any, Made]] = {}

    @wraps(make)
    def made(noun: Noun) -> Made:
        found = known.get(id(noun))
        if found is None:
            found = known[id(noun)] = noun, make(noun)  # the noun is kept, so that no other gets its number
        return found[1]

    return made
