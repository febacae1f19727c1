"""A clone's release tags and released files -> which releases hold a fix, each witness by itself.

``Tags`` looks for the commit, or a pick of it, below each release tag. ``Contents`` looks for a fingerprint in the
released wheel, or in the tag's tree when the package index lacks the version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from git import Repo

from advisor.errors import UpstreamError
from advisor.upstream import picks, wheels
from advisor.upstream.fix_entries import Fix
from advisor.upstream.history import Tag, Upstream, ask, day_of, main_ref, release_tags
from advisor.upstream.picks import Diff, names_any, same_change


class Shelf(Protocol):
    """The released files of a package, as ``wheels.Index`` gives them."""

    def released(self, package: str) -> list[wheels.Release]: ...
    def names(self, package: str, version: str) -> list[str]: ...
    def read(self, package: str, version: str, path: str) -> bytes: ...


class Tags:
    """What a clone's release tags hold."""

    def __init__(self, repo: Repo, upstream: Upstream) -> None:
        self.repo, self.main = repo, main_ref(repo, upstream.branch)
        self.tags = release_tags(repo, upstream)
        self.horizon = self._day(self.main)
        self._branches: dict[str, list[tuple[str, str, str]]] = {}
        self._patches: dict[str, dict[str, Diff]] = {}

    def commit_of(self, fix: Fix) -> str | None:
        """The full commit in this clone, None when it is not there or the prefix names several."""
        try:
            return ask(self.repo, "rev-parse", "--quiet", "--verify", fix.commit + "^{commit}")
        except UpstreamError:
            return None

    def dated(self, fix: Fix) -> Fix:
        """The fix with the earliest day it can have been merged: the rule's or its commit's."""
        commit = self.commit_of(fix)
        known = [day for day in (fix.merged, self._day(commit) if commit else "") if day]
        return replace(fix, merged=min(known, default=""))

    def holding(self, fix: Fix) -> tuple[dict[str, bool], list[str]]:
        """Which versions' tags hold the fix, as far as the clone can tell, and a note on each that also reverts it."""
        commit = self.commit_of(fix)
        containing = self._containing(commit) if commit else set()
        undone = {tag: revert for revert in self._reverts(fix, commit) for tag in self._containing(revert)}
        told, notes = {}, []
        for tag in self.tags:
            older = bool(fix.merged) and tag.day < fix.merged
            holds = tag.name in containing or (not older and self._picked(fix, commit, tag))
            if holds and tag.name in undone:
                notes.append(f"{tag.version} holds the commit and its revert {undone[tag.name][:12]}")
            elif holds or commit:
                told[tag.version] = holds
        return told, notes

    def descended(self, fix: Fix, versions: Iterable[str]) -> list[str]:
        """The versions newer than every tag here, when main and the newest tag contain the commit; else none.

        A later release leaves main later, or continues the newest tag's branch: both ways it descends from the commit.
        """
        commit = self.commit_of(fix)
        newest = max(self.tags, key=lambda tag: wheels.release_order(tag.version), default=None)
        if not commit or not newest or newest.name not in self._containing(commit):
            return []
        if self._reverts(fix, commit) or not ask(self.repo, "for-each-ref", f"--contains={commit}", self.main):
            return []
        last = wheels.release_order(newest.version)
        return [version for version in versions if wheels.release_order(version) > last]

    def mismatch(self, fix: Fix) -> list[str]:
        """A complaint when the commit's subject names pull requests and not the one the rule gives."""
        commit = self.commit_of(fix)
        subject = ask(self.repo, "log", "-1", "--format=%s", commit, "--") if commit else ""
        named = re.findall(r"\(#(\d+)\)", subject)
        wrong = fix.pr is not None and named and str(fix.pr) not in named
        return [f"{fix.key}: {fix.commit[:12]} is of #{named[-1]} ({fix.where})"] if wrong else []

    def text(self, version: str, path: str) -> str | None:
        """A file of the tag's tree, None when the tag or the file is not there."""
        for tag in reversed(self.tags):
            if tag.version == version:
                try:
                    return ask(self.repo, "show", f"{tag.commit}:{path}")
                except UpstreamError:
                    return None
        return None

    def _containing(self, commit: str) -> set[str]:
        return set(ask(self.repo, "tag", "--contains", commit).split())

    def _day(self, ref: str) -> str:
        return day_of(int(ask(self.repo, "log", "-1", "--format=%ct", ref, "--")))

    def _reverts(self, fix: Fix, commit: str | None) -> list[str]:
        asked = [f'--grep=^Revert ".*(#{fix.pr}).*"'] if fix.pr else []
        asked += [f"--grep=This reverts commit {commit}"] if commit else []
        if not asked:
            return []
        named = _messages(self.repo, "--tags", self.main, *asked)
        return [sha for sha, subject, body in named if self._undoes(fix, commit, subject, body)]

    def _undoes(self, fix: Fix, commit: str | None, subject: str, body: str) -> bool:
        told = picks.by_subject(subject, fix.pr) if fix.pr else None
        return told is False or names_any(picks.reverted_by(subject, body), [commit] if commit else [])

    def _picked(self, fix: Fix, commit: str | None, tag: Tag) -> bool:
        for _, subject, body in self._branch(tag):
            if fix.pr and picks.by_subject(subject, fix.pr):
                return True
            if names_any(picks.picked_from(body), [commit or fix.commit]):
                return True
        wanted = self._diffs(f"{commit}^!").values() if commit else ()
        return any(same_change(one, other) for one in wanted for other in self._diffs(*self._off_main(tag)).values())

    def _off_main(self, tag: Tag) -> tuple[str, ...]:
        return (tag.commit, "--not", self.main)

    def _branch(self, tag: Tag) -> list[tuple[str, str, str]]:
        if tag.name not in self._branches:
            self._branches[tag.name] = _messages(self.repo, *self._off_main(tag))
        return self._branches[tag.name]

    def _diffs(self, *commits: str) -> dict[str, Diff]:
        asked = " ".join(commits)
        if asked not in self._patches:
            self._patches[asked] = picks.diffs(self.repo, *commits)
        return self._patches[asked]


