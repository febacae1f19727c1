"""The nouns that readers of deployment files share: the file being read, what it asks to run, and what came of it.

A reader fills a `Typed` with words and variables, each with its characters in the file; `assembly.launches` makes of it
one `Made` for each engine that it starts, and `Made.workload` the noun that leaves the room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Any

from advisor.launches.command_line import Source, image_engine
from advisor.launches.files.origins import Origins
from advisor.launches.files.others import is_other_image
from advisor.launches.files.templates import HOLE, filled
from advisor.launches.shell import Word
from advisor.launches.wrappers import base
from advisor.model.deployment import Argument, Assignment, Form, Place, VersionSource, Workload
from advisor.model.fact import Span
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Launch


@dataclass(frozen=True)
class File:
    """A file being read. `shown` has its templates masked, and the same length; "" when it has none."""

    name: str
    text: str
    format: str
    knowledge: Mapping[str, Knowledge]
    shown: str = ""

    @cached_property
    def source(self) -> Source:
        """The whole text as the place of launches."""
        return _source(self.text, self.name)

    @property
    def seen(self) -> str:
        """The text as parsers saw it."""
        return self.shown or self.text

    @cached_property
    def engines(self) -> dict[str, Knowledge]:
        """The engines that a command can start: components and plugins are not among them."""
        return {
            name: one
            for name, one in self.knowledge.items()
            if one.profile.get("commands") or one.profile.get("binaries")
        }

    def span(self, start: int, end: int) -> Span:
        """The lines of characters of the file."""
        return self.source.span(max(0, start), end) or Span(self.name)

    def place(self, start: int, end: int, form: Form) -> Place:
        """Characters of the file and the form they stand in."""
        return Place(start, end, form, self.span(start, end))

    def filled(self, value: str, start: int, end: int) -> str:
        """The value with its templates as they are typed."""
        return filled(value, self.shown, self.text, start, end) if HOLE in value else value

    def engine_of(self, image: str) -> str:
        """The engine whose image this is, else the one whose name its last part holds (`llm-d/vllm-cuda`); ""."""
        if not image or "{{" in image or HOLE in image:
            return ""
        if (own := image_engine(image, self.knowledge)) or is_other_image(image):
            return own or ""
        last = base(image).partition("@")[0].partition(":")[0].lower()
        return next((name for name in self.engines if name in last), "")

    def is_other(self, image: str) -> bool:
        """Whether the image is a router's, a sidecar's or the like."""
        return is_other_image(image) and not image_engine(image, self.knowledge)


@lru_cache(maxsize=2)
def _source(text: str, name: str) -> Source:
    """One for all documents of a file: each of thousands would look for the lines of the whole text again."""
    return Source(text, name)


@dataclass(frozen=True)
class Typed:
    """What is asked to run. Words and entries hold offsets into the file.

    `form` is that of words without one in `forms`, both by the words' place. `follows` says that the words come after
    what the image itself starts. `scripts` maps the places of words made of several lines, or quoted, to where their
    characters stand. `whole` says that no word can be missing. `injected` are variables that the platform sets.
    `mapped` says that the words are keys which the engine itself is given; `hedged` that they may belong to different
    renderings of a template, and so to different builds. `before` are scripts that run first, for what they install.
    """

    words: Sequence[Word]
    start: int
    end: int
    form: Form = "text"
    forms: Mapping[tuple[int, int], Form] = field(default_factory=dict)
    environment: Sequence[Assignment] = ()
    image: str = ""
    image_start: int = -1
    follows: bool = False
    scripts: Mapping[tuple[int, int], Origins] = field(default_factory=dict)
    whole: bool = True
    injected: Mapping[str, str] = field(default_factory=dict)
    mapped: bool = False
    hedged: bool = False
    before: Sequence[Word] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """One launch as read, the words and variables it was made of, and what its commands install of its engine."""

    launch: Launch
    arguments: tuple[Argument, ...]
    environment: tuple[Assignment, ...]
    installed: tuple[VersionSource, ...] = ()

    def workload(self, file: File, place: Place, **fields: Any) -> Workload:
        """The workload; `fields` are those of `Workload` that the format tells besides."""
        return Workload(
            file=file.name,
            format=fields.pop("format", file.format),
            launch=self.launch,
            place=place,
            arguments=self.arguments,
            environment=self.environment,
            versions=(*self.installed, *fields.pop("versions", ())),
            **fields,
        )
