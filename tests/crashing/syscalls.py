"""What SQLite does to the lint cache is done in C, so that only the kernel's side of it can be counted: by strace.

Where there is no strace, or nothing may be traced, this part says so and is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from advisor.jobs.lint_cache import Cache
from tests.crashing.ground import ENGINE, Scene, command
from tests.crashing.steps import Base, Figures, moments

CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "mkdir", "write", "rename", "fchown")

LINT = Scene("lint", lambda _: None, command("lint", "tree", "--format", "json"), env={"XDG_CACHE_HOME": "cache"})


def run(base: Base, *injected: str) -> subprocess.CompletedProcess[str]:
    """`advisor lint` under strace, which sees what is done to the cache alone; its log is in `printed`."""
    lint = base.folder / "cache" / "inference-advisor" / "lint"
    file = Cache(lint, 0).file
    watched = [word for one in (lint, file, f"{file}-journal") for word in ("-P", str(one))]
    traced = [
        "strace",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-o",
        str(base.printed / "strace"),
        "-e",
        f"trace={','.join(CALLS)}",
        *watched,
    ]
    command = [sys.executable, "-m", "advisor", "lint", "tree", "--format", "json"]
    return subprocess.run(
        [*traced, *injected, *command] if shutil.which("strace") else command,
        cwd=base.folder,
        env={**os.environ, "XDG_CACHE_HOME": str(base.folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def laid(base: Base, kept: Path | None, edited: bool = False) -> None:
    """The files to lint, as they were or edited since; the cache as it was kept or empty of results."""
    shutil.rmtree(base.folder, ignore_errors=True)
    (base.folder / "tree").mkdir(parents=True)
    for at in range(4):
        (base.folder / "tree" / f"{at}.sh").write_text(f"#!/bin/sh\n# {at}\n{ENGINE}{'# edited' * edited}\n")
    if kept is not None:
        shutil.copytree(kept, base.folder / "cache")


def trials(base: Base, quick: bool) -> Iterator[Callable[[Base, Figures], None]]:
    """Killed before some of them, and some of them failing: the report is the same then and afterwards."""
    base.printed.mkdir(exist_ok=True)
    laid(base, None)
    clean = run(base)
    if clean.returncode != 1 or not (base.printed / "strace").exists():
        print("syscalls: left out, as nothing can be traced here")
        return
    filled = base.folder.with_name("filled")
    shutil.copytree(base.folder / "cache", filled, dirs_exist_ok=True)
    empty = base.folder.with_name("empty")
    shutil.copytree(filled, empty, ignore=shutil.ignore_patterns("lint"), dirs_exist_ok=True)
    for start, kept in (("nothing kept", empty), ("other results kept", filled))[: 1 if quick else 2]:
        laid(base, kept, kept is filled)
        wanted = run(base).stdout
        calls = _called(base.printed / "strace")
        chosen = moments(calls)
        if quick:
            chosen = chosen[len(chosen) // 2 :][:1]
        for one in chosen:
            call, when = calls[one - 1], calls[:one].count(calls[one - 1])
            for how in (f"signal=KILL:when={when}", f"error=ENOSPC:when={when}+", f"error=EIO:when={when}"):
                yield partial(_befallen, (kept, kept is filled), (call, how, start, wanted))


def _called(log: Path) -> tuple[str, ...]:
    # 12345 pwrite64(5, "…", 512, 0) = 512
    return tuple(re.findall(r"(?m)^\d+ +(\w+)\(", log.read_text(errors="replace")))


def _befallen(start: tuple[Path, bool], what: tuple[str, str, str, str], base: Base, figures: Figures) -> None:
    call, how, name, wanted = what
    laid(base, *start)
    ran = run(base, "-e", f"inject={call}:{how}")
    faults = []
    if "KILL" not in how and (ran.returncode, ran.stdout, ran.stderr) != (1, wanted, ""):
        faults.append(f"{ran.returncode} {ran.stderr[-300:]}")
    for when in ("afterwards", "and again"):
        again = base.run(LINT)
        if (again.code, again.out, again.err) != (1, wanted, ""):
            faults.append(f"{when}: {again.code} {again.err[-300:]}")
    kind = "killed before a system call on SQLite's files" if "KILL" in how else "system calls on them that fail"
    figures.note(kind, f"lint, {name}, {call} {how}", faults)
