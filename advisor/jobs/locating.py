"""A path that the user names -> the build that is there: a clone at a commit, or a folder of installed packages.

The only job that opens either; a check of flags and files alone never loads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from advisor.catalog.engines import engines, knowledge, profiles
from advisor.errors import UsageError
from advisor.evidence import builds
from advisor.evidence.collect_env import PACKAGES
from advisor.jobs.judging import catalogue
from advisor.jobs.request import Located
from advisor.match.contradictions import PATCHED, belied
from advisor.model.build import Build
from advisor.model.fact import Fact, Note, Span
from advisor.model.rule import Rule
from advisor.upstream.sought import Sought, changes_sought

if TYPE_CHECKING:
    from advisor.upstream.checkout import Findings
    from advisor.upstream.installed import Installed

NO_GIT = "install git, or let GIT_PYTHON_GIT_EXECUTABLE name it"
HINT = "name its site-packages folder: --installed PATH"


def repository(path: Path, engine: str = "", ref: str = "", among: tuple[Rule, ...] | None = None) -> Located:
    """The build at `ref` of a clone or fork, or at what is checked out. Raises UsageError (see `upstream.checkout`)."""
    checkout = _checkouts()
    clone = checkout.checked_out(_there(path), engine, ref)
    found = checkout.found_in(clone, knowledge(clone.engine), _sought(clone.engine, among))
    facts = _stated_facts(found) or _version_fact(found.build.version, "--repo", str(path))
    build, known = found.build, knowledge(clone.engine)
    bare = build.but(holdings=())
    if found.stated and not build.fork and any(belied(one, bare, known) for one in build.holdings):
        build = build.but(fork=PATCHED)
    return Located("--repo", build, facts, found.notes)


def _checkouts() -> ModuleType:
    """The room that opens clones. Raises UsageError where git cannot be run, which its library asks as it is loaded."""
    try:
        from advisor.upstream import checkout
    except ImportError as error:
        if "git executable" not in str(error):
            raise
        raise UsageError("git cannot be run", "--repo", NO_GIT) from None
    return checkout


def _stated_facts(found: Findings) -> tuple[Fact, ...]:
    """The versions stated for a clone that no history places."""
    return tuple(
        Fact("build.version", one.version, "stated" if one.by == "user" else "observed", Span(one.place), one.says)
        for one in found.stated
    )


def installation(
    path: Path | None,
    engine: str = "",
    among: tuple[Rule, ...] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Located:
    """The build installed at a site-packages folder, an environment or an unpacked image; without a path, the one that
    this shell's `python` would import (see `upstream.interpreter`). Raises UsageError when there is none.
    """
    from advisor.upstream import installed, interpreter
    from advisor.upstream.rooted import Root

    told: tuple[Note, ...] = ()
    if path is None:
        root = Root(Path("/"))
        sites, how = interpreter.sites_of(os.environ if environ is None else environ)
        if not sites:
            raise UsageError(f"no environment to look at: {how}", "--installed", HINT)
        told = (Note("hint", f"looked at {', '.join(map(str, sites))} ({how})", Span("--installed")),)
    else:
        root = Root(_there(path))
        sites = installed.sites_below(root)
    known = [name for name in engines() if name in installed.ENGINES]
    changes = {name: _sought(name, among) for name in known}
    components = {**PACKAGES, **{f"{one}-cu{n}": name for one, name in PACKAGES.items() for n in (11, 12, 13)}}
    found = installed.found_in(root, sites, engine, {name: knowledge(name) for name in known}, changes, components)
    return Located("--installed", _build(found), _facts(found), (*told, *found.notes))


def _there(path: Path) -> Path:
    try:
        os.listdir(path)
    except PermissionError:
        raise UsageError("may not be read (permission denied)", str(path)) from None
    except (OSError, ValueError):  # not there, no folder, a zero byte in its name
        raise UsageError("no such folder", str(path)) from None
    return path


def _sought(engine: str, among: tuple[Rule, ...] | None) -> tuple[Sought, ...]:
    def repo_of(name: str) -> str | None:
        found = (profiles().get(name) or {}).get("repo")
        return str(found) if found else None

    return changes_sought(catalogue() if among is None else among, repo_of(engine) or "", repo_of)


def _version_fact(version: str | None, option: str, quote: str) -> tuple[Fact, ...]:
    return (Fact("build.version", version, "observed", Span(option), quote),) if version else ()


def _build(found: Installed) -> Build:
    """The build that the metadata names, with what its files show."""
    read, _, _ = builds.read_build(found.version, engine=found.engine, origin="observed")
    build = read.but(
        engine=found.engine,
        version=read.version or found.version,
        commit=found.commit or read.commit,
        components=tuple({one.name: one for one in reversed(found.components)}.values())[::-1],
        text=f"{found.engine} {found.version} in {found.where}",
        origin="observed",
        holdings=found.holdings,
    )
    return build.but(fork=_fork(found, build) or read.fork)


def _fork(found: Installed, build: Build) -> str:
    """The repository it was installed from, when not upstream's; `patched` when its files are not the release's."""
    from advisor.upstream.installed import owner_of

    known, owner = knowledge(found.engine), owner_of(found.url)
    if owner and owner.lower() != str(known.profile.get("repo") or "").lower():
        return owner
    bare = build.but(fork="", holdings=())
    differs = any(belied(one, bare, known) for one in found.holdings)
    edited = found.compared is not None and any(name.endswith(".py") for name in found.compared.changed)
    return PATCHED if edited or differs else ""


def _facts(found: Installed) -> tuple[Fact, ...]:
    facts = [*_version_fact(found.version, "--installed", f"{found.engine} {found.version} in {found.where}")]
    if found.says:
        quote = f"the package's own version file says {found.says}"
        facts.append(Fact("build.version", found.says, "observed", Span(found.where), quote))
    if found.compared is not None and found.compared.differs():
        says = f"{found.engine} {found.version} in {found.where}: {found.compared.told()}"
        facts.append(Fact("build.edited", len(found.compared.changed), "observed", Span(found.where), says))
    facts += [
        Fact("build.copy", version, "observed", Span(place), f"{found.engine} {version}")
        for version, place in ((found.version, found.where), *found.others)
        if found.others
    ]
    facts += [
        Fact(f"component.{one.name}", one.version, "observed", Span(one.where), f"{one.name} {one.version}")
        for one in found.components
    ]
    return tuple(facts)
