"""What history says of a change, and what the commit's files show -> what is made of both, each a holding.

Files count for more, but not where they cannot tell: where upstream's own file shows the same without the change, was
rewritten since, or shows only that a text is absent. Where the clone's own commits took the file away by which the
change is known, history's yes is no answer any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.model.build import Holding
from advisor.model.knowledge import Knowledge
from advisor.upstream import reach
from advisor.upstream.commit_files import CommitFiles
from advisor.upstream.fingerprints import Shown, places, show
from advisor.upstream.sought import Sought
from advisor.upstream.traces import Trace
from advisor.upstream.walk import Place


@dataclass(frozen=True)
class Scales:
    """A commit's files and its place; `version` is the one stated where no history counts, else ""."""

    files: CommitFiles
    place: Place
    knowledge: Knowledge
    version: str

    def holdings(self, change: Sought, trace: Trace) -> Iterator[Holding]:
        """What history tells of a change, then what files tell."""
        shown = show(change.fingerprints, self.files.read)
        doubted = trace.held or (trace.held is None and any(one.brings for one in trace.events))
        gone = self._gone(change) if shown is None and doubted else ""
        held = None if gone else trace.held
        yield Holding(change.repo, change.commit, change.pr, held, trace.by, f"{trace.says}{gone}")
        if shown is not None:
            held, says = self._weighed(change, trace, shown)
            yield Holding(change.repo, change.commit, change.pr, held, "fingerprint", says)

    def _gone(self, change: Sought) -> str:
        """Words for files that a rule knows the change by and that the clone's own commits took away; "" for none."""
        named = [name for name in change.files() if not any(one in self.files.names for one in places(name))]
        if not named or len(named) < len(change.files()) or not self.place.own:
            return ""
        base = self.files.base
        if base is not None and not any(one in base.names for name in named for one in places(name)):
            return ""  # upstream itself has it no more
        return f"; yet {', '.join(named)}, by which it is known, is not in this tree"

    def _as_below(self, change: Sought, trace: Trace) -> bool:
        """Whether upstream's commit below, which holds the change, does not show it either."""
        base = self.files.base
        below = show(change.fingerprints, base.read) if base is not None and self._is_below(trace) else None
        return below is not None and below.held is False

    def _is_below(self, trace: Trace) -> bool:
        """Whether the last commit that is not the clone's own brings the change: upstream's below holds it."""
        own = {one.sha for one in self.place.own}
        told = [one.brings for one in trace.events if one.sha not in own]
        return bool(told and told[-1])

    def _weighed(self, change: Sought, trace: Trace, shown: Shown) -> tuple[bool | None, str]:
        """What the files tell, once it is asked whether they can: None where upstream's own files show the same."""
        files, place = self.files, self.place
        if self.version and trace.held is not True:
            return reach.told(change, shown, self.version, self.knowledge)
        if shown.by_absence and trace.held is not True:
            return None, f"{shown.says}, which is so too where the fault has not come yet"
        if (
            shown.held is False
            and trace.held
            and trace.by == "git"
            and (not place.own or self._as_below(change, trace))
        ):
            return None, f"{shown.says}: upstream's own file, rewritten since"
        if shown.held and trace.held is False and not place.own:
            return None, f"{shown.says}, which is upstream's own file without the change"
        if shown.held and not trace.held and files.base is not None and not self._is_below(trace):
            before = show(change.fingerprints, files.base.read)
            if before is not None and before.held:
                return None, f"{shown.says}, which upstream's own {files.base.commit[:12]} has too, before the change"
        return shown.held, shown.says
