"""Released artefacts of an engine -> ``knowledge/<engine>/releases.json`` and ``settings.json``.

The only job that uses the network. What it writes is laid out for a readable diff: keys sorted, one release or one
setting a line, so that a new release shows as the lines it changed.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from advisor.errors import AdvisorError, UpstreamError
from advisor.upstream import releases, settings
from advisor.upstream.settings import Surface
from advisor.upstream.trees import GitTree, Tree, WheelTree, git
from advisor.upstream.wheels import Index, Release, is_final, release_order

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
ENGINES = ("vllm", "sglang", "lmdeploy", "xllm")
REPOSITORIES = {"lmdeploy": "https://github.com/InternLM/lmdeploy", "xllm": "https://github.com/xLLM-AI/xllm"}
_OLDEST = {"vllm": "0.8.0", "sglang": "0.4.0", "lmdeploy": "0.7.0"}
# Tags that people run although the package index never had them.
_TAGS_ONLY = {"lmdeploy": ("0.14.0a1", "0.14.0a2")}


@dataclass
class RefreshSummary:
    """What a refresh wrote and what it could not read."""

    engine: str
    releases_read: list[str] = field(default_factory=list)
    settings: int = 0
    variables: int = 0
    written: dict[str, int] = field(default_factory=dict)
    not_read: list[str] = field(default_factory=list)


@dataclass
class _Source:
    """One release to read: its entry in releases.json, made when asked, and its tree."""

    version: str
    entry: Callable[[], dict[str, Any]]
    tree: Tree


def refresh(
    engine: str,
    *,
    clone: Path | None = None,
    knowledge: Path = KNOWLEDGE,
    index: Index | None = None,
    read_on: str | None = None,
) -> RefreshSummary:
    """Read every release of an engine anew and write its knowledge. UpstreamError when there is nothing to read from.

    ``index`` is the one pip is configured for unless given; ``read_on`` is today's date (UTC) unless given.
    ``clone`` is a git clone of the engine's repository: needed for xllm, and for tags of lmdeploy not on the index.
    """
    if engine not in ENGINES:
        raise UpstreamError(f"no knowledge is generated for {engine}", None, f"one of {', '.join(ENGINES)}")
    folder = knowledge / engine
    sources = _tagged(engine, clone) if engine == "xllm" else _published(engine, clone, folder, index or Index())
    with ThreadPoolExecutor(max_workers=6) as pool:
        read = list(pool.map(lambda source: _read(engine, source), sources))
    summary = RefreshSummary(engine, not_read=[problem for _, _, problems in read for problem in problems])
    surfaces = [surface for _, surface, _ in read if surface is not None]
    if not surfaces:
        raise UpstreamError(f"no release of {engine} could be read", None, "; ".join(summary.not_read[:3]))
    stamp = {"engine": engine, "read": read_on or datetime.now(UTC).date().isoformat()}
    entries = [entry for entry, _, _ in read if entry is not None]
    _write(folder / "releases.json", _releases_text(stamp, entries), summary)
    _write(folder / "settings.json", _settings_text(stamp, surfaces, summary), summary)
    return summary


def _published(engine: str, clone: Path | None, folder: Path, index: Index) -> list[_Source]:
    commits = releases.tagged_commits(folder)
    oldest = release_order(_OLDEST[engine])
    wanted = [
        each for each in index.released(engine) if is_final(each.version) and release_order(each.version) >= oldest
    ]
    with contextlib.suppress(UpstreamError):
        index.released("torch")  # once, before the threads share it
    sources = [_from_wheel(engine, each, index, commits.get(each.version)) for each in wanted]
    sources += [_from_tag(engine, clone, tag) for tag in _tags_only(engine, clone)] if clone else []
    return sorted(sources, key=lambda source: release_order(source.version))


def _from_wheel(engine: str, release: Release, index: Index, commit: str | None) -> _Source:
    own = index.apart()
    return _Source(
        release.version, lambda: releases.record(release, engine, own, commit), WheelTree(own, engine, release.version)
    )


def _from_tag(engine: str, clone: Path, tag: str) -> _Source:
    def entry() -> dict[str, Any]:
        commit, date = git(clone, "log", "-1", "--format=%H %cs", tag).split()
        return {"version": version, "date": date, "commit": commit, "pins": {}, "nccl": None}

    version = "main" if tag == "HEAD" else tag.removeprefix("v")
    return _Source(version, entry, GitTree(clone, tag))


def _tags_only(engine: str, clone: Path) -> list[str]:
    tags = git(clone, "tag").split()
    return [tag for tag in tags if tag.removeprefix("v") in _TAGS_ONLY.get(engine, ())]


def _tagged(engine: str, clone: Path | None) -> list[_Source]:
    if clone is None:
        raise UpstreamError(
            f"{engine} is not on the package index", None, "give a clone of its repository with --clone"
        )
    tags = [tag for tag in git(clone, "tag").split() if re.fullmatch(r"v\d+(\.\d+)+", tag)]
    tags.sort(key=lambda tag: release_order(tag[1:]))
    return [_from_tag(engine, clone, tag) for tag in [*tags, "HEAD"]]


def _read(engine: str, source: _Source) -> tuple[dict[str, Any] | None, Surface | None, list[str]]:
    problems: list[str] = []
    entry: dict[str, Any] | None = None
    surface: Surface | None = None
    try:
        entry = source.entry()
    except AdvisorError as error:
        problems.append(f"{source.version}: release not read: {error}")
    try:
        surface = settings.read(engine, source.version, source.tree)
        problems += surface.not_read
    except AdvisorError as error:
        problems.append(f"{source.version}: settings not read: {error}")
    return entry, surface, problems


def _source(engine: str, what: str) -> str:
    if engine == "xllm":
        return f"{REPOSITORIES[engine]} (tags and main)" + ("" if what == "releases" else ", DEFINE_* in xllm/**/*.cpp")
    more = f"; {REPOSITORIES[engine]} for tags never published there" if engine in _TAGS_ONLY else ""
    read = (
        "METADATA of the wheels" if what == "releases" else "the sources inside the wheels, read without running them"
    )
    return f"https://pypi.org/simple/{engine}/: {read}{more}"


def _releases_text(stamp: dict[str, Any], entries: list[dict[str, Any]]) -> str:
    stamp = {**stamp, "source": _source(stamp["engine"], "releases")}
    lines = ",\n".join(_compact(entry) for entry in entries)
    return f'{_opening(stamp)},\n"releases": [\n{lines}\n]\n}}\n'


def _settings_text(stamp: dict[str, Any], surfaces: list[Surface], summary: RefreshSummary) -> str:
    flags, variables = settings.settings_history(surfaces), settings.environment_history(surfaces)
    summary.settings, summary.variables = len(flags), len(variables)
    summary.releases_read = [surface.version for surface in surfaces]
    stamp = {**stamp, "source": _source(summary.engine, "settings"), "releases_read": summary.releases_read}
    return f'{_opening(stamp)},\n"settings": {_one_a_line(flags)},\n"environment": {_one_a_line(variables)}\n}}\n'


def _opening(stamp: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {_compact(value)}" for key, value in sorted(stamp.items()))


def _one_a_line(histories: dict[str, list[dict[str, Any]]]) -> str:
    lines = ",\n".join(f"{json.dumps(name)}: {_compact(records)}" for name, records in sorted(histories.items()))
    return f"{{\n{lines}\n}}" if lines else "{}"


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _write(path: Path, text: str, summary: RefreshSummary) -> None:
    json.loads(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    summary.written[path.name] = len(text.encode())


def main(words: list[str]) -> int:
    """``python -m advisor.jobs.refresh ENGINE [--clone PATH]``."""
    if len(words) not in (1, 3) or (len(words) == 3 and words[1] != "--clone"):
        print(f"usage: python -m advisor.jobs.refresh {'|'.join(ENGINES)} [--clone PATH]", file=sys.stderr)
        return 2
    try:
        summary = refresh(words[0], clone=Path(words[2]) if len(words) == 3 else None)
    except AdvisorError as error:
        print(error, file=sys.stderr)
        return 2
    sizes = ", ".join(f"{name} {size / 1000:.0f} kB" for name, size in sorted(summary.written.items()))
    print(
        f"{summary.engine}: {len(summary.releases_read)} releases, {summary.settings} flags, "
        f"{summary.variables} variables; {sizes}"
    )
    for problem in summary.not_read:
        print(f"  not read: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
