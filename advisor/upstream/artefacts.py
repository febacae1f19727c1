"""An engine's released artefacts -> its entries of ``releases.json`` and its settings per release, laid out.

Wheels are read from the package index by range, releases without one from the tags of a clone. The files are laid out
for a readable diff: keys sorted, one release or one setting a line, so that a release shows as its changes.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.errors import AdvisorError, UnreachableError, UpstreamError
from advisor.upstream import release_entries, releases, settings
from advisor.upstream.settings import Surface
from advisor.upstream.trees import GitTree, Tree, WheelTree, git, listed_as
from advisor.upstream.wheels import Index, Release, release_order

REPOSITORIES = {"lmdeploy": "https://github.com/InternLM/lmdeploy", "xllm": "https://github.com/xLLM-AI/xllm"}
OLDEST = {"vllm": "0.8.0", "sglang": "0.4.0", "lmdeploy": "0.7.0", "vllm-ascend": "0"}
WITHOUT_SETTINGS = {"nccl"}
# Tags that people run although the package index never had them.
_TAGS_ONLY = {"lmdeploy": ("0.14.0a1", "0.14.0a2")}
_AT_ONCE = 6  # releases read side by side


@dataclass
class Artefacts:
    """What the artefacts of an engine said, oldest release first, and what of them could not be read.

    ``unreachable`` names what the network did not give: with any, this is not the whole.
    """

    entries: list[dict[str, Any]] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    not_read: list[str] = field(default_factory=list)
    unreachable: list[str] = field(default_factory=list)


@dataclass
class _Source:
    """One release to read: its entry in releases.json, made when asked, and its tree."""

    version: str
    entry: Callable[[], dict[str, Any]]
    tree: Tree


def read_all(engine: str, clone: Path | None, folder: Path, index: Index) -> Artefacts:
    """Every release of an engine or component, whose ``folder`` of knowledge already holds its tags.json.

    Raises UpstreamError when there is nothing to read from: an engine not on the index without a clone.
    """
    if engine in WITHOUT_SETTINGS:
        return Artefacts(entries=release_entries.of_nccl(folder, index))
    sources = _published(engine, clone, folder, index) if engine in OLDEST else _tagged(engine, clone)
    found = Artefacts()
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for entry, surface, problems, unreachable in pool.map(lambda source: _read(engine, source), sources):
            found.entries += [entry] if entry is not None else []
            found.surfaces += [surface] if surface is not None else []
            found.not_read += problems
            found.unreachable += unreachable
    return found


def _published(engine: str, clone: Path | None, folder: Path, index: Index) -> list[_Source]:
    commits = releases.tagged_commits(folder)
    wanted = release_entries.wanted(engine, index, OLDEST[engine])
    with contextlib.suppress(UpstreamError):
        index.released("torch")  # once, before the threads share it
    sources = [_from_wheel(engine, each, index, commits.get(each.version), clone) for each in wanted]
    sources += [_from_tag(engine, clone, tag) for tag in _tags_only(engine, clone)] if clone else []
    return sorted(sources, key=lambda source: release_order(source.version))


def _from_wheel(engine: str, release: Release, index: Index, commit: str | None, clone: Path | None) -> _Source:
    own = index.apart()
    return _Source(
        release.version,
        lambda: release_entries.from_index(engine, release, own, commit, clone),
        WheelTree(own, engine, release.version),
    )


def _from_tag(engine: str, clone: Path, tag: str) -> _Source:
    return _Source(listed_as(tag), lambda: release_entries.from_tag(engine, clone, tag), GitTree(clone, tag))


def _tags_only(engine: str, clone: Path) -> list[str]:
    tags = git(clone, "tag").split()
    return [tag for tag in tags if listed_as(tag) in _TAGS_ONLY.get(engine, ())]


def _tagged(engine: str, clone: Path | None) -> list[_Source]:
    if clone is None:
        raise UpstreamError(
            f"{engine} is not on the package index", None, "give a clone of its repository with --clone"
        )
    tags = [tag for tag in git(clone, "tag").split() if re.fullmatch(r"v\d+(\.\d+)+", tag)]
    tags.sort(key=lambda tag: release_order(tag[1:]))
    return [_from_tag(engine, clone, tag) for tag in [*tags, "HEAD"]]


def _read(engine: str, source: _Source) -> tuple[dict[str, Any] | None, Surface | None, list[str], list[str]]:
    problems: list[str] = []
    unreachable: list[str] = []
    entry: dict[str, Any] | None = None
    surface: Surface | None = None
    try:
        entry = source.entry()
    except UnreachableError as error:
        unreachable.append(f"{source.version}: release: {error}")
    except AdvisorError as error:
        problems.append(f"{source.version}: release not read: {error}")
    try:
        surface = settings.read(engine, source.version, source.tree)
        problems += surface.not_read
    except UnreachableError as error:
        unreachable.append(f"{source.version}: settings: {error}")
    except AdvisorError as error:
        problems.append(f"{source.version}: settings not read: {error}")
    return entry, surface, problems, unreachable


def _source(engine: str, what: str) -> str:
    """Where a file was read from, as it says itself."""
    if (engine, what) in release_entries.SOURCES:
        return release_entries.SOURCES[engine, what]
    if engine == "xllm":
        return f"{REPOSITORIES[engine]} (tags and main)" + ("" if what == "releases" else ", DEFINE_* in xllm/**/*.cpp")
    more = f"; {REPOSITORIES[engine]} for tags never published there" if engine in _TAGS_ONLY else ""
    read = (
        "METADATA of the wheels" if what == "releases" else "the sources inside the wheels, read without running them"
    )
    return f"https://pypi.org/simple/{engine}/: {read}{more}"


def releases_text(stamp: dict[str, Any], entries: list[dict[str, Any]]) -> str:
    """releases.json. ``stamp`` has the engine and the day of reading."""
    stamp = {**stamp, "source": _source(stamp["engine"], "releases")}
    lines = ",\n".join(_compact(entry) for entry in entries)
    return f'{_opening(stamp)},\n"releases": [\n{lines}\n]\n}}\n'


def settings_text(stamp: dict[str, Any], surfaces: list[Surface]) -> str:
    """settings.json: every flag and variable with its change history."""
    flags, variables = settings.settings_history(surfaces), settings.environment_history(surfaces)
    read = [surface.version for surface in surfaces]
    stamp = {**stamp, "source": _source(stamp["engine"], "settings"), "releases_read": read}
    return f'{_opening(stamp)},\n"settings": {_one_a_line(flags)},\n"environment": {_one_a_line(variables)}\n}}\n'


def _opening(stamp: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {_compact(value)}" for key, value in sorted(stamp.items()))


def _one_a_line(histories: dict[str, list[dict[str, Any]]]) -> str:
    lines = ",\n".join(f"{json.dumps(name)}: {_compact(records)}" for name, records in sorted(histories.items()))
    return f"{{\n{lines}\n}}" if lines else "{}"


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
