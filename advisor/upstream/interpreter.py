"""The environment variables of a shell -> the site-packages folders of the Python that it would run; nothing is run.

`VIRTUAL_ENV`, then `CONDA_PREFIX`, then the first `python3` or `python` on `PATH`. That need not be the Python that
runs the advisor, which often lives in an environment of its own.

Where pyenv's script stands first on `PATH`, the version that it would start is read where pyenv reads it:
`PYENV_VERSION`, the nearest `.python-version` from `PYENV_DIR` or the working folder upward, the file `version` of
pyenv's own root; without any of them it is the system's Python, the next on `PATH`.

**Source:** pyenv 024e29e1005c, libexec: pyenv-version-name, pyenv-version-file, pyenv-version-file-read, pyenv-latest
(read 2026-11-29).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

_BELOW = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages")
_FILE = 4096  # characters of a version file that are read
_SYSTEM = ("local/lib/python3*/dist-packages", "local/lib/python3*/site-packages", "lib/python3/dist-packages")


def sites_of(environ: Mapping[str, str]) -> tuple[list[Path], str]:
    """The site-packages folders, in the order of its path, and how they were found; none, with the reason."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = environ.get(name, "")
        found = _below(Path(prefix), _BELOW) if prefix else []
        if found:
            return found, f"{name}={prefix}"
    return _on_path(environ, [Path(one) for one in environ.get("PATH", "").split(os.pathsep) if one])


def _on_path(environ: Mapping[str, str], folders: list[Path]) -> tuple[list[Path], str]:
    program = _first(folders)
    if program is None:
        return [], "no python3 or python is on PATH"
    if not _is_script(program):
        return _prefixed(program, environ), f"{program}, the first on PATH"
    why = f"{program} is a script that starts a Python, which is not run to learn which"
    if program.parent.name != "shims" or not os.path.isdir(program.parent.parent / "versions"):
        return [], why
    root = program.parent.parent
    names, told = _chosen(root, environ)
    for name in names:
        if name == "system":
            found, how = _on_path(environ, [one for one in folders if one != program.parent])
            return found, f"{how}, for {told} says system"
        if prefix := _version_of(root, name):
            return _below(prefix, _BELOW), f"{prefix}, for {told} says {name}"
    return [], f"{why}; {told} says {', '.join(names) or 'nothing'}, which is not in {root / 'versions'}"


def _is_script(program: Path) -> bool:
    try:
        with program.open("rb") as opened:
            return opened.read(2) == b"#!"
    except OSError:  # a program may be run without being read
        return False


def _chosen(root: Path, environ: Mapping[str, str]) -> tuple[list[str], str]:
    """The versions that pyenv is told to use, the first that has the program first, and by what it is told."""
    if given := environ.get("PYENV_VERSION", ""):
        return given.split(":"), f"PYENV_VERSION={given}"
    here = Path(environ.get("PYENV_DIR") or Path.cwd())
    for file in (*(one / ".python-version" for one in (here, *here.parents)), root / "version"):
        try:
            lines = file.read_text(encoding="utf-8", errors="replace")[:_FILE].splitlines()
        except OSError:
            continue
        names = [words[0] for line in lines if (words := line.partition("#")[0].split())]
        return names or ["system"], str(file)
    return ["system"], "no file of pyenv's names a version, and so it"


def _version_of(root: Path, name: str) -> Path | None:
    """The folder of a version: of its own name, else the newest of those it begins, as `3.12` does `3.12.4`."""
    if "/" in name or name.startswith("."):
        return None
    for one in (name, name.removeprefix("python-")):
        if os.path.isdir(root / "versions" / one / "bin"):
            return root / "versions" / one
    begun = re.compile(
        re.escape(name.removeprefix("python-")) + r"[-.](?!.*(?:-dev|-src|-latest|(?:a|b|rc)\d+|\dt)$).*"
    )
    fitting = [one for one in (root / "versions").glob("*") if begun.fullmatch(one.name) and not one.is_symlink()]
    fitting = [one for one in fitting if os.path.isdir(one / "bin")]
    return max(fitting, key=lambda one: [int(part) for part in re.findall(r"\d+", one.name)], default=None)


def _first(folders: list[Path]) -> Path | None:
    programs = [folder / name for folder in folders for name in ("python3", "python")]
    return next((one for one in programs if os.path.isfile(one) and os.access(one, os.X_OK)), None)


def _prefixed(program: Path, environ: Mapping[str, str]) -> list[Path]:
    prefix = program.parent.parent
    if os.path.isfile(prefix / "pyvenv.cfg"):
        return _below(prefix, _BELOW)
    prefix = Path(os.path.realpath(program)).parent.parent
    home = environ.get("HOME", "")
    user = _below(Path(home) / ".local", _BELOW) if home else []
    system = _below(prefix, _SYSTEM) if prefix == Path("/usr") else []
    return [*user, *system, *_below(prefix, _BELOW)]


def _below(prefix: Path, patterns: tuple[str, ...]) -> list[Path]:
    found = [one for pattern in patterns for one in _matching(prefix, pattern) if os.path.isdir(one)]
    return list({os.path.realpath(one): one for one in reversed(found)}.values())[::-1]


def _matching(prefix: Path, pattern: str) -> list[Path]:
    try:
        return sorted(prefix.glob(pattern))
    except OSError:
        return []
