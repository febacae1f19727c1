"""What history says of a change, and a fork's tree -> the same, once the tree was asked whether it is so.

History tells what was done, by its words; a tree what runs. Where a fork has commits of its own, words alone settle
nothing: a merge may have taken the other side, a file may be as it was before the pick, a subject may name what it
drops. So, where the change's files are not upstream's own:

    as upstream has them at a commit below      it holds the change as that commit does
    changed in none of the change's lines       the same, by upstream's commit below
    otherwise                                   the change is merged in and out of the tree (see `tree_trial`)

Where the clone lacks upstream's commit, the fork's own pick of it is tried in its place. The work is bounded: what
takes too long, or needs objects that the clone lacks, is said not to have been tried.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from git import Repo

from advisor.errors import AdvisorError, UpstreamError
from advisor.model.knowledge import Knowledge
from advisor.upstream import picks
from advisor.upstream.patch_change import Change, change
from advisor.upstream.patch_store import Store, of_git_dir, store
from advisor.upstream.sought import Sought
from advisor.upstream.traces import Trace
from advisor.upstream.tree_trial import Finding, between, in_tree, source_paths, telling
from advisor.upstream.walk import Place, Walk

BUDGET_S = 20.0
COMMAND_S = 10.0
_TIPS, _BELOW = 5, 40  # upstream's commits below, nearest ones and releases, that a tree is compared with
_ALIKE = 0.5  # the part of a change's lines by which a pick that was adapted is still one


@dataclass
class Settling:
    """A fork's commit, ready to be asked; `store` sees its objects."""

    store: Store
    head: str
    walk: Walk
    place: Place
    knowledge: Knowledge
    _until: float = field(default_factory=lambda: time.monotonic() + BUDGET_S)
    _covered: dict[str, set[str]] = field(default_factory=dict)

    def settled(self, sought: Sought, full: str | None, trace: Trace) -> Trace:
        """The trace as the tree bears it out; `full` is upstream's commit where the clone has it."""
        if time.monotonic() > self._until:
            return self._untried(trace, "its files were not compared, for the others took too long")
        try:
            one = self._change(full) if full else None
            return self._by_change(sought, one, trace) if one is not None else self._by_pick(sought, trace)
        except AdvisorError as error:
            return self._untried(trace, f"its files could not be compared: {error.what}")

    def _untried(self, trace: Trace, why: str) -> Trace:
        return replace(trace, held=None, says=f"{trace.says}; {why}")

    def _change(self, commit: str) -> Change | None:
        try:
            return change(self.store, commit)
        except UpstreamError:
            return None  # shallow: without the commit before it

    def _by_change(self, sought: Sought, one: Change, trace: Trace) -> Trace:
        name, own = sought.name(), {entry.sha for entry in self.place.own}
        same = {self._held_at(sha, trace): sha for sha in self._equal(source_paths(one))}
        same.pop(None, None)
        if trace.held in same:
            return trace
        if len(same) == 1:
            held, sha = next(iter(same.items()))
            says = f"the files of {name} are here as in upstream's {sha[:12]}, which {_has(held)} it"
            return Trace(bool(held), "patch", f"{says}{_against(trace)}", trace.events)
        base = next(iter(self.place.tips), None)
        below = self._held_at(base, trace) if base else None
        hints = [event for event in trace.events if event.named and event.brings and event.sha in own]
        if base and below is not None and not hints and self._apart(one, base):
            if trace.held is below:
                return trace
            says = f"no line of {name} is among what was changed in its files since upstream's {base[:12]}"
            return Trace(below, "patch", f"{says}, which {_has(below)} it{_against(trace)}", trace.events)
        return self._tried(name, one, trace, base, below)

    def _tried(self, name: str, one: Change, trace: Trace, base: str | None, below: bool | None) -> Trace:
        found = in_tree(one, self._tree(self.head))
        if found in ("in", "out") and self._tells(found, one, base, below):
            held = found == "in"
            if trace.held is held:
                return trace
            says = (
                f"{name} is there line by line" if held else f"the lines of {name} are not there, and could be put in"
            )
            return Trace(held, "patch", f"{says}{_against(trace, held)}", trace.events)
        told = self._picked(one, trace)
        if told is not None:
            return told
        why = f"a part of {name} is there, a part is not" if found == "part" else "the lines there are others"
        return Trace(
            None, trace.by, f"{trace.says}; yet whether {name} is in the files does not show: {why}", trace.events
        )

    def _tells(self, found: Finding, one: Change, base: str | None, below: bool | None) -> bool:
        """Whether the finding says more of this tree than it would of upstream's commit below, which is known."""
        if not base or below is None:
            added, _ = telling(one.diff(*source_paths(one)))
            return found == "out" or bool(added)  # lines only taken out are absent before they came, too
        return (found == "in") is below or in_tree(one, self._tree(base)) != found

    def _picked(self, one: Change, trace: Trace) -> Trace | None:
        """What the fork's own last pick shows: it is gone, or it is there with the change's lines, most of them."""
        own = {entry.sha for entry in self.place.own}
        last = next((one for one in reversed(trace.events) if one.brings and one.sha in own), None)
        pick = self._change(last.sha) if last else None
        if last is None or pick is None:
            return None
        found = in_tree(pick, self._tree(self.head))
        if found == "out":
            return Trace(False, "patch", f"{last.says}, but its lines are not there any more", trace.events)
        if found != "in" or not trace.held:
            return None
        if not last.named:
            return trace
        wanted, _ = telling(one.diff(*source_paths(one)))
        made, _ = telling(pick.diff(*source_paths(pick)))
        if (wanted & made).total() < max(1, _ALIKE * wanted.total()):
            return None
        return Trace(True, last.by, f"{last.says}, with most of its lines, the others adapted", trace.events)

    def _by_pick(self, sought: Sought, trace: Trace) -> Trace:
        """The same where only the fork's own pick is at hand: is it still in the tree?"""
        own = {entry.sha for entry in self.place.own}
        last = trace.events[-1] if trace.events else None
        pick = self._change(last.sha) if last and last.brings and last.sha in own else None
        if last is None or pick is None:
            return trace
        found = in_tree(pick, self._tree(self.head))
        if found == "in":
            if last.by == "subject" and not (sought.files() or self._is_explicit(last.sha, sought)):
                return replace(trace, held=None, says=f"{trace.says}; nothing at hand confirms that it is that change")
            return trace
        if found == "out":
            return Trace(False, "patch", f"{last.says}, but its lines are not there any more", trace.events)
        return replace(trace, held=None, says=f"{trace.says}; but not all of its lines are there any more")

    def _is_explicit(self, sha: str, sought: Sought) -> bool:
        """Whether its words can only mean upstream's pull request: a number alone may be one of the fork's own."""
        entry = self.walk.find(sha)
        return entry is not None and sought.pr is not None and picks.is_explicit(entry.subject, sought.repo, sought.pr)

    # upstream's commits below

    def _held_at(self, sha: str, trace: Trace) -> bool | None:
        """Whether an upstream commit below holds the change by the events below it; None where history is cut off."""
        if sha not in self._covered:
            self.walk.cover(sha, self._covered.setdefault(sha, set()))
        told = [event.brings for event in trace.events if event.sha in self._covered[sha]]
        return told[-1] if told else None if self.walk.shallow else False

    def _equal(self, paths: list[str]) -> list[str]:
        """Upstream's commits below whose files are those of the tree; none where the tree has none of them.

        Trees alone are read for the nearest, so that a clone without old files' content can be asked.
        """
        here = self._listed(self.head, paths)
        near = [sha for sha in self.place.tips[:_TIPS] if self._listed(sha, paths) == here]
        if not here or near or any("\n" in path for path in paths):
            return near if here else []
        tags = [one.commit for one in self.knowledge.tags.values() if self.walk.find(one.commit)]
        below = list(dict.fromkeys(reversed(tags)))[:_BELOW]
        asked = "".join(f"{sha}:{path}\n" for sha in (self.head, *below) for path in paths)
        told = self.store.git("cat-file", "--batch-check=%(objectname)", stdin=asked.encode("utf-8", "surrogateescape"))
        blobs = [line if not line.endswith(b"missing") else b"" for line in told.split(b"\n")]
        rows = [blobs[at * len(paths) : (at + 1) * len(paths)] for at in range(len(below) + 1)]
        return [sha for sha, row in zip(below, rows[1:], strict=True) if any(row) and row == rows[0]]

    def _listed(self, sha: str, paths: list[str]) -> bytes:
        return self.store.git("ls-tree", "-z", "--full-tree", sha, "--", *paths)

    def _apart(self, one: Change, base: str) -> bool:
        """Whether what was changed since upstream's commit below, in the change's files, has none of its lines."""
        paths = source_paths(one)
        diff = between(self.store, base, self.head, paths)
        if b"\ndeleted file mode" in diff or b"\nnew file mode" in diff:
            return False
        wanted, made = telling(one.diff(*paths)), telling(diff)
        return not _all(wanted) & _all(made)

    def _tree(self, commit: str) -> str:
        return self.store.word("rev-parse", f"{commit}^{{tree}}")


def _all(told: tuple[Counter[str], Counter[str]]) -> set[str]:
    return set(told[0]) | set(told[1])


def _has(held: bool | None) -> str:
    return "has" if held else "lacks"


def _against(trace: Trace, held: bool | None = None) -> str:
    """What the history says, where that is another thing."""
    return f"; yet {trace.says}" if trace.held is not None and trace.held is not held and trace.events else ""


@contextmanager
def settling(repo: Repo, path: Path, head: str, walk: Walk, place: Place, known: Knowledge) -> Iterator[Settling]:
    """A commit of a clone, ready to be asked."""
    with store([of_git_dir(path, Path(repo.git_dir))], COMMAND_S) as held:
        yield Settling(held, head, walk, place, known)
