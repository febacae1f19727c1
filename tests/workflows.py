"""`python -m tests.workflows`: hold our GitHub Action, and the workflow that docs/ci.md shows, against zizmor.

zizmor reads them as an attacker would: what is not pinned, what runs a stranger's text, what may do more than it must.
It asks no network. A finding fails; what is left aside is named in `ASIDE` with its reason.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import yaml

from tests.docs_pages import blocks

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "action.yml"
PAGE = ROOT / "docs" / "ci.md"
ASIDE = {
    "example/inference-advisor": "stands for the reader's own copy, whose commits nobody knows here",
}
"""Actions that need no pin, and why."""
WORKFLOW = ".github/workflows"


def zizmor() -> str | None:
    """The program, out of the environment that runs this."""
    return shutil.which("zizmor", path=sysconfig.get_path("scripts")) or shutil.which("zizmor")


def lay_out(folder: Path) -> list[str]:
    """Puts the action and the page's workflows where they would be in a repository; their names."""
    (folder / WORKFLOW).mkdir(parents=True)
    (folder / ACTION.name).write_bytes(ACTION.read_bytes())
    names = [ACTION.name]
    for one in blocks(PAGE):
        if one.key == "file" and one.value.startswith(WORKFLOW):
            (folder / one.value).write_text(one.text)
            names.append(one.value)
    policies = {name: "any" for name in ASIDE} | {"*": "hash-pin"}
    (folder / "zizmor.yml").write_text(yaml.safe_dump({"rules": {"unpinned-uses": {"config": {"policies": policies}}}}))
    return names


def look(*options: str) -> subprocess.CompletedProcess[str]:
    """What zizmor says. RuntimeError where it is not installed."""
    program = zizmor()
    if program is None:
        raise RuntimeError("zizmor is not installed: pip install -e '.[dev]'")
    with tempfile.TemporaryDirectory() as folder:
        names = lay_out(Path(folder))
        fixed = (program, "--offline", "--no-progress", "--quiet", "--config", "zizmor.yml", "--color", "never")
        return subprocess.run(
            [*fixed, *options, *names], cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )


if __name__ == "__main__":
    done = look()
    if done.returncode:
        print(done.stdout + done.stderr)
    sys.exit(done.returncode)
