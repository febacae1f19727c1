"""`make parsers`: knowledge/<engine>/settings.json compared with what the engines' own parsers say.

    python -m tests.parsers [ENGINE [VERSION ...]]     (no engine: every release in the record)

Each release is unpacked into a throw-away environment, its own parser is built there, and every flag is compared:
spellings, kind, type, choices, default. For each environment variable: is it in the engine's registry, and does the
default text act as leaving the variable unset does? Every disagreement is printed, with its reason where the record,
docs/agreement.md, gives one. Exit 1 when a release agrees on less than the record says. This runs the engines' code; no
other part of the project does. It uses the network, about 1.5 GB of disk and half a minute a release.

KEEP=FOLDER keeps the environment there for the next run; XLLM=CLONE names a clone of xLLM, without which it is left out.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from advisor.model.knowledge import Knowledge
from tests.parsers_dump import comparison, gflags
from tests.parsers_dump.comparison import Agreement, Disagreement
from tests.parsers_dump.environments import ROOT, Environment

RECORD = ROOT / "docs" / "agreement.md"
# | vllm | 0.33.0 | 318 of 320 | 318 of 318 |
_ROW = re.compile(r"^\| (\S+) \| (\S+) \| (\d+) of \d+ \| (?:(\d+) of \d+|none) \|", re.MULTILINE)
# | vllm | `--device-ids` | kind | 0.27.1 on | a list in one word |
_REASON = re.compile(r"^\| (\S+) \| `(\S+)` \| (\w+) \| [^|]* \| ([^|]+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Compared:
    """One release: its flags, and its variables where the engine keeps a registry of them."""

    engine: str
    version: str
    flags: Agreement
    variables: Agreement | None

    def row(self) -> str:
        """The release's line in the record."""
        variables = f"{self.variables.agreed} of {self.variables.total}" if self.variables else "none"
        return f"| {self.engine} | {self.version} | {self.flags.agreed} of {self.flags.total} | {variables} |"

    def disagreements(self) -> Iterator[Disagreement]:
        """All of them, flags first."""
        yield from self.flags.disagreements
        yield from self.variables.disagreements if self.variables else ()


@cache
def settings(engine: str) -> dict[str, Any]:
    """The file that is put to the test."""
    found: dict[str, Any] = json.loads((ROOT / "knowledge" / engine / "settings.json").read_text(encoding="utf-8"))
    return found


def compared(engine: str, version: str, environment: Environment, clone: Path | None) -> Compared:
    """Knowledge of a release beside its own parser."""
    file = settings(engine)
    knowledge = Knowledge(engine, profile={}, settings=file["settings"], settings_read=tuple(file["releases_read"]))
    ours = [one for flag in knowledge.flags() if (one := knowledge.setting(flag, version)) is not None]
    variables = variables_at(engine, version)
    if engine == "xllm" and clone is not None:
        dump = gflags.dumped(clone, version)
    else:
        said = {name: one["default"] for name, one in variables.items() if one["default_known"]}
        dump = environment.dumped(engine, version, said)
    deprecations = any("deprecated" in record for records in file["settings"].values() for record in records)
    flags = comparison.flags(ours, dump["flags"], complete=dump["complete"], deprecations=deprecations)
    theirs = dump["variables"]
    return Compared(engine, version, flags, None if theirs is None else comparison.variables(variables, theirs))


def variables_at(engine: str, version: str) -> dict[str, dict[str, Any]]:
    """The variables knowledge gives a release, each with its record."""
    file = settings(engine)
    place = {one: number for number, one in enumerate(file["releases_read"])}
    return {
        name: one
        for name, records in file["environment"].items()
        for one in records
        if place[one["since"]] <= place[version] < place.get(one["until"], len(place))
    }


def recorded() -> dict[tuple[str, str], tuple[int, int]]:
    """(engine, version) -> flags and variables the record says agree."""
    rows = _ROW.findall(RECORD.read_text(encoding="utf-8"))
    return {(engine, version): (int(flags), int(variables or 0)) for engine, version, flags, variables in rows}


def reasons() -> dict[tuple[str, str, str], str]:
    """(engine, setting, aspect) -> why the two part."""
    rows = _REASON.findall(RECORD.read_text(encoding="utf-8"))
    return {(engine, name, aspect): why for engine, name, aspect, why in rows}


def report(one: Compared) -> bool:
    """Print a release's figures and disagreements; whether it agrees on at least what the record says."""
    print(one.row(), flush=True)
    known = reasons()
    for each in one.disagreements():
        print(f"    {each}\n        {known.get((one.engine, each.name, each.aspect), 'no reason in the record')}")
    left = one.flags.left_open + (one.variables.left_open if one.variables else ())
    if left:
        print(f"    left open: {', '.join(left)}")
    flags, variables = recorded().get((one.engine, one.version), (0, 0))
    kept = one.flags.agreed >= flags and (one.variables.agreed if one.variables else 0) >= variables
    if not kept:
        print(f"    LESS THAN THE RECORD: {flags} flags and {variables} variables agreed")
    return kept


def asked(words: list[str]) -> list[tuple[str, str]]:
    """The releases to compare: those named, else those of the record."""
    if len(words) > 1:
        return [(words[0], version) for version in words[1:]]
    return [(engine, version) for engine, version in recorded() if not words or engine == words[0]]


def main() -> int:
    """Compare release after release; 1 when any agrees on less than the record says."""
    clone = Path(os.environ["XLLM"]) if os.environ.get("XLLM") else None
    wanted = asked(sys.argv[1:])
    left_out = [version for engine, version in wanted if engine == "xllm" and clone is None]
    if left_out:
        print(f"xllm {' '.join(left_out)}: not compared (give XLLM=CLONE)")
        wanted = [each for each in wanted if each[0] != "xllm"]
    with tempfile.TemporaryDirectory(prefix="parsers-") as folder:
        environment = Environment(Path(os.environ.get("KEEP") or folder).resolve())
        if any(engine != "xllm" for engine, _ in wanted):
            environment.prepare()
            print("with", environment.versions())
        kept = [report(compared(engine, version, environment, clone)) for engine, version in wanted]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
