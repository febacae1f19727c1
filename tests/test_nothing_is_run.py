"""Nothing of the user's is run, ever: every command over a folder in which everything would like to be."""

from __future__ import annotations

import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front_door import advisor

REPO = Path(__file__).parents[1]
TOUCH = "import pathlib; pathlib.Path(__file__).with_name('RAN').touch()\n"
SHADOWS = ("sitecustomize", "usercustomize", "conftest", "setup", "yaml", "json5", "bz2", "lzma", "tomllib", "tarfile",
           "sqlite3", "zipfile", "re2", "jinja2", "git", "psutil", "tree_sitter", "vllm", "advisor_plugin")  # fmt: skip


class Gadget:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch RAN",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("user") / "deploy"
    place.mkdir()
    for name in SHADOWS:
        (place / f"{name}.py").write_text(TOUCH)
    (place / "evil.pth").write_text(f"import os; os.system('touch {place}/RAN')\n")
    (place / "rank0.pkl").write_bytes(pickle.dumps({"entries": [Gadget()], "version": "2.9"}, protocol=2))
    (place / "serve.py").write_text("from vllm import LLM\n" + TOUCH + "llm = LLM('m', tensor_parallel_size=2)\n")
    (place / "run.sh").write_text(
        "#!/bin/bash\ntouch RAN; X=$(touch RAN) `touch RAN`\n"
        "vllm serve $(touch RAN) --swap-space 4 -tp 3 --config <(touch RAN)\n"
    )
    (place / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n  - name: a\n"
        "    image: vllm/vllm-openai:v0.28.0\n    args: [--model, m, --swap-space, '4', $(touch RAN)]\n"
        "    env: [{name: A, value: !!python/object/apply:os.system [touch RAN]}]\n"
    )
    (place / "Dockerfile").write_text('FROM vllm/vllm-openai:v0.28.0\nRUN touch RAN\nCMD ["--model", "m"]\n')
    (place / "Makefile").write_text("X := $(shell touch RAN)\nrun:\n\tvllm serve m --swap-space 4\n")
    (place / "values.yaml").write_text(
        'servingEngineSpec: {modelSpec: [{name: \'{{ lookup("pipe","touch RAN") }}\'}]}\n'
    )
    (place / "vllm.log").write_text("INFO vLLM API server version 0.28.0\n${jndi:ldap://x/a} $(touch RAN) {{7*7}}\n")
    git(place, "init", "-q")
    git(place, "add", "run.sh", "pod.yaml")
    git(place, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    touch = f"touch {place}/RAN"
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external", "gpg.program",
                "core.alternateRefsCommand", "filter.a.clean", "filter.a.smudge", "filter.a.process", "diff.a.textconv",
                "diff.a.command", "merge.a.driver", "alias.log", "alias.diff", "credential.helper", "uploadpack.packObjectsHook"):  # fmt: skip
        git(place, "config", key, f"!{touch}" if key.startswith("alias") else touch)
    git(place, "config", "core.hooksPath", str(place / "hooks"))
    (place / ".gitattributes").write_text("* filter=a diff=a merge=a\n")
    for name in ("post-checkout", "pre-commit", "post-index-change", "fsmonitor-watchman", "reference-transaction"):
        for hooks in (place / ".git" / "hooks", place / "hooks"):
            hooks.mkdir(exist_ok=True)
            (hooks / name).write_text(f"#!/bin/sh\n{touch}\n")
            (hooks / name).chmod(stat.S_IRWXU)
    with (place / "run.sh").open("a") as file:
        file.write("# changed\n")
    return place


def git(place: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)


COMMANDS = {
    "check": ["check", ".", "--engine", "vllm", "--version", "0.28.0"],
    "check a clone": ["check", "--repo", ".", "--engine", "vllm", "--flags", "vllm serve m $(touch RAN)"],
    "check what is installed": ["check", "--installed", ".", "--engine", "vllm", "vllm.log"],
    "lint": ["lint", ".", "--format", "sarif", "--no-cache"],
    "lint a change": ["lint", ".", "--diff", "HEAD"],
    "fix": ["fix", "."],
    "diagnose": ["diagnose", "vllm.log", "rank0.pkl", "--answers", "/dev/null", "--output", "/dev/null"],
    "verify": ["verify", "vllm/pp-broadcast-skew", "vllm.log", "--version", "0.28.0"],
    "patch": ["patch", "vllm/pp-broadcast-skew", "--repo", "."],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_of_the_users_is_run(folder: Path, tmp_path: Path, name: str) -> None:
    before = {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    out = tmp_path / "events.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.watched_run", str(folder), str(out), *COMMANDS[name]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPO), "PYTHONSAFEPATH": "1", "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    told = json.loads(out.read_text())
    assert told["code"] in (0, 1, 2), done.stderr.decode()[-2000:]
    assert told["found"] == []
    assert {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()} == before


def test_a_folder_in_which_it_is_started_lends_it_no_module(folder: Path) -> None:
    """`python -m` puts that folder before all others."""
    ran = advisor("check", "--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m", cwd=folder)
    assert ran.code in (0, 1), ran.err
    assert not list(folder.rglob("RAN"))


SPAWNS = """
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    from advisor.__main__ import run
    run()
"""


def test_a_folder_in_which_it_is_started_lends_processes_of_a_pool_no_module(tmp_path: Path) -> None:
    """Where they are not forked (macOS, Windows, Python 3.14) each is a `python -c`, which looks there before all else."""
    place = tmp_path / "deploy"
    place.mkdir()
    for name in ("multiprocessing", "pickle", "struct", "socket", "selectors"):
        (place / f"{name}.py").write_text("import os\nos.close(os.open('RAN', os.O_CREAT))\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "advisor").write_text(SPAWNS)
    case = json.dumps({"engine": "vllm", "version": "0.28.0", "launch": "vllm serve m"})
    (place / "cases.jsonl").write_text(f"{case}\n" * 101)  # more than one process does alone
    done = subprocess.run(
        [sys.executable, str(tmp_path / "bin" / "advisor"), "check", "--batch", "cases.jsonl"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert len(done.stdout.splitlines()) == 101, done.stderr.decode()[-2000:]
    assert not list(tmp_path.rglob("RAN"))
