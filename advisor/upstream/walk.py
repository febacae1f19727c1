"""One `git log` of a clone, and what is known of upstream -> where a checkout stands, and which commits are its own.

    0.25.1+312.g752a3a504       upstream's release below, the commits since it left main, the commit
    0.29.0+g4f819f801           the same where the clone known lacks that release's tag: it is placed by its date
    base                        the newest commit below it that is on upstream's main, as far as that is known
    own                         commits below it that are neither on upstream's main nor below an upstream release

A young clone of upstream goes on beyond the history known here: commits that look like upstream's merges are told
apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from git import Repo

from advisor.errors import UpstreamError
from advisor.model.build import order_key
from advisor.model.knowledge import Commit, Knowledge, Tag
from advisor.upstream import history
from advisor.upstream.history import UPSTREAMS, ask

_FIELDS = "%H%x00%P%x00%cn%x00%s%x00%b%x01"


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit; `place` grows from the oldest on, parents before children."""

    sha: str
    parents: tuple[str, ...]
    committer: str
    subject: str
    body: str
    place: int


@dataclass
class Walk:
    """Every commit below one commit, oldest first."""

    entries: list[Entry]
    shallow: bool = False
    _places: dict[str, Entry] = field(default_factory=dict, repr=False)
    _heads: dict[str, list[Entry]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._places = {one.sha: one for one in self.entries}
        for one in self.entries:
            self._heads.setdefault(one.sha[:7], []).append(one)

    def find(self, sha: str) -> Entry | None:
        """The commit with this prefix; None when it is not below, or the prefix names several."""
        found = [one for one in self._heads.get(sha[:7], ()) if one.sha.startswith(sha)] if len(sha) >= 7 else []
        return found[0] if len(found) == 1 else None

    def cover(self, sha: str, covered: set[str]) -> None:
        """Add a commit and all below it to `covered`, which already holds whatever is below its members."""
        waiting = [sha]
        while waiting:
            one = waiting.pop()
            if one in self._places and one not in covered:
                covered.add(one)
                waiting += self._places[one].parents

    def line(self, sha: str) -> list[Entry]:
        """The commit and its first parents, newest first."""
        found = []
        entry = self._places.get(sha)
        while entry is not None:
            found.append(entry)
            entry = self._places.get(entry.parents[0]) if entry.parents else None
        return found


@dataclass(frozen=True)
class Place:
    """Where a checkout stands. `base` and `version` are None when no commit below it is known to be upstream's.

    `version` is upstream's release below, `exact` when the checkout is that release itself; `since` counts the commits
    after it left main, None when it is placed by its date. `tips` are the upstream commits that everything upstream
    below it is below; `young` counts commits that look like upstream's own merges after the history known here.
    """

    base: Commit | None
    version: str | None
    exact: bool
    since: int | None
    own: tuple[Entry, ...]
    young: int
    tips: tuple[str, ...]


def walked(repo: Repo, sha: str) -> Walk:
    """The history below a commit, read with one git process."""
    printed = ask(repo, "log", "--topo-order", "--reverse", "--no-show-signature", f"--format={_FIELDS}", sha, "--")
    entries: list[Entry] = []
    for part in printed.split("\x01"):
        texts = part.lstrip("\n").split("\0", 4)
        if len(texts) == 5:
            sha_of, parents, committer, subject, body = texts
            entries.append(Entry(sha_of, tuple(parents.split()), committer, subject, body, len(entries)))
    return Walk(entries, ask(repo, "rev-parse", "--is-shallow-repository") == "true")


def own_moves(repo: Repo, sha: str, place: Place) -> list[tuple[str, str]]:
    """The files that its own commits moved, as old and new path, oldest first; none where the clone lacks objects."""
    if not place.own or not place.tips:
        return []
    shown = ["log", "--reverse", "-M50%", "--diff-filter=R", "--name-status", "-z", "--format=", "--no-merges"]
    try:
        listed = ask(repo, *shown, "-n", "2000", sha, "--not", *place.tips, "--")
    except UpstreamError:
        return []
    parts = [part.strip("\n") for part in listed.split("\0")]
    return [(parts[at + 1], parts[at + 2]) for at in range(len(parts) - 2) if re.fullmatch(r"R\d+", parts[at])]


def placed(walk: Walk, sha: str, knowledge: Knowledge) -> Place:
    """Where the commit stands on the upstream history that `knowledge` holds."""
    covered: set[str] = set()
    tips, below = [], [tag for tag in knowledge.tags.values() if walk.find(tag.commit)]
    ends = {tag.commit for tag in below}
    base: Commit | None = None
    for entry in reversed(walk.entries):
        if entry.sha in covered:
            continue
        found = knowledge.history.find(entry.sha)
        if found or entry.sha in ends:
            tips.append(entry.sha)
            walk.cover(entry.sha, covered)
        if found and (base is None or found.position > base.position):
            base = found
    base = base or _newest(below, knowledge)
    own = [one for one in walk.entries if one.sha not in covered]
    young = _young(walk, sha, own, base, knowledge)
    own = [one for one in own if one.sha not in young]
    version, tag = _nearest(walk, below, base, knowledge)
    since = _since(walk, tag) if tag else None
    return Place(base, version, bool(tag and tag.commit == sha), since, tuple(own), len(young), tuple(tips))


def _newest(tags: list[Tag], knowledge: Knowledge) -> Commit | None:
    """The newest commit of main that a release below left main at."""
    left = [found for tag in tags if tag.main and (found := knowledge.history.find(tag.main))]
    return max(left, key=lambda one: one.position, default=None)


def _young(walk: Walk, sha: str, own: list[Entry], base: Commit | None, knowledge: Knowledge) -> set[str]:
    """First parents after the newest commit known that GitHub merged under numbers like upstream's, from there on."""
    last = knowledge.history.last()
    if base is None or last is None or base.position != last.position:
        return set()
    mine, found = {one.sha for one in own}, set()
    largest = last.pr or base.pr or 0
    for entry in reversed([one for one in walk.line(sha) if one.sha in mine]):
        told = history.Commit(entry.sha, None, 0, entry.committer, entry.subject)
        if not told.is_merge_of_upstream(largest):
            break
        found.add(entry.sha)
    return found


def _nearest(walk: Walk, below: list[Tag], base: Commit | None, knowledge: Knowledge) -> tuple[str | None, Tag | None]:
    """The release with the fewest commits after it, of those below that left main where the checkout did.

    Else the newest that left main, or was out, before; its tag is None when only its date places it.
    """
    upstream = UPSTREAMS.get(knowledge.engine)

    def left(tag: Tag) -> int:
        found = knowledge.history.find(tag.main) if tag.main else None
        return found.position if found else -1

    known = [tag for tag in knowledge.tags.values() if upstream is None or upstream.version(tag.name)]
    direct = [tag for tag in below if tag in known and (base is None or left(tag) >= base.position)]
    passed = [tag for tag in known if tag in below or (base is not None and 0 <= left(tag) <= base.position)]
    if direct:
        near = min(_since(walk, tag) or 0 for tag in direct)
        direct = [tag for tag in direct if (_since(walk, tag) or 0) == near]
    tags = {_version(tag): tag for tag in direct or passed}
    out = (
        [one.version for one in knowledge.releases if base and one.date and one.date < base.date] if not direct else []
    )
    version = max([*tags, *out], key=order_key, default=None)
    return version, tags.get(version or "")


def _since(walk: Walk, tag: Tag) -> int | None:
    start = walk.find(tag.commit) or (walk.find(tag.main) if tag.main else None)
    if start is None:
        return None
    covered: set[str] = set()
    walk.cover(start.sha, covered)
    return len(walk.entries) - len(covered)


def _version(tag: Tag) -> str:
    return tag.name.removeprefix("v")


def described(place: Place, sha: str) -> str | None:
    """The checkout as a version, `0.25.1` or `0.25.1+312.g752a3a504`; None when no release is known below it."""
    if place.version is None or place.exact:
        return place.version
    count = f"{place.since}." if place.since is not None else ""
    return f"{place.version}+{count}g{sha[:9]}"
