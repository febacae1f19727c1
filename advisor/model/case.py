"""A case: everything known before judgement. Pure data; the same case gives the same report."""

from __future__ import annotations

from advisor.model.build import Build
from advisor.model.fact import Artifact, Fact, Note, Thread
from advisor.model.late import changed, dataclass
from advisor.model.launch import Launch
from advisor.model.situation import Statement
from advisor.model.timeline import Timeline


@dataclass(frozen=True)
class Case:
    """Build, launches, facts, searchable texts and stacks of one deployment. `originals` are the texts as given, with
    what `artifacts` leave out of the search. `id` echoes a batch line's id.
    """

    build: Build
    launches: tuple[Launch, ...] = ()
    facts: tuple[Fact, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    threads: tuple[Thread, ...] = ()
    notes: tuple[Note, ...] = ()
    situation: tuple[Statement, ...] = ()
    timeline: tuple[Timeline, ...] = ()
    originals: tuple[Artifact, ...] = ()
    id: str = ""

    def but(self, **changes: object) -> Case:
        """A copy with some fields replaced."""
        return changed(self, **changes)
