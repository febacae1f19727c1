"""`make quality`: how good the answers are, measured.

Always: the rules' own cases, and how much of the log excerpts is understood. With `REPORTS=file.jsonl CATALOGUE=file.yaml` also labelled user reports (keys as for
`advisor check --batch` plus `truth`, the catalogue id of the failure or null); a catalogue entry belongs to the rule
that refers to one of its threads.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from advisor.jobs.batch import KEYS, request
from advisor.jobs.check import check
from advisor.jobs.judging import catalogue
from advisor.jobs.rule_checks import test_rules as run_cases
from advisor.model.report import Report
from tests import excerpts

SHOWN = ("matched", "likely", "possible")


def rule_of() -> dict[str, str]:
    """Upstream thread URL -> rule id, for the threads that a rule calls its own report or fix, or an alias."""
    return {
        f"https://github.com/{repo}/{kind}/{number}": rule.id
        for rule in catalogue()
        for repo, _, number in (alias.partition("#") for alias in rule.aliases)
        for kind in ("issues", "pull")
    }


def truths(path: Path) -> dict[str, str | None]:
    """Catalogue id -> rule id, None where no rule covers the failure yet."""
    from ruamel.yaml import YAML

    threads = rule_of()
    return {
        entry["id"]: next((threads[url] for url in entry["threads"] if url in threads), None)
        for entry in YAML(typ="safe").load(path)
    }


def judge(lines: list[dict[str, Any]], rules: dict[str, str | None]) -> None:
    """Print the figures over labelled reports."""
    count: Counter[str] = Counter()
    for line in lines:
        report = check(request({key: str(line.get(key) or "") for key in KEYS})).report
        expected = rules.get(line["truth"]) if line["truth"] else None
        kind = "covered" if expected else "not covered" if line["truth"] else "no known failure"
        count[kind] += 1
        verdict = outcome(report, expected)
        count[f"{kind}: {verdict}"] += 1
        if verdict in ("wrong rule matched", "missed") or (expected and verdict != "leads as matched"):
            lead = report.findings[0] if report.findings else None
            print(
                f"  {line['id']}: {verdict}; expected {expected}, leads {lead.rule + ' ' + lead.status if lead else 'nothing'}"
            )
    for key in sorted(count):
        print(f"{key:<45} {count[key]}")


def outcome(report: Report, expected: str | None) -> str:
    """What became of one labelled report."""
    shown = [one for one in report.findings if one.status in SHOWN]
    if any(one.status == "matched" and one.rule != expected for one in shown):
        return "wrong rule matched"
    if expected is None:
        return "quiet" if not shown else "only likely or possible"
    if shown and shown[0].rule == expected:
        return f"leads as {shown[0].status}"
    if any(one.rule == expected for one in report.findings):
        return "shown, does not lead"
    return "missed"


def main() -> None:
    """Print every figure there is input for."""
    print("rule cases:", run_cases().lines[-1])
    share, files = excerpts.total()
    print(f"log excerpts: {share.percent:.1f} % of {share.lines} lines in {files} files understood")
    reports, known = os.environ.get("REPORTS"), os.environ.get("CATALOGUE")
    if not reports or not known:
        print("labelled reports: not measured (give REPORTS=file.jsonl CATALOGUE=file.yaml)")
        return
    lines = [json.loads(line) for line in Path(reports).read_text(encoding="utf-8").splitlines() if line.strip()]
    judge(lines, truths(Path(known)))


if __name__ == "__main__":
    main()
