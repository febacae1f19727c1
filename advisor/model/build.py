"""Which engine build this is, and how builds are ordered; the only module that imports `packaging`.

A version string is not a build: `0.11.2.dev278+gccfeb3a8` names a commit of some branch of some fork, and its
number is only the last tag before it. Everything a user said is kept; what was not said is None.
"""

from __future__ import annotations

import re
from dataclasses import field
from datetime import date
from functools import lru_cache
from typing import Literal

from packaging.version import Version

from advisor.model.late import changed, dataclass
from advisor.model.shape import Shape

NEWEST = Version("999999")
_VERSION = Shape(
    r"(?<![\w.])v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:a|b|rc)\d+)?(?:\.?post\d+)?(?:\.dev\d+)?(?:\+[A-Za-z0-9.]+)?)(?![\w])",
    re.ASCII,
)  # v0.23.1rc1.dev1373+g387189c42
_LOCAL_SHA = Shape(r"(?:^|[.+])g([0-9a-f]{7,40})(?:$|[.])")  # +g752a3a504.d20260720
_SHA = Shape(r"(?<![\w.+-])([0-9a-f]{7,40})(?![\w-])")  # f03bdf1c, a bare commit
_AFTER_PR = Shape(
    r"\b(?:after|since|includes?|with|past)\s++(?:PR|pull request)?\s*+#?(\d{2,6})\b", re.I
)  # main after PR 1964


@dataclass(frozen=True, slots=True)
class Component:
    """A library under the engine, e.g. `nccl` 2.28.9. `origin` as for facts; `where` says how it is known."""

    name: str
    version: str
    origin: str = "stated"
    where: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    """Whether a build holds one upstream change, as its own files or git history show; `held` None: cannot be told.

    `by` is how it was told; `says` is that in words, with the file or the commits looked at.
    """

    repo: str
    commit: str | None
    pr: int | None
    held: bool | None
    by: Literal["git", "patch", "subject", "fingerprint"]
    says: str


@dataclass(frozen=True, slots=True)
class Build:
    """An engine build. `version` is PEP 440 text without a leading v; `commit` 7..40 hex digits.

    `fork` is the fork's name, or "" when the user did not speak of one: it is not a claim of stock upstream.
    `origin` is that of facts: `default` when another build brings it, as `text` says; or `inferred` for a version that
    only follows from a tag and a day.
    `branch` is `main` or another branch name when said; `after_pr` a pull request the user says is in it.
    `holdings` are the upstream changes looked for in its content: they outweigh its version.
    `earliest`..`latest` bound the build's date when one was said; `least` and `below` its release where only a series
    or a range was (0.11.x: 0.11.0, 0.12). `text` is what the user typed.
    """

    engine: str = ""
    version: str | None = None
    commit: str | None = None
    image: str | None = None
    digest: str | None = None
    branch: str | None = None
    fork: str = ""
    after_pr: int | None = None
    earliest: date | None = None
    latest: date | None = None
    least: str | None = None
    below: str | None = None
    components: tuple[Component, ...] = ()
    text: str = ""
    origin: str = "stated"
    notes: tuple[str, ...] = field(default=())
    holdings: tuple[Holding, ...] = ()

    def but(self, **changes: object) -> Build:
        """A copy with some fields replaced; itself where they are as they were."""
        if all(getattr(self, name) == value for name, value in changes.items()):
            return self
        return changed(self, **changes)

    def component(self, name: str) -> Component | None:
        """The component of that name, if known."""
        return next((one for one in self.components if one.name == name), None)

    def known(self) -> bool:
        """Whether anything at all places this build."""
        placed = (self.version, self.commit, self.branch, self.earliest, self.after_pr, self.image, self.fork)
        return any((*placed, self.least, self.below))

    def label(self) -> str:
        """The build in a few words, as a person would say it."""
        words = [self.engine or "unknown engine"]
        if self.fork:
            words.append(f"({self.fork} fork)")
        if self.version:
            words.append(self.version)
        if self.commit and self.commit not in (self.version or ""):
            words.append(f"at {self.commit[:12]}")
        if self.image and not self.version:
            words.append(self.image)
        if self.branch and not self.version and not self.commit:
            words.append(self.branch)
        if len(words) == 1 and (self.least or self.below):
            words.append(self._bounds())
        if self.version and self.origin == "inferred":
            words.append("(inferred)")
        if self.version and self.origin == "default":
            words.append(f"({self.text})")
        if len(words) > 1:
            return " ".join(words)
        return f"{words[0]}, {'exact build' if self.known() else 'build'} not given"

    def _bounds(self) -> str:
        parts = (f"{self.least} or later" if self.least else "", f"before {self.below}" if self.below else "")
        return ", ".join(filter(None, parts))


def plain_build(text: str, engine: str) -> Build | None:
    """The build that a bare release number or a bare commit names; None when the text is anything more than that."""
    word = text.strip()
    if re.fullmatch(r"v?\d+(\.\d+){2}(\.post\d+)?", word):
        return Build(engine, version=word.removeprefix("v"), text=text)
    if commit_in(word) == word:
        return Build(engine, commit=word, text=text)
    return None


def same_commit(one: str, other: str) -> bool:
    """Whether two commits, seven digits or more each, are one; a prefix is enough."""
    return min(len(one), len(other)) >= 7 and (one.startswith(other) or other.startswith(one))


@lru_cache(maxsize=4096)
def parse_version(text: str) -> Version | None:
    """A PEP 440 version, accepting a leading `v`; None when it is not one."""
    try:
        return Version(text.strip().removeprefix("v"))
    except ValueError:  # no version, or a number of more digits than Python reads
        return None


def is_release(text: str) -> bool:
    """A final or post release (a local label such as `+cu129` allowed), not a dev build or pre-release."""
    version = parse_version(text)
    return version is not None and not version.is_prerelease and not _LOCAL_SHA.search(version.local or "")


@lru_cache(maxsize=4096)
def public(text: str) -> Version | None:
    """The version without its local label, the form in which releases are ordered."""
    version = parse_version(text)
    return Version(version.public) if version and version.local else version


@lru_cache(maxsize=4096)
def order_key(text: str) -> Version:
    """Sort key for release lists: `main` is newer than any release, other text without a number older than all."""
    return NEWEST if text == "main" else public(text) or Version("0.dev0")


def base(text: str) -> Version | None:
    """The release part alone: `0.23.1rc1.dev1373` -> `0.23.1`."""
    version = parse_version(text)
    return Version(version.base_version) if version else None


def local_commit(version: str) -> str | None:
    """The commit that a setuptools-scm local label names: `0.25.2.dev0+g752a3a504.d20260720` -> `752a3a504`."""
    parsed = parse_version(version)
    found = _LOCAL_SHA.search(parsed.local or "") if parsed else None
    return found.group(1) if found else None


def commit_in(text: str) -> str | None:
    """The first thing in `text` that can only be a commit: hex with at least one letter, or 40 digits of hex."""
    for found in _SHA.finditer(text):
        sha = found.group(1)
        if len(sha) == 40 or (re.search("[a-f]", sha) and re.search("[0-9]", sha)):
            return sha
    return None


def pr_in(text: str) -> int | None:
    """The pull request a build is said to come after: `main after PR 1964` -> 1964."""
    found = _AFTER_PR.search(text)
    return int(found.group(1)) if found else None
