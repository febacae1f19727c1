"""The names a command can be given: engines, their releases, rules. Sorted lists for completion, nothing judged."""

from __future__ import annotations

from advisor.catalog import engines as catalog
from advisor.catalog.engines import knowledge, profiles
from advisor.jobs.judging import catalogue


def engines() -> tuple[str, ...]:
    """What `--engine` takes: engines, and the plugins above them."""
    return catalog.named()


def titled() -> tuple[tuple[str, str], ...]:
    """The same, each with the name by which it is known."""
    return tuple((name, str(knowledge(name).profile.get("title") or name)) for name in engines())


def own_launch() -> tuple[str, ...]:
    """Those that are started by commands of their own, which plugins are not."""
    return catalog.engines()


def with_settings() -> tuple[str, ...]:
    """Those of which `advisor flags` knows settings."""
    return tuple(name for name in profiles() if knowledge(name).releases_read)


def with_releases() -> tuple[str, ...]:
    """Those of which `advisor release` knows releases: engines, plugins and libraries."""
    return tuple(name for name in profiles() if knowledge(name).releases)


def releases(engine: str) -> tuple[str, ...]:
    """The published releases of an engine, newest first; none for a name not known."""
    known = knowledge(engine).releases if engine in profiles() else ()
    return tuple(one.version for one in reversed(known) if one.version != "main")


def releases_read(engine: str) -> tuple[str, ...]:
    """The releases of an engine whose settings are known, newest first; none for a name not known."""
    return knowledge(engine).releases_read[::-1] if engine in profiles() else ()


def rules() -> tuple[str, ...]:
    """Every rule's id."""
    return tuple(rule.id for rule in catalogue())
