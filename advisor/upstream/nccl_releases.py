"""NCCL's tags and the wheels on the package index -> one entry of releases.json for each version that either has.

A version of NCCL is tagged in the repository and, from 2.13 on, packed into a wheel for each CUDA major version and
architecture, not always both. ``tags`` and ``wheels`` list what there is, empty where there is none; ``commit`` and
``date`` are those of the version's first tag, or the date of its first wheel where the clone has no tag. ``wheels``
keeps the version a package has on the index: ``2.26.2.post1`` is another packing of NCCL 2.26.2.

Source: https://github.com/NVIDIA/nccl (tags), https://pypi.org/simple/nvidia-nccl-cu13/ and its siblings
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream.history import UPSTREAMS
from advisor.upstream.wheels import Index, Release, release_order

PACKAGES = ("nvidia-nccl-cu11", "nvidia-nccl-cu12", "nvidia-nccl-cu13")
# 2.26.2.post1; 0.0.0a0 and 0.0.1.dev5 hold a name on the index and no NCCL
_WHEEL_VERSION = re.compile(r"(\d+\.\d+\.\d+)(?:\.post\d+)?")


def records(folder: Path, index: Index) -> list[dict[str, Any]]:
    """Every entry, oldest version first; ``folder`` holds the tags.json. UpstreamError when it does not."""
    tags = tagged(folder)
    wheels = packed(index)
    return [
        _record(version, tags.get(version, {}), wheels.get(version, {})) for version in _ordered({**tags, **wheels})
    ]


def tagged(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Version -> its tags, each with commit and date, in the order they were made."""
    path = folder / "tags.json"
    if not path.exists():
        raise UpstreamError("there are no tags to read the releases of NCCL from", str(path))
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name, tag in json.loads(path.read_text(encoding="utf-8"))["tags"].items():
        version = UPSTREAMS["nccl"].version(name)
        if version:
            found.setdefault(version, {})[name] = tag
    return found


def packed(index: Index) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Version -> package -> its wheels."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for package in PACKAGES:
        for release in index.released(package):
            version = _WHEEL_VERSION.fullmatch(release.version)
            if version and any(file.is_wheel for file in release.files):
                found.setdefault(version[1], {}).setdefault(package, []).append(_wheel(release))
    return found


def _wheel(release: Release) -> dict[str, Any]:
    names = [re.search(r"_(x86_64|aarch64)\.whl$", file.name) for file in release.files]
    architectures = sorted({name[1] for name in names if name})
    return {"version": release.version, "date": release.date, "architectures": architectures}


def _record(version: str, tags: dict[str, dict[str, Any]], wheels: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    first = next(iter(tags.values()), None)
    dates = [wheel["date"] for listed in wheels.values() for wheel in listed]
    return {
        "version": version,
        "date": first["date"] if first else min(dates),
        "commit": first["commit"] if first else None,
        "pins": {},
        "nccl": None,
        "tags": list(tags),
        "wheels": wheels,
    }


def _ordered(versions: dict[str, Any]) -> list[str]:
    return sorted(versions, key=release_order)
