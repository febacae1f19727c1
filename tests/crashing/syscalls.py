"""What SQLite does to the lint cache is done in C, so that only the kernel's side of it can be counted: by strace.

Where there is no strace, or nothing may be traced, this part says so and is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from advisor.jobs.lint_cache import Cache
from tests.crashing.ground import ENGINE, Scene, command
from tests.crashing.steps import Base, Figures

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


def laid(base: Base, kept: Path | None) -> None:
    """The files to lint, the cache as it was kept or empty of results."""
    shutil.rmtree(base.folder, ignore_errors=True)
    (base.folder / "tree").mkdir(parents=True)
    for at in range(4):
        (base.folder / "tree" / f"{at}.sh").write_text(f"#!/bin/sh\n# {at}\n{ENGINE}")
    if kept is not None:
        shutil.copytree(kept, base.folder / "cache")


def all_called(base: Base, figures: Figures, quick: bool) -> None:
    """Killed before each of them, and each of them failing: the report is the same then and afterwards."""
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
        laid(base, kept)
        for one in (base.folder / "tree").iterdir() if kept is filled else ():
            one.write_text(one.read_text() + "# edited\n")
        wanted = run(base).stdout
        for call, number in _counted(base.printed / "strace").items():
            for at in range(1, number + 1)[:: number if quick else 1]:
                hows = (f"signal=KILL:when={at}", f"error=ENOSPC:when={at}+", f"error=EIO:when={at}")
                for how in hows if at % 4 == 1 else hows[:1]:
                    _befallen(base, figures, kept, kept is filled, (call, how, start, wanted))


def _counted(log: Path) -> Counter[str]:
    # 12345 pwrite64(5, "…", 512, 0) = 512
    return Counter(re.findall(r"(?m)^\d+ +(\w+)\(", log.read_text(errors="replace")))


def _befallen(base: Base, figures: Figures, kept: Path, edited: bool, what: tuple[str, str, str, str]) -> None:
    call, how, start, wanted = what
    laid(base, kept)
    for one in (base.folder / "tree").iterdir() if edited else ():
        one.write_text(one.read_text() + "# edited\n")
    ran = run(base, "-e", f"inject={call}:{how}")
    faults = []
    if "KILL" not in how and (ran.returncode, ran.stdout, ran.stderr) != (1, wanted, ""):
        faults.append(f"{ran.returncode} {ran.stderr[-300:]}")
    for when in ("afterwards", "and again"):
        again = base.run(LINT)
        if (again.code, again.out, again.err) != (1, wanted, ""):
            faults.append(f"{when}: {again.code} {again.err[-300:]}")
    kind = "system calls killed at" if "KILL" in how else "system calls that failed"
    figures.note(kind, f"lint, {start}, {call} {how}", faults)
