"""A site-packages folder -> what is installed there, by its metadata, without importing any of it.

    vllm-0.28.0.dist-info/METADATA          Name: vllm, Version: 0.28.0
    vllm-0.28.0.dist-info/direct_url.json   {"url": "https://github.com/x/vllm", "vcs_info": {"commit_id": "…"}}
    __editable__.sglang-0.5.9.pth           /src/sglang/python
    vllm-0.28.0-py3.11.egg-info             as setuptools left it: a folder with PKG-INFO, or that file alone

**Source:** the PyPA specifications: core metadata, direct URL origin; setuptools' and
pip's editable installs (read 2026-11-29).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from advisor.upstream.rooted import Root

_HEADER = 256 << 10  # bytes of METADATA, .pth and direct_url.json that are read
# vllm-0.28.0.dist-info, vllm-0.28.0-py3.11.egg-info, vllm.egg-info
_FOLDER = re.compile(r"(.+?)-([^-]+)(?:-py[\d.]+)?\.(dist-info|egg-info)$|(.+)\.egg-info$")
_WORD = re.compile(r"[\w.+!-]{1,100}", re.A)  # 0.25.2.dev0+g752a3a504
_MAPPED = re.compile(r"['\"]([\w.]+)['\"]\s*:\s*['\"](/[^'\"]+)['\"]")  # MAPPING = {'vllm': '/src/vllm/vllm'}


@dataclass(frozen=True)
class Distribution:
    """An installed package. `source` is the tree an editable install runs from, when it is below the root.

    `commit` and `url` are what it was installed from, as recorded; `outside` says where a source lies that is not read.
    """

    name: str
    version: str
    site: Path
    metadata: Path
    commit: str = ""
    url: str = ""
    editable: bool = False
    source: Path | None = None
    outside: str = ""


def plain(name: str) -> str:
    """A project's name as it is compared: `Flash_Attn` -> `flash-attn`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distributions(root: Root, site: Path, wanted: Collection[str]) -> list[Distribution]:
    """The distributions of a folder whose plain names are wanted, one name twice when it is there twice."""
    found = []
    for entry in root.listed(site):
        named = _FOLDER.fullmatch(entry)
        if named and plain(named[1] or named[4]) in wanted:
            one = _distribution(root, site, site / entry, named[2] or "")
            if one is not None:
                found.append(one)
    return found


def _distribution(root: Root, site: Path, folder: Path, version: str) -> Distribution | None:
    text = root.text(folder / "METADATA", _HEADER) or root.text(folder / "PKG-INFO", _HEADER)
    if text is None and folder.name.endswith(".egg-info"):
        text = root.text(folder, _HEADER)
    if text is None:
        return None
    head = dict(_headers(text))
    name, version = head.get("name", ""), head.get("version", version)
    if not name or not _WORD.fullmatch(version):
        return None
    origin = _json(root.text(folder / "direct_url.json", _HEADER))
    vcs, local = origin.get("vcs_info"), origin.get("dir_info")
    commit = str(vcs.get("commit_id") or "") if isinstance(vcs, dict) else ""
    commit = commit if re.fullmatch(r"[0-9a-f]{40}", commit) else ""
    editable = bool(local.get("editable")) if isinstance(local, dict) else False
    source, outside = _source(root, site, plain(name), str(origin.get("url") or "") if editable else "")
    url = str(origin.get("url") or "")
    return Distribution(name, version, site, folder, commit, url, editable or bool(source or outside), source, outside)


def _headers(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if not line.strip():
            return
        key, colon, value = line.partition(":")
        if colon and not key[:1].isspace():
            yield key.strip().lower(), value.strip()


def _json(text: str | None) -> dict[str, object]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _path_of(url: str) -> str:
    """The path of a `file:` address; "" for any other, and for one that is malformed."""
    try:
        return unquote(urlsplit(url).path) if url.startswith("file:") else ""
    except ValueError:  # file://[bad
        return ""


def _source(root: Root, site: Path, name: str, url: str) -> tuple[Path | None, str]:
    """The tree that an editable install runs from, or where it lies outside the root."""
    places = [path] if (path := _path_of(url)) else []
    for entry in root.listed(site):
        mine = plain(entry).replace("-", "").startswith(("editable" + name.replace("-", ""), name.replace("-", "")))
        if mine and entry.endswith((".pth", ".egg-link")):
            lines = (root.text(site / entry, _HEADER) or "").splitlines()
            places += [line.strip() for line in lines if line.startswith("/")]
        elif mine and entry.startswith("__editable__") and entry.endswith(".py"):
            pairs = _MAPPED.findall(root.text(site / entry, _HEADER) or "")
            places += [str(Path(path).parent) for package, path in pairs if plain(package) == name]
    for place in places:
        found = root.inside(place)
        if found is not None and os.path.isdir(found):
            return found, ""
    return None, places[0] if places else ""
