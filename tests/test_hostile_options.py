"""Every option and argument of every command, found in the application itself, given what no person would give: the
hostile texts of `tests/test_shown_safely.py` with bytes that are no UTF-8 among them, and for a file a name longer than
a name can be.

All runs are made in one process, as `advisor` makes them: a line on standard error, an exit code of 0, 1 or 2.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_shown_safely import STRINGS, safe

SERVES = {"host"}
"""Of `serve` only what fails before it serves."""
BASES = {
    "check": ["--engine", "vllm"],
    "diagnose": ["--engine", "vllm"],
    "verify": ["vllm/none", "none.log"],
    "lint": ["."],
    "fix": ["."],
    "upgrade": ["--engine", "vllm", "--from", "0.28.0"],
    "patch": ["#53402", "--repo", "."],
    "explain": ["#53402"],
    "search": ["hang"],
    "flags": ["vllm", "0.28.0"],
    "release": ["vllm"],
    "collect": ["--plan"],
    "draft": ["-"],
    "rules new": ["vllm/x"],
}
"""What a command has to be given beside the one that is tried."""
LEFT_OUT = {"knowledge refresh": "it asks the network", "knowledge verify": "the same", "mcp": "it serves"}

RUNNER = r"""
import contextlib, io, json, os, sys
import typer
from advisor.faces import cli

def leaves(command, name=()):
    for word, one in getattr(command, "commands", {}).items():
        yield from leaves(one, (*name, word))
    if not hasattr(command, "commands"):
        yield " ".join(name), command

told, shared = json.load(sys.stdin), set()
for name, command in leaves(typer.main.get_command(cli.application())):
    if name in told["left out"]:
        continue
    base = told["bases"].get(name, [])
    for one in command.params:
        if getattr(one, "is_flag", False) or name == "serve" and one.name not in told["serves"]:
            continue
        if name in ("diagnose", "verify") and one.name in shared:
            continue  # as check takes them
        if name == "check":
            shared.add(one.name)
        names_a_file = "ath" in type(one.type).__name__ + str(one.type)
        for text in told["texts"][: 2 if names_a_file else 1]:
            option = one.opts[0].startswith("-")
            words = [*name.split(), *(base if option else ()), *([one.opts[-1]] if option else ()), text]
            sys.argv = ["advisor", *words]
            out, err = io.StringIO(), io.StringIO()
            sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
            code = None
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    cli.main()
                except SystemExit as end:
                    code = end.code
            print(json.dumps([name, one.opts[-1], text[:20], code, out.getvalue(), err.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str, int, str, str]]:
    """Each command, parameter and beginning of what it was given, the exit code, standard output and standard error."""
    place: Path = tmp_path_factory.mktemp("options")
    (place / "run.sh").write_text("vllm serve m --swap-space 4\n")
    told = {
        "bases": BASES,
        "left out": list(LEFT_OUT),
        "serves": sorted(SERVES),
        "texts": [" ".join(STRINGS.values()).replace("\0", ""), "n" * 5000],
    }
    done = subprocess.run(
        [sys.executable, "-c", RUNNER], input=json.dumps(told).encode(), capture_output=True, check=False, cwd=place,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path_factory.mktemp("home")), "PYTHONPATH": ":".join(sys.path), "NO_COLOR": "1"},
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    written = {one.name for one in place.iterdir() if not one.name.startswith(".")}
    assert written <= {"run.sh"}, written
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def test_every_command_was_tried(runs: list[tuple[str, str, str, int, str, str]]) -> None:
    from advisor.faces.cli import COMMANDS

    assert {one[0].split()[0] for one in runs} >= set(COMMANDS) - {*LEFT_OUT}
    assert len(runs) > 100


def test_none_is_a_defect(runs: list[tuple[str, str, str, int, str, str]]) -> None:
    assert [(*one[:4], one[5][-300:]) for one in runs if one[3] not in (0, 1, 2)] == []


def test_none_shows_what_is_unsafe_or_endless(runs: list[tuple[str, str, str, int, str, str]]) -> None:
    assert [(*one[:4], found) for one in runs for found in (safe(one[4]), safe(one[5])) if found] == []
    assert [(*one[:4], len(one[5])) for one in runs if len(one[5]) > 10_000] == []
