"""The evidence of one case as it comes together, and how several launches become one picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace

from advisor.catalog.engines import knowledge, named
from advisor.errors import AdvisorError
from advisor.match.layers import layers
from advisor.model.build import Build
from advisor.model.case import Case
from advisor.model.fact import Artifact, Fact, Note, Thread
from advisor.model.late import dataclass
from advisor.model.launch import Launch
from advisor.model.situation import Statement
from advisor.model.timeline import Timeline


@dataclass
class Gathering:
    """The evidence as it comes together."""

    build: Build = field(default_factory=Build)
    launches: list[Launch] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    originals: list[Artifact] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    mentioned: list[Launch] = field(default_factory=list)
    situation: tuple[Statement, ...] = ()
    timeline: tuple[Timeline, ...] = ()
    problems: list[AdvisorError] = field(default_factory=list)

    @property
    def base(self) -> Build:
        """The build of the engine that takes the flags: the build itself, or that below a plugin."""
        if self.build.engine not in named() or not knowledge(self.build.engine).host:
            return self.build
        known = {name: knowledge(name) for name in named()}
        return layers(Case(self.build, facts=tuple(self.facts)), known)[0].build

    @contextmanager
    def excused(self) -> Iterator[None]:
        """What cannot be read is kept as a problem and said; the rest of the input is still used."""
        try:
            yield
        except AdvisorError as error:
            self.problems.append(error)
            self.notes.append(Note("unreadable", error.line()))


def merge(given: list[Launch], mentioned: list[Launch]) -> list[Launch]:
    """Launches given as such stand; what a paste mentions fills in only where a launch leaves it open."""
    if not given:
        return _united(mentioned)
    extra = [one for launch in mentioned for one in launch.environment]
    merged = []
    for launch in given:
        names = {one.name for one in launch.environment}
        more = tuple(one for one in extra if one.name not in names)
        flags = {one.flag for one in launch.settings}
        said = (
            ()
            if launch.complete
            else tuple(one for other in mentioned for one in other.settings if one.flag not in flags)
        )
        merged.append(replace(launch, environment=launch.environment + more, settings=said + launch.settings))
    return merged


def _united(mentioned: list[Launch]) -> list[Launch]:
    """Partial mentions of one deployment, in several parts of a paste, are one partial launch; commands stand alone."""
    commands = [one for one in mentioned if one.complete]
    if commands or len(mentioned) < 2:
        return merge(commands, [one for one in mentioned if not one.complete]) if commands else mentioned
    first = mentioned[0]
    settings = tuple(dict.fromkeys(one for launch in reversed(mentioned) for one in launch.settings))
    environment = tuple(dict.fromkeys(one for launch in reversed(mentioned) for one in launch.environment))
    model = next((one.model for one in mentioned if one.model), "")
    return [replace(first, settings=settings, environment=environment, model=model, text="")]
