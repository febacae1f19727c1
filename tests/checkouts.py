"""Every release tag of real clones, judged as if it were a user's checkout, against what knowledge lists.

    python -m tests.checkouts CLONE...

A development check: it needs clones and takes half a minute for one of vLLM. Prints the agreement and the slowest tag.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from advisor.catalog.engines import knowledge
from advisor.errors import AdvisorError
from advisor.jobs.locating import repository
from advisor.match.holdings import seen
from advisor.model.build import same_commit
from advisor.model.knowledge import FixRecord, Knowledge
from advisor.model.rule import Boundary
from advisor.upstream.history import UPSTREAMS, opened, release_tags


def record_of(known: Knowledge, commit: str | None, pr: int | None) -> FixRecord | None:
    """What knowledge lists of a change."""
    by_key = known.fixes.get(f"{known.profile['repo']}#{pr}")
    listed = (one for one in known.fixes.values() if one.commit and commit and same_commit(one.commit, commit))
    return by_key or next(listed, None)


def compare(clone: Path) -> Counter[str]:
    """How many answers agree with knowledge, for every change that it lists and every tag."""
    engine = repository(clone).build.engine
    known, counted, slowest = knowledge(engine), Counter[str](), (0.0, "")
    started = time.perf_counter()
    for tag in release_tags(opened(clone), UPSTREAMS[engine]):
        start = time.perf_counter()
        try:
            build = repository(clone, engine, tag.name).build
        except AdvisorError as error:
            print(f"  {tag.name}: {error.line()}")
            continue
        slowest = max(slowest, (time.perf_counter() - start, tag.name))
        counted["tags"] += 1
        for commit, pr in {(one.commit, one.pr) for one in build.holdings}:
            record = record_of(known, commit, pr)
            holding = seen(build, Boundary(commit=commit, pr=pr), known)
            if record is None or tag.version not in (*record.held_by, *record.lacked_by):
                continue
            says = None if holding is None else holding.held
            agrees = "open" if says is None else "agree" if says == (tag.version in record.held_by) else "disagree"
            counted[agrees] += 1
            if agrees == "disagree":
                print(f"  {tag.version} #{pr}: {holding and holding.says}")
    took = time.perf_counter() - started
    print(f"{engine}: {dict(counted)} in {took:.1f} s, the slowest {slowest[0]:.2f} s ({slowest[1]})")
    return counted


if __name__ == "__main__":
    sys.exit(any(compare(Path(clone))["disagree"] for clone in sys.argv[1:]))
