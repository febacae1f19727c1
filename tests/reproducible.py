"""`python -m tests.reproducible`: build wheel and sdist twice, as two strangers would, and compare them byte for byte.

The two differ in folder, order and times of files, umask, locale, time zone and hash seed; they share SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EPOCH = "1764460800"  # a day that no file here was written on
KEPT_OUT = (
    "__pycache__",
    ".git",
    ".venv",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
)
MADE = ("site", "dist", "build")
"""Folders of the checkout's own that builders make, beside folders of such a name within it."""


@dataclass(frozen=True)
class Builder:
    """Who builds: where, and how their machine is set."""

    name: str
    umask: int
    mtime: int
    environment: dict[str, str]
    backwards: bool = False


BUILDERS = (
    Builder("one", 0o022, 1_600_000_000, {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "1"}),
    Builder(
        "another/place further down", 0o077, 1_700_000_000,
        {"LC_ALL": "C.UTF-8", "TZ": "Asia/Shanghai", "PYTHONHASHSEED": "4242"}, backwards=True,
    ),
)  # fmt: skip


def build(by: Builder, base: Path, kinds: Iterable[str] = ("--wheel", "--sdist")) -> dict[str, bytes]:
    """What a builder gets, by name of file."""
    source, out = base / by.name / "source", base / by.name / "out"
    _copy(source, by)
    backend = (
        "import sys; from hatchling import build; [getattr(build, 'build_' + one)(sys.argv[1]) for one in sys.argv[2:]]"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON", "TZ"))}
    subprocess.run(
        [sys.executable, "-c", backend, str(out), *(one.removeprefix("--") for one in kinds)],
        cwd=source, env={**kept, **by.environment, "SOURCE_DATE_EPOCH": EPOCH}, umask=by.umask,
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    return {file.name: file.read_bytes() for file in sorted(out.iterdir())}


def _copy(source: Path, by: Builder) -> None:
    """The checkout: files made in an order, with a time and with rights of the builder's own."""
    (source.parent / "out").mkdir(parents=True)
    for folder, inside, names in os.walk(ROOT):
        left_out = {*KEPT_OUT, *(MADE if Path(folder) == ROOT else ())}
        inside[:] = sorted((one for one in inside if one not in left_out), reverse=by.backwards)
        to = source / Path(folder).relative_to(ROOT)
        to.mkdir(parents=True, exist_ok=True)
        for name in sorted(names, reverse=by.backwards):
            shutil.copyfile(Path(folder, name), to / name)
            runs = Path(folder, name).stat().st_mode & 0o100  # which git keeps too
            os.chmod(to / name, (0o777 if runs else 0o666) & ~by.umask)
            os.utime(to / name, (by.mtime, by.mtime))


def differences(made: Iterable[dict[str, bytes]]) -> list[str]:
    """The files that are not the same in all, or not there in all."""
    first, *others = made
    names = sorted({*first, *(name for one in others for name in one)})
    return [name for name in names if any(one.get(name) != first.get(name) for one in others)]


def main() -> int:
    """Builds and compares; 1 where anything differs."""
    with tempfile.TemporaryDirectory() as folder:
        made = [build(one, Path(folder)) for one in BUILDERS]
    differ = differences(made)
    for name, content in made[0].items():
        said = "differs" if name in differ else "the same"
        print(f"reproducible: {name}: {len(content):,} bytes, {said} ({hashlib.sha256(content).hexdigest()[:16]}…)")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
