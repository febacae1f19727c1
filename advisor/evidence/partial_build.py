"""A build while its parts are being read from a text: what is understood, and what of the text is left.

**Source:** nothing is read here; `build_reading` and `build_images` fill it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import date

from advisor.evidence.image_tags import Placed
from advisor.model.build import Component
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.scan.several import Several


@dataclass
class PartialBuild:
    """What has been understood so far; `left` is the text with understood parts blanked, so that none is read twice."""

    left: str
    engine: str
    known: Mapping[str, Knowledge] = field(default_factory=dict)
    said: str = ""  # the whole text, nothing blanked
    moving: Placed | None = None  # an image's tag that a date must place
    inferred: bool = False  # the version follows from such a tag and a day alone
    version: str | None = None
    commit: str | None = None
    image: str | None = None
    digest: str | None = None
    branch: str | None = None
    fork: str = ""
    after_pr: int | None = None
    earliest: date | None = None
    latest: date | None = None
    least: str | None = None  # a range of releases: from this one,
    below: str | None = None  # to before this one
    components: list[Component] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    vague: str = ""  # said of the image, unless a version or commit turns up
    forms: Several | None = None  # those patterns of `each` that can be ruled out at once
    possible: frozenset[str] | None = None  # those of them that what is left may hold, once asked

    def take(self, start: int, end: int) -> None:
        self.left = self.left[:start] + " " * (end - start) + self.left[end:]
        self.possible = None

    def each(self, pattern: str) -> list[re.Match[str]]:
        if self.forms is None or pattern not in self.forms:
            return list(re.finditer(pattern, self.left, re.I))
        if self.possible is None:
            self.possible = self.forms.among(self.left)
        return list(re.finditer(pattern, self.left, re.I)) if pattern in self.possible else []

    def bound(self, sign: str, number: str) -> None:
        """Keep what a comparison says of the release: `<0.4.1`, `>=0.5.2`; one that bounds neither is passed over."""
        if sign == "<":
            self.below = self.below or number
        elif sign in (">=", "~="):
            self.least = self.least or number

    def placed(self) -> bool:
        """Whether anything is known that can place the engine's build."""
        return any(
            (
                self.version,
                self.commit,
                self.image,
                self.digest,
                self.branch,
                self.fork,
                self.after_pr,
                self.earliest,
                self.latest,
                self.least,
                self.below,
            )
        )

    def understood(self) -> bool:
        return self.placed() or bool(self.components or self.notes)
