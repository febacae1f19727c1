"""A rule's fixes -> the commits to carry, each with what it is for, and the fixes left out with the reason.

Taken are the merged fixes that are more than partial, with all they need; where a rule has none such, its first partial
one. `--fix` names others. A fix that is open, closed or only in a fork is never taken: there is no commit to stand for.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from advisor.catalog.engines import profiles
from advisor.errors import UsageError
from advisor.model.build import same_commit
from advisor.model.rule import Fingerprint, Fix, Need, Rule


@dataclass(frozen=True)
class Step:
    """One commit to carry: `why` is what the fix does, or what it is needed for."""

    repo: str
    commit: str
    role: Literal["fix", "needed"]
    why: str
    pr: int | None = None
    merged: str = ""
    fingerprint: Fingerprint | None = None

    def fingerprints(self) -> tuple[Fingerprint, ...]:
        """Its marks in the engine's files: one or none."""
        return (self.fingerprint,) if self.fingerprint else ()

    @property
    def url(self) -> str:
        """Where it was discussed, else the commit."""
        return f"https://github.com/{self.repo}/" + (f"pull/{self.pr}" if self.pr else f"commit/{self.commit}")


@dataclass(frozen=True)
class Choice:
    """The steps, what is needed before what needs it; their repository; and why other fixes are left out."""

    repo: str
    steps: tuple[Step, ...]
    left_out: tuple[str, ...]


def chosen(rule: Rule, named: Sequence[str] = ()) -> Choice:
    """The commits to carry for a rule. Raises UsageError when `named` names no fix of it, or one not to be had."""
    taken = [_named(rule, name) for name in named] if named else _usual(rule)
    repo = taken[0].repo if taken else rule.fixes[0].repo if rule.fixes else ""
    taken = [fix for fix in taken if fix.repo == repo]
    steps: dict[str, Step] = {}
    for fix in taken:
        for step in (*(_needed(need, fix, rule) for need in fix.needs), _step(fix)):
            known = steps.get(step.commit)
            steps[step.commit] = step if known is None or step.role == "fix" else known
    left = [fix for fix in rule.fixes if fix not in taken and fix.commit not in steps]
    return Choice(repo, tuple(steps.values()), tuple(f"{fix.key()}: {_why_not(fix, repo)}" for fix in left))


def _usual(rule: Rule) -> list[Fix]:
    ready = [fix for fix in rule.fixes if _to_be_had(fix)]
    whole = [fix for fix in ready if fix.completeness != "partial"]
    return whole or ready[:1]


def _to_be_had(fix: Fix) -> bool:
    return fix.state == "merged" and fix.commit is not None


def _named(rule: Rule, name: str) -> Fix:
    number = name.rpartition("#")[2]
    for fix in rule.fixes:
        if number == str(fix.pr) or (fix.commit and same_commit(fix.commit, name)):
            if not _to_be_had(fix):
                raise UsageError(f"{fix.key()} cannot be carried: {_why_not(fix, fix.repo)}", f"--fix {name}")
            return fix
    known = ", ".join(str(fix.pr or fix.commit) for fix in rule.fixes) or "none"
    raise UsageError(f"no fix of {rule.id} is named so", f"--fix {name}", f"its fixes: {known}")


def _step(fix: Fix) -> Step:
    return Step(fix.repo, fix.commit or "", "fix", fix.what, fix.pr, fix.merged or "", fix.fingerprint)


def _needed(need: Need, fix: Fix, rule: Rule) -> Step:
    """A need; where the rule has a fix of the same commit, with what that fix knows of it."""
    same = next((one for one in rule.fixes if one.commit and same_commit(one.commit, need.commit)), None)
    step = Step(need.repo or fix.repo, need.commit, "needed", need.why, need.pr)
    return replace(step, merged=same.merged or "", fingerprint=same.fingerprint) if same else step


def _why_not(fix: Fix, repo: str) -> str:
    if fix.state == "fork":
        return f"only in the fork {fix.repo}{'' if fix.commit else '; its commit is not known'}"
    if fix.state != "merged":
        return f"its pull request is {fix.state}, not merged"
    if fix.commit is None:
        return "its commit is not known"
    if fix.repo != repo:
        return f"of another repository; take it with --fix {fix.pr or fix.commit[:12]}"
    return f"{fix.completeness}; take it with --fix {fix.pr or fix.commit[:12]}"


def fetch_command(missing: Sequence[Step], clone: Path | None) -> str:
    """The command that brings commits that no clone given has; into a clone yet to be made when `clone` is None."""
    repo = missing[0].repo
    whole = all(len(step.commit) == 40 for step in missing)
    branch = next((str(one.get("branch") or "main") for one in profiles().values() if one.get("repo") == repo), "main")
    asked = " ".join(step.commit for step in missing) if whole else branch  # a server names no commit by a prefix
    if clone is None:
        return f"git clone https://github.com/{repo}.git"
    return f"git -C {shlex.quote(str(clone))} fetch https://github.com/{repo}.git {asked}"
