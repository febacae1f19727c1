"""What the shell offers at TAB: engines, releases, rules. A completion looks names up and never fails.

Values only: a description is put by zsh into a word list of its own syntax, which parentheses in a summary would end.
Where nothing is offered, the shell completes file names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import typer

Offer = Callable[[typer.Context, str], list[str]]


def _offers(names: Callable[[typer.Context, str], Iterable[str]]) -> Offer:
    """The names that go on from what is typed; nothing where they cannot be told: a shell has no use for an error."""

    @wraps(names)
    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            return [one for one in names(ctx, incomplete) if one.startswith(incomplete)]
        except Exception:
            return []

    return offer


def _given(ctx: typer.Context, name: str) -> list[str]:
    """What the command line has of a parameter so far, as words."""
    value: Any = ctx.params.get(name) or []
    return [value] if isinstance(value, str) else [str(one) for one in value]


@_offers
def engine(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """`--engine`."""
    from advisor.jobs import names

    return names.engines()


@_offers
def launched(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """`--engine` of `advisor upgrade`, which follows engines and no plugins."""
    from advisor.jobs import names

    return names.own_launch()


@_offers
def release(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """`--version`, `--from` and `--to`, and the release of `advisor release ENGINE`: once the engine is there."""
    from advisor.jobs import names

    return [one for engine in _given(ctx, "engine") for one in names.releases(engine)]


@_offers
def released(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """The engine or library of `advisor release`."""
    from advisor.jobs import names

    return names.with_releases()


@_offers
def settings(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """The words of `advisor flags`: ENGINE VERSION, or diff ENGINE OLD NEW."""
    from advisor.jobs import names

    words = _given(ctx, "words")
    compares = words[:1] == ["diff"]
    place = len(words) - compares
    if place == 0:
        return [*names.with_settings(), *([] if compares else ["diff"])]
    return names.releases_read(words[compares]) if place <= 1 + compares else []


@_offers
def refreshed(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """The engines and libraries of `advisor knowledge refresh` and `verify`."""
    from advisor.jobs.refresh import ENGINES

    return ENGINES


@_offers
def rule(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """A rule's id; its slug alone once that is begun."""
    from advisor.jobs import names

    ids = names.rules()
    return [*ids, *(one.partition("/")[2] for one in ids)] if incomplete else ids


@_offers
def first_rule(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """The rule of `advisor verify`, which files follow; with `--report` there are files alone."""
    return [] if _given(ctx, "words") or ctx.params.get("report") else rule(ctx, incomplete)


@_offers
def rule_or_path(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """`advisor fix`, which mostly takes paths: a rule once one is begun."""
    return rule(ctx, incomplete) if incomplete and not _given(ctx, "what") else []