def _messages(repo: Repo, *revisions: str) -> list[tuple[str, str, str]]:
    """Commit, subject and body of each of the revisions."""
    printed = ask(repo, "log", "--format=%H%x00%s%x00%b%x01", *revisions, "--")
    parts = [part.lstrip("\n").split("\0", 2) for part in printed.split("\x01")]
    return [(part[0], part[1], part[2]) for part in parts if len(part) == 3]


class Contents:
    """What released files show: wheels where the package index has the version, else the tag's tree."""

    def __init__(self, upstream: Upstream, shelf: Shelf, tags: Tags | None) -> None:
        self.package, self.shelf, self.tags = upstream.package, shelf, tags
        listed = shelf.released(upstream.package) if upstream.package else []
        self.on_index = {release.version for release in listed}
        days = {tag.version: tag.day for tag in tags.tags} if tags else {}
        days |= {release.version: release.date for release in listed if release.date}
        self.days = {version: days[version] for version in sorted(days, key=wheels.release_order)}

    def show(self, fixes: Sequence[Fix]) -> dict[str, dict[str, bool]]:
        """What the fingerprints show: fix's key -> version -> held.

        Releases of before the merge are not read, but for the last of them: there a fingerprint must not show the fix.
        """
        wanted = {fix.key: self._worth_reading(fix) for fix in fixes if fix.fingerprints}
        shown: dict[str, dict[str, bool]] = {key: {} for key in wanted}
        for version in self.days:  # release by release, so that a wheel's table of contents is fetched once
            for fix in fixes:
                if version in wanted.get(fix.key, ()):
                    shown[fix.key] |= self._shown(fix, version)
        return shown

    def _worth_reading(self, fix: Fix) -> set[str]:
        older = [version for version, day in self.days.items() if fix.merged and day < fix.merged]
        last = max(older, key=lambda version: self.days[version], default=None)
        return set(self.days) - set(older) | ({last} if last else set())

    def _shown(self, fix: Fix, version: str) -> dict[str, bool]:
        found = set()
        for mark in fix.fingerprints:
            text = self._text(version, mark.file)
            if text is not None:
                found.add((mark.text in text) == mark.present)
        if len(found) > 1:
            raise UpstreamError(f"{fix.key}: its fingerprints contradict each other in {version}", fix.where)
        return {version: found.pop()} if found else {}

    def _text(self, version: str, path: str) -> str | None:
        # A tree's python/sglang/srt/… is sglang/srt/… in the wheel; a rule may name either.
        bare = path.removeprefix("python/")
        if self.package and version in self.on_index:
            names = {path, bare} & set(self.shelf.names(self.package, version))
            return self.shelf.read(self.package, version, max(names)).decode("utf-8", "replace") if names else None
        texts = (self.tags.text(version, name) for name in (path, f"python/{bare}")) if self.tags else ()
        return next((text for text in texts if text is not None), None)
