"""A run of the command line in a process of its own, watched from its first import: modules, files, other events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# An audit hook hears of every file opened, process started and socket made, by whatever module.
_WATCH = """
import gc, json, os, sys
opened, events, before = [], [], set(sys.modules)
def heard(event, given):
    if event == "open":
        opened.append(str(given[0]))
    elif not event.startswith(("import", "exec", "compile", "marshal.", "object.", "os.listdir", "os.scandir")):
        events.append(event)
sys.addaudithook(heard)
def looks():
    return sum(one["collections"] for one in gc.get_stats())
begun = looks()
from advisor.__main__ import run
code = 0
try:
    run()
except SystemExit as end:
    code = end.code
seen = {"code": code, "modules": sorted({*sys.modules} - before), "opened": opened, "events": events}
seen["looks"] = looks() - begun
with open(os.environ["SEEN"], "w") as file:
    json.dump(seen, file)
"""


@dataclass(frozen=True)
class Seen:
    """What a run did: its exit code and text, the modules it loaded, the files it opened, what else Python audits,
    and how often it looked for cycles of garbage."""

    code: int
    out: str
    modules: frozenset[str]
    opened: tuple[str, ...]
    events: frozenset[str]
    looks: int


def watched(*arguments: str, scratch: Path, cwd: Path | None = None, **environment: str) -> Seen:
    """Run `advisor` with these arguments; what is seen of it is handed over through a file in `scratch`."""
    note = scratch / "seen.json"
    done = subprocess.run(
        [sys.executable, "-c", _WATCH, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "SEEN": str(note), **environment},
    )
    if not note.exists():
        raise AssertionError(f"no answer from advisor {arguments}\n{done.stderr}")
    seen = json.loads(note.read_text(encoding="utf-8"))
    opened, events = tuple(seen["opened"]), frozenset(seen["events"])
    return Seen(seen["code"], done.stdout, frozenset(seen["modules"]), opened, events, seen["looks"])
