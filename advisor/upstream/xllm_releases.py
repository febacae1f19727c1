"""A tag of xLLM -> its entry in releases.json, with what the tag's own files say it is built upon.

xLLM is compiled against one torch for each kind of device, so no release pins *the* torch: ``pins`` is empty and
``nccl`` null. ``builds`` says, by device and only where a file of that tag says it, which torch, CUDA or CANN upstream
builds with; ``from`` names the files. A CUDA image takes torch from PyTorch's own index (``+cu128``), whose wheels are
others than those of the package index: which NCCL comes with them was not established here.

Source: ``docker/Dockerfile*``, ``cibuild/build_*.sh``, ``RELEASE.md`` and ``scripts/deps/torch_npu_install.py`` in
https://github.com/xLLM-AI/xllm
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from advisor.upstream import dockerfile
from advisor.upstream.trees import GitTree, Tree, git, listed_as

_CUDA_FILES = ("docker/Dockerfile.cuda", "docker/Dockerfile")
_NPU_WHEEL = "scripts/deps/torch_npu_install.py"
_NOTES = ("RELEASE.md", "docs/project/RELEASE.md")
# cambricon-xllm:v26.04.0-torch2.10.0-torchmlu1.32.2-ubuntu24.04
_MLU_IMAGE = re.compile(r"torch(\d+\.\d+\.\d+)-torchmlu(\d+\.\d+\.\d+)")
# quay.io/jd_xllm/xllm-ai:xllm-dev-a2-x86-cann9-20260605
_NPU_IMAGE = re.compile(r"-cann(\d+(?:\.\d+)*)\b")
# Support Torch 2.10.0 + CUDA 13.0 builds
_CUDA_NOTE = re.compile(r"Torch (\d+(?:\.\d+)+) \+ CUDA (\d+(?:\.\d+)+)")
# Support CANN 9.0.0 toolkit and torch_npu 2.9.0   /   Adapt NPU builds to CANN 8.5 and PyTorch 2.7.1
_NPU_NOTE = re.compile(r"CANN (\d+(?:\.\d+)+)[^\n]*?(torch_npu|PyTorch) (\d+(?:\.\d+)+)")


def record(clone: Path, ref: str) -> dict[str, Any]:
    """One entry of releases.json; ``HEAD`` is listed as ``main``."""
    commit, date = git(clone, "log", "-1", "--format=%H %cs", ref).split()
    version = listed_as(ref)
    builds = builds_of(GitTree(clone, ref), version)
    return {"version": version, "date": date, "commit": commit, "pins": {}, "nccl": None, "builds": builds}


def builds_of(tree: Tree, version: str) -> dict[str, dict[str, Any]]:
    """What the files of a tag say each device is built with; a device no file speaks of is left out."""
    found = {"cuda": _cuda(tree, version), "mlu": _mlu(tree), "npu": _npu(tree, version)}
    return {device: said for device, said in found.items() if said}


def _cuda(tree: Tree, version: str) -> dict[str, Any]:
    """The defaults of the Dockerfile; ``also`` is a second pair the release notes name."""
    path = next((path for path in _CUDA_FILES if path in tree.names()), None)
    if path is None:
        return {}
    given = dockerfile.arguments(tree.read(path))
    local = re.search(r"/whl/(cu\d+)$", given.get("TORCH_INDEX_URL", ""))
    torch = given.get("TORCH_VERSION")
    said = {"torch": f"{torch}+{local[1]}" if torch and local else torch, "cuda": given.get("CUDA_VERSION")}
    said = {name: value for name, value in said.items() if value}
    noted = _CUDA_NOTE.search(_section(tree, version))
    if noted is None:
        return {**said, "from": [path]}
    return {**said, "also": {"torch": noted[1], "cuda": noted[2]}, "from": [path, _notes_path(tree)]}


def _mlu(tree: Tree) -> dict[str, Any]:
    path = "cibuild/build_mlu.sh"
    image = _MLU_IMAGE.search(tree.read(path)) if path in tree.names() else None
    return {"torch": image[1], "torch-mlu": image[2], "from": [path]} if image else {}


def _npu(tree: Tree, version: str) -> dict[str, Any]:
    """Release notes first, then the image CI builds in, then the wheel the build installs: the later say it closer."""
    said: dict[str, Any] = {}
    sources = []
    for path, found in ((_notes_path(tree), _noted(tree, version)), ("cibuild/build_npu.sh", _npu_image(tree))):
        if found and path:
            said.update({name: value for name, value in found.items() if name not in said})
            sources.append(path)
    wheel = re.search(r'^REQUIRED_VERSION = "([^"]+)"', _text(tree, _NPU_WHEEL), re.MULTILINE)
    if wheel:
        said["torch-npu"] = wheel[1]
        sources.append(_NPU_WHEEL)
    return {**said, "from": sources} if said else {}


def _notes_path(tree: Tree) -> str | None:
    return next((path for path in _NOTES if path in tree.names()), None)


def _section(tree: Tree, version: str) -> str:
    """The release notes of this very version, no other's; "" when there are none."""
    sections = re.split(r"^# Release xllm ", _text(tree, _notes_path(tree)), flags=re.MULTILINE)
    return next((section for section in sections[1:] if section.split(None, 1)[0] == version), "")


def _noted(tree: Tree, version: str) -> dict[str, str]:
    found = _NPU_NOTE.search(_section(tree, version))
    if not found:
        return {}
    return {"cann": found[1], "torch-npu" if found[2] == "torch_npu" else "torch": found[3]}


def _npu_image(tree: Tree) -> dict[str, str]:
    found = _NPU_IMAGE.search(_text(tree, "cibuild/build_npu.sh"))
    return {"cann": found[1]} if found else {}


def _text(tree: Tree, path: str | None) -> str:
    return tree.read(path) if path is not None and path in tree.names() else ""
