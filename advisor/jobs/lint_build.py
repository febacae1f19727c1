"""What a file pins of its engine -> one build, and what is wrong with how it is pinned.

    vllm==0.30.0 (pip) over vllm/vllm-openai:v0.28.0 (image)    0.30.0 is judged, version-conflict
    vllm/vllm-openai:latest                                     no build, version-unpinned

What is said outright goes first, then pip and git, then the image. Nothing is inferred: a moving tag or a package
without a version leaves the build unknown, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from advisor.match.observation import Check, Observation, source
from advisor.model.build import Build, Component, public, same_commit
from advisor.model.deployment import Place, VersionKind, VersionSource, Workload
from advisor.model.report import SourceOut

_RANK: dict[VersionKind, int] = {"explicit": 0, "pip": 1, "git": 1, "image": 2}
_UPSTREAM = ("vllm-project", "sgl-project", "InternLM", "jd-opensource", "xLLM-AI")
_TAGS: tuple[SourceOut, ...] = (source("docs/image-tags.md", "which tags move, and which name a release"),)
CONFLICT = Check(
    "version-conflict", "build", "warning", "Two places of the file name different builds of the engine.",
    "Judged by what is said outright, then by pip and git, then by the image.",
)  # fmt: skip
UNPINNED = Check(
    "version-unpinned",
    "build",
    "note",
    "The file does not fix which build of the engine runs.",
    "A tag that moves (latest, nightly), an image without a tag, a package without a version or with a range, a "
    "branch. Known failures are then judged as not known.",
    _TAGS,
)
UNKNOWN = Check(
    "version-unknown",
    "build",
    "note",
    "Which build of the engine runs cannot be told from the file.",
    "No version anywhere, an image whose tag means something to its builder alone, a digest, a template's variable.",
    _TAGS,
)
CHECKS = (CONFLICT, UNPINNED, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Placed:
    """The build of one workload, and the source that it was read from; None when the file has none."""

    build: Build
    source: VersionSource | None
    others: tuple[tuple[VersionSource, Build], ...] = ()


def engine_of(workload: Workload) -> str:
    """The engine that a workload runs, from its command, else from its image or package; "" when none is known."""
    if workload.launch.engine:
        return workload.launch.engine
    named = (_read(one.text, "")[0].engine for one in sorted(workload.versions, key=lambda one: _RANK[one.kind]))
    return next((name for name in named if name), "")


@lru_cache(maxsize=4096)
def _read(text: str, engine: str) -> tuple[Build, tuple[Component, ...], tuple[str, ...]]:
    from advisor.evidence.builds import read_build
    from advisor.jobs.taking import with_images

    build, components, notes = read_build(text, engine=engine or None, known=with_images())
    if build.origin == "inferred":
        build = build.but(version=None, origin="stated")
    return build, components, tuple(note.text for note in notes)


def place(group: Sequence[Workload]) -> Placed:
    """The build of workloads that are one service, and what else is said of it."""
    engine = engine_of(group[0])
    sources = [source for one in group for source in one.versions]
    images = [one.launch.image for one in group if one.launch.image]
    if not sources and images:
        sources = [VersionSource("image", images[0], group[0].place)]
    read = [(one, _pinned(one, engine)) for one in sorted(sources, key=lambda one: _RANK[one.kind])]
    components = tuple({part.name: part for _, found in read for part in found.components}.values())
    mine = [(one, found) for one, found in read if found.engine == engine]
    if not mine:
        return Placed(Build(engine=engine, components=components), None)
    source, build = next((pair for pair in mine if _fixed(pair[1])), mine[0])
    seen = tuple(dict.fromkeys((one, found) for one, found in mine if one is not source))
    return Placed(build.but(components=components), source, seen)


def _pinned(source: VersionSource, engine: str) -> Build:
    """The build that a source names; one of another engine where it is of another. Tags of foreign images name none."""
    other = _read(source.text, "")[0]
    alone = other.engine
    build, components, _ = _read(source.text, engine)
    named = alone == engine or alone.startswith(f"{engine}-")
    if alone and not named:
        below = other.version if engine.startswith(f"{alone}-") and source.kind == "pip" else None
        return Build(engine=alone, components=(Component(alone, below),) if below else ())
    if source.kind == "image" and not named:
        return Build(engine=engine, image=source.text, text=source.text)
    if source.kind == "pip" and not alone and components:
        return Build(engine="", components=components)  # a library beside the engine
    owner = re.match(r"([\w.-]+)/[\w.-]+@", source.text) if source.kind == "git" else None
    fork = build.fork or (owner.group(1) if owner and owner.group(1) not in _UPSTREAM else "")
    return build.but(engine=engine, components=components, fork=fork)


def _fixed(build: Build) -> bool:
    return bool(build.version or build.commit)


def build_findings(placed: Placed, where: Place) -> Iterator[Observation]:
    """What is wrong with how the file names its build: two that differ, or none."""
    build, source = placed.build, placed.source
    for other, read in placed.others:
        if source is not None and _differ(build, read):
            says = (
                f"{other.text} ({other.kind}) names another build than {source.text} ({source.kind}), which is judged"
            )
            more = ((source.place, f"judged by {source.text}"),)
            yield Observation(CONFLICT, says, other.place, f"{other.text} {source.text}", (says,), _agree(build), more)
    if source is None:
        says = f"the file does not say which {build.engine} runs: known failures are not judged by version"
        yield _open(UNKNOWN, says, build, where, "no version")
    elif not _fixed(build):
        notes = _read(source.text, build.engine)[2]
        check = UNPINNED if _moves(source, build) else UNKNOWN
        word = "does not stay the same build" if check is UNPINNED else "does not tell which build runs"
        says = f"{source.text} {word}: known failures of {build.engine} are not judged by version"
        yield _open(check, says, build, source.place, source.text, notes)


def _open(check: Check, says: str, build: Build, where: Place, fact: str, notes: tuple[str, ...] = ()) -> Observation:
    advice = (f"pin a release of {build.engine}",)
    return Observation(check, says, where, fact, notes or (says,), advice, actionability="none")


def _agree(build: Build) -> tuple[str, ...]:
    return (f"name {build.version or build.commit} in both places",)


def _differ(one: Build, other: Build) -> bool:
    if one.version and other.version:
        return public(one.version) != public(other.version)
    if one.commit and other.commit:
        return not same_commit(one.commit, other.commit)
    return False


def _moves(source: VersionSource, build: Build) -> bool:
    """Whether the source names something that is replaced under the same name."""
    if "$" in source.text or "{{" in source.text or "@sha256:" in source.text:
        return False
    if source.kind != "image":
        return True  # a package without a version, a branch, a range
    _, _, tag = source.text.rpartition("/")[2].partition(":")
    return not tag or build.branch is not None or tag.split("-")[0] in ("latest", "nightly", "dev", "main", "edge")
