"""Clones of the upstreams on disk -> a table: is each rule's fix in at these revisions, does it apply, what conflicts.

    python -m tests.patch_check CLONE…

A development check, not a test: it needs whole clones, which it only reads. `docs/patching.md` records what it printed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from advisor.errors import AdvisorError
from advisor.jobs.patch import prepare
from advisor.jobs.patch_case import Asked
from advisor.model.patch import PatchReport

CASES = {
    "lmdeploy/mtp-dp-meta": ("v0.13.0", "0.14.0a2", "v0.14.0a2", "v0.14.0", "v0.15.0", "main"),
    "xllm/shm-h2d-graph-race": ("v0.10.0", "v0.10.1", "release/v0.10.0", "preview/v0.11.0", "main"),
    "xllm/mtp-rng-divergence": ("v0.10.1", "preview/v0.11.0", "main"),
    "any/nccl-proxy-slot-leak-arm": ("v2.28.9-1", "v2.29.2-1", "v2.29.3-1", "master"),
}


def main(clones: list[str]) -> None:
    """Print the table for every rule whose upstream is among the clones."""
    print("| rule | revision | commit | fix | in | carrying it | conflicts | s |")
    print("|---|---|---|---|---|---|---|---|")
    for clone in map(Path, clones):
        for rule, revisions in CASES.items():
            for revision in revisions:
                start = time.perf_counter()
                try:
                    report = prepare(Asked(rule, clone, revision)).report
                except AdvisorError:
                    continue  # a clone of another upstream, or without this revision
                took = time.perf_counter() - start
                for row in _rows(report):
                    print(f"| {rule} | {revision} | {report.head[:9]} | {row} | {took:.1f} |")


def _rows(report: PatchReport) -> list[str]:
    rows = []
    for one in report.patches:
        stuck = [f"{file.path} ({file.kind})" for file in one.files if file.state == "conflict"]
        name = f"#{one.pr}" if one.pr else one.commit[:9]
        rows.append(f"{name} | {one.standing} | {one.applies or 'not tried'} | {', '.join(stuck) or '-'}")
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
