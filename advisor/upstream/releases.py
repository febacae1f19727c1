"""A package's releases on the index -> when each was published, the torch it asks for and the NCCL that comes with it.

``pins`` holds the requirement as the wheel states it. ``nccl`` follows only from a torch pinned to one version: it is
what that torch's own wheel for each architecture requires, null where that wheel requires none or there is none.
Nothing here says what a container image ships: images replace these.

Source: ``METADATA`` in the wheels (https://packaging.python.org/en/latest/specifications/core-metadata/)
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream.wheels import Index, Release

ARCHITECTURES = ("x86_64", "aarch64")
# Requires-Dist: torch==2.5.1; extra == "srt"   Requires-Dist: torch (<=2.6.0,>=2.0.0)
_REQUIRES = re.compile(
    r"^Requires-Dist: ([A-Za-z0-9._-]+)[ \t]*(?:\[[^\]\n]*\])?[ \t]*\(?([^;()\n]*)\)?[ \t]*(?:;[ \t]*(.*))?$",
    re.MULTILINE,
)
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")
_MACHINE = re.compile(r"""platform_machine\s*==\s*['"](\w+)['"]""")
# The extras whose requirements a serving install has, most telling first; "" is a requirement of every install.
_SERVING_EXTRAS = ("", "srt", "runtime-common", "all")


def requirement(metadata: str, package: str) -> str | None:
    """The version specifier a wheel's METADATA asks of a package for a serving install; None when it asks for none."""
    found: dict[str, str] = {}
    for name, specifier, marker in _REQUIRES.findall(metadata):
        if name.lower().replace("_", "-") == package:
            extra = _EXTRA.search(marker)
            found.setdefault(extra[1] if extra else "", specifier.replace(" ", ""))
    return next((found[extra] for extra in _SERVING_EXTRAS if found.get(extra)), None)


def metadata(index: Index, package: str, version: str, wheel: str = "") -> str:
    """The METADATA file of a released wheel, or PKG-INFO of an sdist."""
    for path in index.names(package, version, wheel):
        if re.fullmatch(r"[^/]+\.dist-info/METADATA|PKG-INFO", path):
            return index.read(package, version, path, wheel).decode("utf-8", "replace")
    raise UpstreamError(f"{package} {version} holds no METADATA")


def nccl_of(torch: str | None, index: Index) -> dict[str, str | None] | None:
    """NCCL per architecture for a torch requirement; None unless it names one version whose wheels were read."""
    if torch is None or not re.fullmatch(r"==[\w.]+", torch):
        return None
    found = {arch: _nccl_for(torch[2:], arch, index) for arch in ARCHITECTURES}
    return found if any(found.values()) else None


def _nccl_for(version: str, arch: str, index: Index) -> str | None:
    files = [file.name for each in index.released("torch") if each.version == version for file in each.files]
    wheels = [name for name in files if re.search(rf"manylinux\S*_{arch}\.whl$", name)]
    text = metadata(index, "torch", version, chosen(wheels)) if wheels else ""
    for name, specifier, marker in _REQUIRES.findall(text):
        machine = _MACHINE.search(marker)
        if (
            re.fullmatch(r"nvidia-nccl-cu\d+", name)
            and (machine is None or machine[1] == arch)
            and specifier.startswith("==")
        ):
            return str(specifier)[2:].strip()
    return None


def chosen(wheels: list[str]) -> str:
    """The wheel to read of those of one release: the highest build number, as pip has it, then the oldest Python."""
    built = {name: re.fullmatch(r"[^-]+-[^-]+-(\d+)[^-]*-.+", name) for name in wheels}  # torch-2.10.0-3-cp310-…
    return min(wheels, key=lambda name: (-int(found[1]) if (found := built[name]) else 0, name))


def record(release: Release, package: str, index: Index, commit: str | None) -> dict[str, Any]:
    """One entry of releases.json."""
    torch = requirement(metadata(index, package, release.version), "torch")
    return {
        "version": release.version,
        "date": release.date,
        "commit": commit,
        "pins": {"torch": torch} if torch else {},
        "nccl": nccl_of(torch, index),
    }


def tagged_commits(knowledge: Path) -> dict[str, str]:
    """Version -> commit from an engine's tags.json; empty when it is not there yet."""
    path = knowledge / "tags.json"
    tags = json.loads(path.read_text(encoding="utf-8")).get("tags", {}) if path.exists() else {}
    return {name.removeprefix("v"): entry["commit"] for name, entry in tags.items() if entry.get("commit")}
