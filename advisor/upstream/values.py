"""The kinds of value that reading a release's source can give, besides Python's own plain ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from advisor.upstream.python_code import Class, External, Module, Reference


class Undecided(Exception):
    """A condition hangs on something Unknown."""


@dataclass(eq=False)
class Unknown(Reference):
    """A value only a running process has; ``variable`` names the environment variable it follows, if that is known."""

    variable: str | None = None

    def __bool__(self) -> bool:
        raise Undecided


@dataclass(eq=False)
class Member(Reference):
    """A member of an enum."""

    owner: Class
    name: str
    value: Any

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Member):
            return other.owner == self.owner and other.name == self.name
        return isinstance(self.value, str) and other == self.value

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(eq=False)
class Choices(Reference):
    """A ``Literal[...]`` with its options."""

    options: tuple[Any, ...]


@dataclass(eq=False)
class Instance(Reference):
    """An object of one of the release's classes, as built with these arguments."""

    of: Class
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Parser(Reference):
    """A command-line parser or one of its groups; every argument added to any of them lands in one list."""

    added: list[tuple[list[Any], dict[str, Any]]] = field(default_factory=list)


@dataclass
class Scope:
    """Names at hand while reading an expression; with an ``owner`` and no names, a class body is being read."""

    module: Module
    names: dict[str, Any] = field(default_factory=dict)
    owner: Class | None = None
    depth: int = 0


def decided(value: Any) -> bool:
    """The truth of a value; raises Undecided for one that only a running process has."""
    if isinstance(value, (Unknown, External)):
        raise Undecided
    return True if isinstance(value, Reference) else bool(value)


def same(one: Any, two: Any) -> bool:
    """Whether two values are known to be the same, 1, 1.0 and true kept apart."""
    if isinstance(one, Unknown) or isinstance(two, Unknown):
        return False
    if isinstance(one, Reference) or isinstance(two, Reference):
        return one is two or bool(one == two)
    return type(one) is type(two) and bool(one == two)
