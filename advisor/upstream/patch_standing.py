"""A revision of a clone and commits -> is each in, and how that is known.

The answer is `checkout`'s, the same that `--repo` gives a check; it is asked of the store, which has the objects of the
clone and none of its configuration. Where history and content contradict each other the answer is unknown, and trying
to merge the commit tells more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.model.build import Holding
from advisor.model.knowledge import Knowledge
from advisor.upstream.checkout import Checkout, found_in
from advisor.upstream.history import opened
from advisor.upstream.patch_store import Store
from advisor.upstream.sought import Sought


@dataclass(frozen=True)
class Standing:
    """Whether a revision has the commit, and how that is known; `by` is what told it, "" where nothing did."""

    held: Literal["yes", "no", "unknown"]
    how: str
    by: Literal["files", "history", "both", ""] = ""


def standings(store: Store, head: str, engine: str, known: Knowledge, sought: Sequence[Sought]) -> list[Standing]:
    """Is each in at the revision? In the order asked."""
    repo = opened(store.path)
    try:
        found = found_in(Checkout(store.path, repo, head, head, engine), known, sought).build.holdings
    finally:
        repo.close()
    return [_joined([one for one in found if (one.commit, one.pr) == (two.commit, two.pr)]) for two in sought]


def _joined(holdings: Sequence[Holding]) -> Standing:
    """Content outweighs history, but for a text that is gone again."""
    told = [one for one in holdings if one.held is not None]
    says = "; ".join(one.says for one in told or holdings) or "neither its history nor its files tell"
    if not told:
        return Standing("unknown", says)
    content = [one.held for one in told if one.by == "fingerprint"]
    history = [one.held for one in told if one.by != "fingerprint"]
    if history == [True] and content == [False]:
        return Standing("unknown", f"its history says that it is, its files that it is not: {says}", "both")
    by: Literal["files", "history", "both"] = "both" if content and history else "files" if content else "history"
    return Standing("yes" if (content or history)[0] else "no", says, by)
