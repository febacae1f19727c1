"""The environment variables of a shell -> the site-packages folders of the Python that it would run; nothing is run.

`VIRTUAL_ENV`, then `CONDA_PREFIX`, then the first `python3` or `python` on `PATH`. That need not be the Python that
runs the advisor, which often lives in an environment of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_BELOW = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages")
_SYSTEM = ("local/lib/python3*/dist-packages", "local/lib/python3*/site-packages", "lib/python3/dist-packages")


def sites_of(environ: Mapping[str, str]) -> tuple[list[Path], str]:
    """The site-packages folders, in the order of its path, and how they were found; none, with the reason."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = environ.get(name, "")
        found = _below(Path(prefix), _BELOW) if prefix else []
        if found:
            return found, f"{name}={prefix}"
    program = _first(environ.get("PATH", ""))
    if program is None:
        return [], "no python3 or python is on PATH"
    with program.open("rb") as opened:
        if opened.read(2) == b"#!":
            return [], f"{program} is a script that starts a Python, which is not run to learn which"
    return _prefixed(program, environ), f"{program}, the first on PATH"


def _first(path: str) -> Path | None:
    folders = [Path(one) for one in path.split(os.pathsep) if one]
    programs = [folder / name for folder in folders for name in ("python3", "python")]
    return next((one for one in programs if one.is_file() and os.access(one, os.X_OK)), None)


def _prefixed(program: Path, environ: Mapping[str, str]) -> list[Path]:
    prefix = program.parent.parent
    if (prefix / "pyvenv.cfg").is_file():
        return _below(prefix, _BELOW)
    prefix = Path(os.path.realpath(program)).parent.parent
    home = environ.get("HOME", "")
    user = _below(Path(home) / ".local", _BELOW) if home else []
    system = _below(prefix, _SYSTEM) if prefix == Path("/usr") else []
    return [*user, *system, *_below(prefix, _BELOW)]


def _below(prefix: Path, patterns: tuple[str, ...]) -> list[Path]:
    found = [one for pattern in patterns for one in sorted(prefix.glob(pattern)) if one.is_dir()]
    return list({os.path.realpath(one): one for one in reversed(found)}.values())[::-1]
