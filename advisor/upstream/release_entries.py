"""An engine or component and where it is published -> the entries of its releases.json, and where they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.upstream import ascend_releases, nccl_releases, releases, xllm_releases
from advisor.upstream.trees import git, listed_as
from advisor.upstream.wheels import Index, Release, is_final, release_order

# Engines of which candidates are listed too, because they are what people run.
WITH_CANDIDATES = ("vllm-ascend",)
# The text under `source` in the files of those that are not plain packages on the index.
SOURCES = {
    ("vllm-ascend", "releases"): "https://pypi.org/simple/vllm-ascend/: METADATA of the wheels or PKG-INFO of the "
    "sdists, Dockerfile of the sdists (vllm, cann); https://github.com/vllm-project/vllm-ascend (commits of the tags)",
    ("vllm-ascend", "settings"): "https://pypi.org/simple/vllm-ascend/: the sources inside the wheels or sdists, read "
    "without running them",
    ("nccl", "releases"): "https://github.com/NVIDIA/nccl (tags), https://pypi.org/simple/ nvidia-nccl-cu11, "
    "nvidia-nccl-cu12, nvidia-nccl-cu13 (wheels)",
    ("xllm", "releases"): "https://github.com/xLLM-AI/xllm (tags and main; builds from docker, cibuild, scripts and "
    "RELEASE.md of each)",
}


def wanted(engine: str, index: Index, oldest: str = "0") -> list[Release]:
    """The releases of a package that are listed: final ones, and candidates where people run those."""
    return [
        release
        for release in index.released(engine)
        if (engine in WITH_CANDIDATES or is_final(release.version))
        and release_order(release.version) >= release_order(oldest)
    ]


def from_index(
    engine: str, release: Release, index: Index, commit: str | None, clone: Path | None = None
) -> dict[str, Any]:
    """The entry of a release on the package index; ``commit`` is its tag's, ``clone`` one of the repository."""
    if engine == ascend_releases.PACKAGE:
        return ascend_releases.record(release, index, commit, clone)
    return releases.record(release, engine, index, commit)


def from_tag(engine: str, clone: Path, ref: str) -> dict[str, Any]:
    """The entry of a tag (or ``HEAD``, listed as ``main``) of a clone."""
    if engine == "xllm":
        return xllm_releases.record(clone, ref)
    commit, date = git(clone, "log", "-1", "--format=%H %cs", ref).split()
    return {"version": listed_as(ref), "date": date, "commit": commit, "pins": {}, "nccl": None}


def of_nccl(folder: Path, index: Index) -> list[dict[str, Any]]:
    """Every entry of NCCL, whose folder of knowledge already holds tags.json."""
    return nccl_releases.records(folder, index)
