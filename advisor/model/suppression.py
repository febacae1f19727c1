"""Instructions not to count a finding: where each stands, what it names, what it covers. Written by users, any way."""

from __future__ import annotations

from typing import Literal

from advisor.model.late import dataclass
from advisor.model.lint import Actionability, Region
from advisor.model.rule import Level

How = Literal["comment", "annotation", "configuration"]
FailOn = Level | Literal["never"]


@dataclass(frozen=True, slots=True)
class Directive:
    """One instruction, at `region`.

    `rules` are ids, slugs, former ids or globs as typed. `until` is YYYY-MM-DD, the last day it holds, or "". `lines`
    are the first and last line it covers, None the whole file; `workloads` the launches, none named meaning all of
    them. `paths` are patterns of files below `base`, for an instruction that stands in a configuration file.
    `trouble` says why it cannot be followed, "" when it can.
    """

    how: How
    rules: tuple[str, ...]
    until: str
    reason: str
    region: Region
    lines: tuple[int, int] | None = None
    workloads: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    base: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What `advisor.toml` or `[tool.advisor]` says of lint; None and () where it says nothing.

    `file` is that file's name, `exclude` are patterns of files not to look at, relative to its folder, and `baseline`
    the name of a baseline file, relative to the same.
    """

    file: str = ""
    fail_on: FailOn | None = None
    actionable: tuple[Actionability, ...] | None = None
    exclude: tuple[str, ...] = ()
    baseline: str = ""
    ignores: tuple[Directive, ...] = ()
