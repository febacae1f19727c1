"""Small trees of installed packages: a site-packages folder, an environment, an unpacked image."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

SITE = "lib/python3.12/site-packages"


def record(files: dict[str, str]) -> str:
    """A RECORD of these files as an installer writes it."""

    def digest(text: str) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()

    return "".join(f"{name},sha256={digest(text)},{len(text)}\n" for name, text in files.items())


def install(
    site: Path,
    name: str,
    version: str,
    files: dict[str, str] | None = None,
    *,
    origin: Mapping[str, object] | None = None,
    written: bool = True,
) -> Path:
    """Install a package with these files and their RECORD; its `.dist-info`. `written`: the files are there too."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n\nName: not this\n")
    (folder / "RECORD").write_text(record(files or {}))
    if origin is not None:
        (folder / "direct_url.json").write_text(json.dumps(origin))
    for path, text in (files or {}).items() if written else ():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    return folder


def image(root: Path) -> Path:
    """An empty image root."""
    for name in ("etc", "usr/bin", "usr/lib", "opt"):
        (root / name).mkdir(parents=True)
    return root
