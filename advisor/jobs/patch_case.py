"""One run of `advisor patch`: what was asked, the commits to carry, and the store they are looked up in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import UpstreamError, UsageError
from advisor.jobs.patch_choice import Choice, Step
from advisor.model.patch import PatchReport
from advisor.model.rule import Rule
from advisor.upstream.patch_change import Change, change
from advisor.upstream.patch_store import Clone, Store


@dataclass(frozen=True)
class Asked:
    """What the user asked for. `site` is None when no installed package is asked about, "" for this Python's."""

    rule: str
    repo: Path | None = None
    ref: str = "HEAD"
    source: Path | None = None
    fixes: tuple[str, ...] = ()
    apply: bool = False
    branch: str = ""
    site: str | None = None
    output: Path | None = None


@dataclass(frozen=True)
class Prepared:
    """The report, and what can be written: file name -> mail, in order; an installed package's Python-only patch."""

    report: PatchReport
    mails: tuple[tuple[str, bytes], ...] = ()
    python_patch: bytes = b""


@dataclass(frozen=True)
class Case:
    """The rule, what is to be carried, and where; `head` is "" when no clone of the build is given.

    `store` has no object at all when no clone is given.
    """

    asked: Asked
    rule: Rule
    choice: Choice
    store: Store
    clone: Clone | None
    head: str

    @property
    def slug(self) -> str:
        """The rule's name without its engine."""
        return self.rule.id.partition("/")[2]

    def change(self, step: Step) -> Change | None:
        """The step's change, None when no clone has it. Raises UsageError when its prefix names several commits."""
        found = self.store.commits(step.commit)
        if len(found) > 1:
            raise UsageError(f"{step.commit} names {len(found)} commits in the clone", None, ", ".join(found))
        return change(self.store, found[0]) if found else None

    def at_hand(self, step: Step) -> Change | None:
        """The step's change; None as well where a shallow clone has it without the commit before it."""
        try:
            return self.change(step)
        except UpstreamError:
            return None

    def series(self, steps: Sequence[Step]) -> dict[Step, Change]:
        """The changes at hand, in the order to carry them.

        The order is upstream's where one commit is built on another, else the rule's: a need before what needs it.
        """
        found = {step: self.at_hand(step) for step in steps}
        ordered: list[tuple[Step, Change]] = []
        for step, one in found.items():
            if one is not None:
                ordered.insert(self._place(one, ordered), (step, one))
        return dict(ordered)

    def _place(self, one: Change, ordered: Sequence[tuple[Step, Change]]) -> int:
        later = (at for at, (_, other) in enumerate(ordered) if self.store.is_ancestor(one.commit, other.commit))
        return next(later, len(ordered))

    def report(self) -> PatchReport:
        """The answer before anything was tried: there is no patch, for all that the rule knows."""
        why = self.rule.no_fix or "no fix of this rule is merged upstream with a commit known."
        return PatchReport(
            rule=self.rule.id,
            summary=self.rule.summary,
            repo=str(self.asked.repo or ""),
            ref=self.asked.ref if self.asked.repo else "",
            head=self.head,
            upstream=self.choice.repo,
            verdict="none",
            headline=f"There is no patch to carry. {why}",
            left_out=self.choice.left_out,
        )
