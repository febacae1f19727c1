"""Rules -> the upstream changes to look for in a build's own history and files.

Every fix that a rule names and every commit or pull request at an end of an `affected` range, in one repository; what
several rules name is looked for once, with the fingerprints of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from advisor.model.build import same_commit
from advisor.model.rule import Fingerprint, Rule


@dataclass(frozen=True)
class Sought:
    """An upstream change; `merged` is ISO text, "" when no rule says. Commit or pull request is always known."""

    repo: str
    commit: str | None
    pr: int | None
    merged: str = ""
    fingerprints: tuple[Fingerprint, ...] = ()

    def name(self) -> str:
        """The change in a word: `#4741`, or its commit."""
        return f"#{self.pr}" if self.pr is not None else (self.commit or "")[:12]

    def is_same(self, other: Sought) -> bool:
        """Whether both name one change: by pull request, else by commit."""
        if self.pr is not None and other.pr is not None:
            return self.pr == other.pr
        return bool(self.commit and other.commit and same_commit(self.commit, other.commit))

    def files(self) -> tuple[str, ...]:
        """The files its fingerprints name."""
        return tuple(dict.fromkeys(one.file for one in self.fingerprints))


def changes_sought(rules: Iterable[Rule], repo: str, repo_of: Callable[[str], str | None]) -> tuple[Sought, ...]:
    """What the rules name in `repo`, in their order; `repo_of` gives the repository of an engine or component."""
    found: list[Sought] = []
    for one in (one for rule in rules for one in _named(rule, repo_of) if one.repo == repo):
        place = next((index for index, other in enumerate(found) if other.is_same(one)), None)
        if place is None:
            found.append(one)
        else:
            found[place] = _joined(found[place], one)
    return tuple(found)


def _named(rule: Rule, repo_of: Callable[[str], str | None]) -> Iterator[Sought]:
    for fix in rule.fixes:
        if fix.commit or fix.pr is not None:
            marks = (fix.fingerprint,) if fix.fingerprint else ()
            yield Sought(fix.repo, fix.commit, fix.pr, fix.merged or "", marks)
    for entry in rule.affected:
        repo = repo_of(entry.component or rule.engine) or ""
        for edge in (entry.introduced, entry.fixed):
            if edge is not None and (edge.commit or edge.pr is not None):
                yield Sought(repo, edge.commit, edge.pr, edge.date or "")


def _joined(one: Sought, other: Sought) -> Sought:
    return replace(
        one,
        commit=max(filter(None, (one.commit, other.commit)), key=len, default=None),
        pr=one.pr if one.pr is not None else other.pr,
        merged=min(filter(None, (one.merged, other.merged)), default=""),
        fingerprints=tuple(dict.fromkeys(one.fingerprints + other.fingerprints)),
    )
