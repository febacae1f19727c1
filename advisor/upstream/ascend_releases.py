"""A release of vllm-ascend -> its entry in releases.json: what it pins, and the vLLM and CANN it is made for.

``vllm`` and ``cann`` are those its own Dockerfile builds upon (``ARG VLLM_TAG``, the tag of the base image); null where
the file does not say. They are what upstream puts together, not what an installation is bound to have: the wheels
require no vLLM. ``nccl`` is null: on Ascend the collectives are HCCL's, which comes with CANN.

``built_from`` is the commit (its first digits) that the package says it was built from, null where it does not say.
``sdist_from`` is there only where the sdist was built from another, as those of 0.13.0rc2 and 0.21.0rc1 were.
Such an sdist's Dockerfile says nothing of the release; the tag's is read from a clone, when there is one.

Source: ``Dockerfile`` and ``vllm_ascend/_version.py`` in the sdists and wheels of https://pypi.org/simple/vllm-ascend/
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from advisor.upstream import dockerfile
from advisor.upstream.releases import metadata, requirement
from advisor.upstream.trees import git
from advisor.upstream.wheels import Index, Release

PACKAGE = "vllm-ascend"
_PINNED = ("torch", "torch-npu", "triton-ascend")
_VERSION_FILE = "vllm_ascend/_version.py"
# __commit_id__ = commit_id = 'g35d600725'
_COMMIT = re.compile(r"^__commit_id__ = commit_id = 'g([0-9a-f]{7,40})'", re.MULTILINE)
# quay.io/ascend/cann:8.2.rc1-910b-ubuntu22.04-py3.11
_CANN = re.compile(r"/cann:(\d+\.\d+[\w.]*)-")


def record(release: Release, index: Index, commit: str | None, clone: Path | None = None) -> dict[str, Any]:
    """One entry of releases.json; ``commit`` is the tag's, and null in the entry when the package is of another."""
    asked = metadata(index, PACKAGE, release.version)
    pins = {name: requirement(asked, name) for name in _PINNED}
    built_from = built_from_of(release, index)
    if built_from and commit and not commit.startswith(built_from):
        commit = None
    sdist = _commit_in(_sdist_text(index, release, _VERSION_FILE))
    elsewhere = bool(sdist and built_from and sdist != built_from)
    text = _dockerfile(release, index, commit, clone, elsewhere)
    cann = _CANN.search(dockerfile.base_image(text) or "")
    return {
        "version": release.version,
        "date": release.date,
        "commit": commit,
        "built_from": built_from,
        **({"sdist_from": sdist} if elsewhere else {}),
        "pins": {name: pin for name, pin in pins.items() if pin},
        "nccl": None,
        "vllm": vllm_of(text),
        "cann": cann[1] if cann else None,
    }


def _dockerfile(release: Release, index: Index, commit: str | None, clone: Path | None, elsewhere: bool) -> str:
    """The release's Dockerfile; "" when only an sdist of another commit holds one."""
    if not elsewhere:
        return _sdist_text(index, release, "Dockerfile")
    return git(clone, "show", f"{commit}:Dockerfile") if clone and commit else ""


def built_from_of(release: Release, index: Index) -> str | None:
    """The commit a package, its wheel if it has one, says it was built from."""
    if _VERSION_FILE not in index.names(PACKAGE, release.version):
        return None
    return _commit_in(index.read(PACKAGE, release.version, _VERSION_FILE).decode("utf-8", "replace"))


def _sdist_text(index: Index, release: Release, path: str) -> str:
    return index.read_sdist(PACKAGE, release.version, path).decode("utf-8", "replace")


def _commit_in(text: str) -> str | None:
    found = _COMMIT.search(text)
    return found[1] if found else None


def vllm_of(text: str) -> str | None:
    """The vLLM release a Dockerfile checks out; None when it names none, or a commit instead."""
    given = dockerfile.arguments(text)
    tag = re.fullmatch(r"v(\d[\w.]*)", given.get("VLLM_TAG", ""))
    return tag[1] if tag and not given.get("VLLM_COMMIT") else None
