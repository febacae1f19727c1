"""A scratch machine for what a CI service does: a repository with deployment files, the package as a clone has it, bash.

Nothing is fetched: what is installed takes its requirements from the environment that runs the tests.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.front_door import Ran
from tests.locks import read

REPO = Path(__file__).parents[1]
DEPLOYMENTS = REPO / "tests" / "deployments"
FAULTY = DEPLOYMENTS / "kubernetes" / "deployment-faults.yaml"
HEALTHY = DEPLOYMENTS / "kubernetes" / "deployment-healthy.yaml"
PACKAGE = (
    "advisor", "knowledge", "locks", "rules", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE",
    ".pre-commit-hooks.yaml", "action.yml", "ci",
)  # fmt: skip
# pip finds the build backend and the requirements where they are, and asks no index
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this one the other way round: 0 is no isolation
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONPATH": sysconfig.get_paths()["purelib"],
}


def bash(script: str, cwd: Path, *options: str, **env: str) -> Ran:
    """Run a script as a runner does: `bash --noprofile --norc OPTIONS FILE`, this Python's commands first on PATH."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "CI", "GIT_", "PIP_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as home:
        own = {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}
        file = Path(home, "step.sh")
        file.write_text(script)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", *options, str(file)],
            cwd=cwd,
            env={**kept, **own, **OFFLINE, **env},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    return Ran(done.returncode, done.stdout, done.stderr)


def did(script: str, cwd: Path, **env: str) -> str:
    """What a script that has to work prints."""
    ran = bash(script, cwd, "-euo", "pipefail", **env)
    assert ran.code == 0, f"{script}\n{ran.out}\n{ran.err}"
    return ran.out.strip()


def commit_all(folder: Path, says: str = "x") -> str:
    """Everything in the folder as a commit, in a repository made for it where there is none; its id."""
    begin = "" if (folder / ".git").exists() else "git init -q -b main\n"
    who = "git -c user.name=t -c user.email=t@example.com"
    return did(f"{begin}git add -A\n{who} commit -q -m {says}\ngit rev-parse HEAD", folder)


def clone_of_the_package(folder: Path) -> Path:
    """What a clone of this repository holds, as far as an installation needs it."""
    folder.mkdir(parents=True)
    for name in PACKAGE:
        source = REPO / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    (folder / "locks" / "runtime.txt").write_text("".join(_installed()))
    return folder


def _installed() -> Iterator[str]:
    """The lock as if it were of what is installed here, from where alone a test takes anything."""
    for one in read("runtime"):
        with contextlib.suppress(PackageNotFoundError):
            yield f"{one.name}=={version(one.name)} --hash={one.hashes[0]}\n"
