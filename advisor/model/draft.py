"""A rule that is still to be written, as far as a report alone allows: what `advisor draft` and `rules new` write."""

from __future__ import annotations

from advisor.model.late import dataclass

BLANK = "BLANK:"
"""What stands before the question in the place of anything that is not known yet; such a rule is not used."""


@dataclass(frozen=True)
class MachineLine:
    """A line that a machine printed, as a pattern, and the rules that have it already."""

    pattern: str
    quote: str
    place: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Draft:
    """What is known so far. Empty means that the report does not say.

    `build` is the build in words, `given` its version as `advisor check` takes it; `settings` and `environment` are
    name and value as typed; `facts` are symptoms read from the prose; `lines` no other rule has, `shared` some have.
    `frames` is the innermost part of a thread. `threads` are upstream's, the report's own first.
    """

    id: str
    as_of: str
    summary: str = ""
    engine: str = ""
    given: str = ""
    build: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    hardware: tuple[tuple[str, str], ...] = ()
    model: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[MachineLine, ...] = ()
    shared: tuple[MachineLine, ...] = ()
    frames: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    report: str = ""
