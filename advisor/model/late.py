"""`dataclass`, but quick to make: what a class needs only once there is an instance of it is made then.

The standard decorator writes and compiles six functions for every frozen class, a third of a millisecond. A run loads a
hundred classes to use a few dozen: that was a quarter of the time that judging a launch took. Here the methods that do
the same for any class are shared, and `__init__`, which alone has to be quick and written for its class, is compiled
when the first instance is made. What is made is a dataclass: `fields`, `replace`, `asdict` and `match` know it.

Of the standard decorator's parameters `frozen`, `slots` and `eq` are here; of a field's, all but `hash` and `kw_only`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        """As `dataclasses.dataclass`; see above."""
        return _made(cls, frozen, slots, eq) if cls else lambda one: _made(one, frozen, slots, eq)


def _made(cls: type[Any], frozen: bool, slots: bool, eq: bool) -> type[Any]:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else the standard decorator derives one, from a signature that costs as much again
    own = set(vars(cls))
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    cls.__dataclass_params__.frozen = frozen  # the standard decorator asks when it makes a class that inherits
    names = [one.name for one in dataclasses.fields(cls) if one.compare]
    values = attrgetter(*names) if len(names) > 1 else lambda one: tuple(getattr(one, name) for name in names)
    methods: dict[str, Any] = {"__init__": _first(cls, frozen), "__repr__": _shown}
    if eq:
        methods |= _compared(values, frozen)
    if frozen:
        methods |= {"__setattr__": _refused, "__delattr__": _refused}
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _restored}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _first(cls: type[Any], frozen: bool) -> Callable[..., None]:
    """An `__init__` that at its first call makes the real one and stands back."""

    def __init__(self: Any, /, *args: Any, **values: Any) -> None:
        made = _initialiser(cls, frozen)
        cls.__init__ = made
        made(self, *args, **values)

    return __init__


def _initialiser(cls: type[Any], frozen: bool) -> Any:
    """The function that the standard decorator writes as well: one statement a field."""
    known: dict[str, Any] = {"_assign": object.__setattr__, "_unset": dataclasses.MISSING}
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
        body.append(f"_assign(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), known)
    return known["__init__"]


def _compared(values: Callable[[Any], Any], frozen: bool) -> dict[str, Any]:
    def __eq__(self: Any, other: Any) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


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
