"""A checkout's history -> whether it brings each change sought, by git alone.

Ancestry, picks (the same changed lines, a note of `cherry-pick -x`, a subject or a squash's list that names the pull
request) and their reverts are events; the last of them decides. A subject of the fork's own may carry a number of the
fork's own: it counts only when the commit touches a file that the change is known to touch, where one is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from git import Repo

from advisor.errors import UpstreamError
from advisor.upstream import picks
from advisor.upstream.fingerprints import places, short
from advisor.upstream.history import ask
from advisor.upstream.picks import Diff, names_any, same_change
from advisor.upstream.sought import Sought
from advisor.upstream.walk import Entry, Place, Walk, own_moves

By = Literal["git", "patch", "subject"]
_FEW = 300  # commits of its own up to which each is compared whole; above, only what touches a file of the changes
_MANY = 5000  # commits of its own that are compared at most


@dataclass(frozen=True)
class Trace:
    """Whether the history brings a change; None when it cannot tell. `says` names the commits looked at; `events` are
    all that bring it or take it back, oldest first.
    """

    held: bool | None
    by: By
    says: str
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Event:
    """A commit that brings a change or takes it back. `named`: by its words alone, which may be wrong."""

    sha: str
    brings: bool
    by: By
    says: str
    named: bool = False


class Tracer:
    """The events of each change in one walk; git is asked for patches once, for all changes."""

    def __init__(self, repo: Repo, walk: Walk, place: Place, changes: Iterable[Sought]) -> None:
        self.repo, self.walk, self.place = repo, walk, place
        self.own = {one.sha for one in place.own}
        self.full = {one: self._full(one) for one in changes}
        self.wanted = self._wanted()
        self._touched: dict[str, frozenset[str]] = {}
        self._same = self._compared()
        self._alike = self._same or {}
        self._named = self._index()

    def trace(self, change: Sought) -> Trace:
        """What the history says of one change."""
        brought = {one for one in (self.full[change], change.commit) if one}
        undone: set[str] = set()
        events: list[Event] = []
        for entry in self._candidates(change, brought):
            event = self._event(change, entry, brought, undone)
            if event is not None:
                events.append(event)
                (brought if event.brings else undone).add(entry.sha)
        if events:
            last = events[-1]
            return Trace(last.brings, last.by, last.says, tuple(events))
        return self._untraced(change)

    def _untraced(self, change: Sought) -> Trace:
        name = change.name()
        count = len(self.walk.entries)
        if self.walk.shallow:
            cut = f"the clone is shallow: {name} is not among its {count} commits, and what came before is cut off"
            return Trace(None, "git", cut)
        if self.place.base is None:
            apart = f"none of the {count} commits is known to be upstream's, so a missing {name} says nothing"
            return Trace(None, "git", apart)
        none = f"none of the {count} commits below is {name}, picks it or names it"
        compared = change in self.wanted and self._same is not None
        if self.own and not compared and not self._untouched(change):
            unseen = f"whether one of the {len(self.own)} of its own makes the same change is not known"
            lack = "they could not be compared" if change in self.wanted else f"{name} itself is not in the clone"
            return Trace(None, "git", f"{none}; {unseen}: {lack}")
        return Trace(False, "git", none)

    def _untouched(self, change: Sought) -> bool:
        """Whether no commit of its own touches a file that the change is known to touch."""
        known = self._files(change)
        return bool(known) and self._own_files is not None and known.isdisjoint(self._own_files)

    @cached_property
    def _own_files(self) -> frozenset[str] | None:
        shown = ["log", "--name-only", "--no-renames", "--no-merges", "--format="]
        try:
            listed = ask(self.repo, *shown, self.walk.entries[-1].sha, *self._stop(), "--")
        except UpstreamError:
            return None
        return frozenset(listed.split("\n"))

    def _candidates(self, change: Sought, brought: set[str]) -> list[Entry]:
        found = {one.sha: one for one in self._named.get(change.pr or -1, ())}
        found |= {one.sha: one for one in self._named[-2]}
        found |= {entry.sha: entry for sha in brought if (entry := self.walk.find(sha))}
        found |= {one.sha: one for one in self._alike.get(change, ())}
        return sorted(found.values(), key=lambda one: one.place)

    def _event(self, change: Sought, entry: Entry, brought: set[str], undone: set[str]) -> Event | None:
        sha, subject = entry.sha[:12], short(entry.subject, 80)
        if names_any([entry.sha], [one for one in (self.full[change], change.commit) if one]):
            return Event(entry.sha, True, "git", f"{sha} is below it")
        back = picks.reverted_by(entry.subject, entry.body)
        if names_any(back, brought):
            return Event(entry.sha, False, "git", f"{sha} reverts it ({subject})")
        if names_any(back, undone):
            return Event(entry.sha, True, "git", f"{sha} reverts its revert ({subject})")
        if names_any(picks.picked_from(entry.body), brought):
            return Event(
                entry.sha,
                True,
                "git",
                f"{sha} was picked from {change.name()} ({subject})",
                named=entry not in self._alike.get(change, ()),
            )
        if entry in self._alike.get(change, ()):
            return Event(entry.sha, True, "patch", f"{sha} makes the same change as {change.name()} ({subject})")
        return self._by_words(change, entry)

    def _by_words(self, change: Sought, entry: Entry) -> Event | None:
        if change.pr is None:
            return None
        told = picks.by_subject(entry.subject, change.pr)
        listed = picks.by_listing(entry.body, change.pr) if told is None else None
        brings = listed if told is None else told
        if brings is None or (entry.sha in self.own and not self._touches(change, entry)):
            return None
        if listed is not None and not self._files(change):
            return None  # a list may be a change log
        verb = "names" if brings else "takes back"
        how = "among the commits it squashes" if told is None else "in its subject"
        says = f"{entry.sha[:12]} {verb} #{change.pr} {how} ({short(entry.subject, 80)})"
        return Event(entry.sha, brings, "subject", says, named=True)

    # what git shows of the changes

    def _full(self, change: Sought) -> str | None:
        if not change.commit:
            return None
        below = self.walk.find(change.commit)
        if below:
            return below.sha
        try:
            return ask(self.repo, "rev-parse", "--quiet", "--verify", "--end-of-options", change.commit + "^{commit}")
        except UpstreamError:
            return None

    def _wanted(self) -> dict[Sought, Diff]:
        """What the changes change, where the clone has their commits and files."""
        found = {change: self._diffs("--no-walk", sha) for change, sha in self.full.items() if sha}
        return {change: next(iter(made.values())) for change, made in found.items() if made}

    def _compared(self) -> dict[Sought, list[Entry]] | None:
        """The commits of its own that make the same changes; None when too many, or their files are missing."""
        if not self.place.own or not self.wanted:
            return {}
        names = sorted({f":(glob)**/{path.rpartition('/')[2]}" for diff in self.wanted.values() for path in diff})
        asked = (self.walk.entries[-1].sha, *self._stop())
        made = self._diffs(*asked) if len(self.place.own) <= _FEW else None
        made = self._diffs(*asked, paths=names) if made is None and len(self.place.own) <= _MANY else made
        if made is None:
            return None
        own = [one for one in self.place.own if one.sha in made]
        return {
            change: [one for one in own if same_change(diff, made[one.sha])] for change, diff in self.wanted.items()
        }

    def _diffs(self, *revisions: str, paths: Iterable[str] = ()) -> dict[str, Diff] | None:
        """What the commits change; None when the clone lacks some of their files."""
        try:
            return picks.diffs(self.repo, *revisions, paths=paths)
        except UpstreamError:
            return None

    def _stop(self) -> tuple[str, ...]:
        return ("--not", *self.place.tips) if self.place.tips else ()

    def _files(self, change: Sought) -> set[str]:
        """The paths of files that the change is known to touch, as a repository or a wheel has them."""
        known = {place for path in (*change.files(), *self.wanted.get(change, ())) for place in places(path)}
        for old, new in self._moves:
            known |= {new} if old in known else set()
        return known

    @cached_property
    def _moves(self) -> list[tuple[str, str]]:
        return own_moves(self.repo, self.walk.entries[-1].sha, self.place)

    def _touches(self, change: Sought, entry: Entry) -> bool:
        known = self._files(change)
        if not known:
            return True
        if entry.sha not in self._touched:
            listing = ("--no-commit-id", "--name-only", "--no-renames", "-r", "-m", "--root")
            shown = ask(self.repo, "diff-tree", *listing, entry.sha)
            self._touched[entry.sha] = frozenset(shown.split("\n"))
        return not known.isdisjoint(self._touched[entry.sha])

    def _index(self) -> dict[int, list[Entry]]:
        """The commits whose words name a pull request sought, by its number; under -2 those that name other commits."""
        numbers = sorted({one.pr for one in self.full if one.pr is not None})
        named: dict[int, list[Entry]] = {-2: []}
        found = re.compile(rf"(?:#|/pull/)({'|'.join(map(str, numbers))})\b") if numbers else None
        for entry in self.walk.entries:
            if "This reverts commit" in entry.body or "(cherry picked from" in entry.body:
                named[-2].append(entry)
            for number in set(found.findall(f"{entry.subject}\n{entry.body}")) if found else ():
                named.setdefault(int(number), []).append(entry)
        return named
