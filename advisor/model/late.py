"""`dataclass`, and what goes with it, but quick to make: what a class needs only once there is an instance of it is
made then.

The standard decorator writes and compiles six functions for every frozen class, a third of a millisecond. A run loads a
hundred classes to use a few dozen: that was a quarter of the time that judging a launch took. Here what is seldom
called is shared by all classes, and what has to be quick, and so is written for its class, is compiled at its first
call. What is made is a dataclass: `fields`, `replace`, `asdict` and `match` know it.

Of the standard decorator's parameters `frozen`, `slots` and `eq` are here; of a field's, all but `hash` and `kw_only`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

Noun = TypeVar("Noun")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from functools import cached_property as cached_property
else:

    class cached_property:
        """As `functools.cached_property` is from Python 3.12 on: before, each first call took a lock."""

        def __init__(self, make):
            self._make, self.__doc__ = make, make.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, noun, owner=None):
            if noun is None:
                return self
            value = noun.__dict__[self._name] = self._make(noun)
            return value

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        """As `dataclasses.dataclass`; see above."""
        return _made(cls, frozen, slots, eq) if cls else lambda one: _made(one, frozen, slots, eq)


def _made(cls: type[Any], frozen: bool, slots: bool, eq: bool) -> type[Any]:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else the standard decorator derives one, from a signature that costs as much again
    own = set(vars(cls))
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    cls.__dataclass_params__.frozen = frozen  # the standard decorator asks when it makes a class that inherits
    methods: dict[str, Any] = {"__init__": _late(cls, _frozen_init if frozen else _init), "__repr__": _shown}
    if eq:
        methods |= {"__eq__": _late(cls, _eq), "__hash__": _late(cls, _hash) if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refused, "__delattr__": _refused}
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _restored}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _late(cls: type[Any], write: Callable[[type[Any], dict[str, Any]], str]) -> Any:
    """A method that at its first call compiles the real one, puts it in its own place and calls it."""

    def method(self: Any, /, *args: Any, **values: Any) -> Any:
        known: dict[str, Any] = {}
        exec(write(cls, known), known)  # noqa: S102 - written here, of the fields of a class of ours
        name, made = known.popitem()  # what was defined last
        setattr(cls, name, made)
        return made(self, *args, **values)

    return method


def _init(cls: type[Any], known: dict[str, Any], assign: str = "self.{name} = {value}") -> str:
    known["_unset"] = dataclasses.MISSING
    parameters, body = ["self"], []
    for one in dataclasses.fields(cls):
        name, default = one.name, f"default_{one.name}"
        makes = one.default_factory is not dataclasses.MISSING
        known[default] = one.default_factory if makes else one.default
        has_default = makes or one.default is not dataclasses.MISSING
        if one.init:
            parameters.append(f"{name}={'_unset' if makes else default}" if has_default else name)
        elif not makes:
            continue
        value = f"{default}()" if makes else name
        value = f"{value} if {name} is _unset else {name}" if makes and one.init else value
        body.append(assign.format(name=name, value=value))
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    return f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])


def _frozen_init(cls: type[Any], known: dict[str, Any]) -> str:
    known["_assign"] = object.__setattr__
    return _init(cls, known, "_assign(self, '{name}', {value})")


def changed(noun: Noun, /, **changes: object) -> Noun:
    """As `dataclasses.replace` for a noun all of whose fields it is made with, quicker."""
    cls = type(noun)
    copied = _COPIED.get(cls)
    if copied is None:
        names = [one.name for one in dataclasses.fields(cls)]  # type: ignore[arg-type]
        known: dict[str, Any] = {"made": cls, "names": frozenset(names)}
        values = ", ".join(f"get('{name}', self.{name})" for name in names)
        refused = " if not changes.keys() <= names:\n  raise TypeError(f'no such field: {changes.keys() - names}')\n"
        exec(f"def copied(self, changes, get):\n{refused} return made({values})", known)  # noqa: S102 - as above
        copied = _COPIED[cls] = known["copied"]
    made: Noun = copied(noun, changes, changes.get)
    return made


_COPIED: dict[type, Callable[..., Any]] = {}


def _values(cls: type[Any], of: str) -> str:
    return "(" + "".join(f"{of}.{one.name}, " for one in dataclasses.fields(cls) if one.compare) + ")"


def _eq(cls: type[Any], _: dict[str, Any]) -> str:
    alike = f"{_values(cls, 'self')} == {_values(cls, 'other')}"
    return f"def __eq__(self, other):\n return {alike} if other.__class__ is self.__class__ else NotImplemented"


def _hash(cls: type[Any], _: dict[str, Any]) -> str:
    return f"def __hash__(self):\n return hash({_values(cls, 'self')})"


def _shown(self: Any) -> str:
    values = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({values})"


def _refused(self: Any, name: str, value: object = None) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _restored(self: Any, state: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
