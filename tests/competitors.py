"""Programs that a benchmark runs beside ours: each is installed once, in an environment of its own in the user's cache."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path


def program(package: str, name: str) -> Path | None:
    """The program `name` of a PyPI package, installed below `$XDG_CACHE_HOME/inference-advisor` when it is not there
    yet; None, and the reason printed, when it cannot be had."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "inference-advisor" / package
    if not (home / "complete").exists():
        print(f"  installing {package} into {home}", flush=True)
        venv.create(home, with_pip=True, clear=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"  {package}: not measured, it could not be installed: {done.stderr.strip().splitlines()[-1]}")
            return None
        (home / "complete").touch()
    return home / "bin" / name
