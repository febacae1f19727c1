"""Run the command line as a user does: a process of its own, with arguments, standard input and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What came of one run."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The report, when JSON was asked for."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def finding(self, rule: str) -> dict[str, Any]:
        """The report's finding of `rule`; fails when there is none."""
        found = [one for one in self.report["findings"] if one["rule"] == rule]
        assert found, f"{rule} is not among {[one['rule'] for one in self.report['findings']]}"
        return dict(found[0])

    def statuses(self) -> dict[str, str]:
        """Status by rule, in the report's order."""
        return {one["rule"]: one["status"] for one in self.report["findings"]}


def advisor(*arguments: str, stdin: str | bytes = "", cwd: Path | None = None, columns: int = 100) -> Ran:
    """Run `advisor` with these arguments."""
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": str(columns), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def checked(*arguments: str, stdin: str | bytes = "") -> Ran:
    """`advisor check … --format json`."""
    return advisor("check", *arguments, "--format", "json", stdin=stdin)


def assert_leads(ran: Ran, rule: str, status: str = "matched") -> None:
    """The first finding is `rule`, with this status."""
    assert list(ran.statuses().items())[:1] == [(rule, status)], ran.statuses()


def assert_quiet(ran: Ran, rule: str | None = None) -> None:
    """`rule` (or anything at all) is not matched."""
    assert not [one for one, status in ran.statuses().items() if status == "matched" and rule in (None, one)]


def assert_asks(ran: Ran, *parts: str) -> None:
    """The report's questions hold these texts, in this order."""
    asked = [f"{one['question']} {one['how']}" for one in ran.report["questions"]]
    place = 0
    for part in parts:
        found = [index for index in range(place, len(asked)) if part in asked[index]]
        assert found, f"{part!r} is not asked (in this order): {asked}"
        place = found[0]
