"""What was asked to run: one engine process group's settings and environment."""

from __future__ import annotations

from dataclasses import field

from advisor.model.fact import Origin, Span, Value
from advisor.model.late import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as given. `flag` is canonical for the engine (`--tensor-parallel-size`, dotted into JSON:
    `--speculative-config.method`); `typed` is the user's own spelling.

    `start`..`end` are the characters of the launch's text that hold flag and value, -1 when it is not in the text.
    `known` is False when the engine's knowledge has no such flag in any release read. `raw` is the value as the engine
    gets it, quotes undone; None where it is given without one or not as words of a command line.
    """

    flag: str
    value: Value
    typed: str
    span: Span | None = None
    origin: Origin = "stated"
    start: int = -1
    end: int = -1
    known: bool = True
    quote: str = ""
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable as given."""

    name: str
    value: str
    span: Span | None = None
    origin: Origin = "stated"
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. `complete` means the whole command line is here: what is absent has the engine's default.

    `text` is the launch as given, for edits; `artifact` names where it came from; `model` is empty when not given.
    `image`, when the launch names a container image, is the reference as written. `server` says whether the command
    starts the engine's server (True) or another program of it (False); None where flags are only spoken of. `exact`
    says that it is surely the engine that gets these settings, whether or not others are missing. `valueless` are the
    flags that want a value and are given none: they set nothing.
    """

    engine: str
    settings: tuple[Setting, ...] = ()
    environment: tuple[Variable, ...] = ()
    complete: bool = False
    model: str = ""
    image: str = ""
    text: str = ""
    artifact: str = "--flags"
    rank: str | None = None
    notes: tuple[str, ...] = field(default=())
    server: bool | None = None
    exact: bool = False
    valueless: tuple[Setting, ...] = ()

    def setting(self, flag: str) -> Setting | None:
        """The last occurrence of `flag`: engines let the last one win."""
        for one in reversed(self.settings):
            if one.flag == flag:
                return one
        return None

    def variable(self, name: str) -> Variable | None:
        """The last occurrence of the variable."""
        for one in reversed(self.environment):
            if one.name == name:
                return one
        return None
