"""What `advisor lint` concludes, as data: its JSON contract (docs/lint-output.md), from which every output is made.

Lines and columns count from 1, columns in characters; an end column is that of the first character after. Lists are in
a fixed order: by file, then place, then id.
"""

from __future__ import annotations

from typing import Literal

from advisor.model.late import dataclass
from advisor.model.report import SourceOut
from advisor.model.rule import Level

LINT_SCHEMA = "advisor-lint/1"

Kind = Literal["exposure", "setting", "build", "stale", "interaction", "evidence", "suppression", "file"]
Actionability = Literal["fix released", "workaround", "none"]
"""What can be done: a release has the fix or the file itself is wrong; a change of configuration avoids it; neither."""

Edit = Literal["safe", "unsafe", ""]


@dataclass(frozen=True)
class Region:
    """A place in a file. `snippet` is the text of its lines, whole, redacted; empty when there is nothing to show."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    snippet: str


@dataclass(frozen=True)
class RelatedOut:
    """Another place that belongs to a finding, and what it is there for."""

    region: Region
    says: str


@dataclass(frozen=True)
class SuppressionOut:
    """Why a finding is not counted. `how`: comment, annotation, configuration or baseline; `until` YYYY-MM-DD or ""."""

    how: Literal["comment", "annotation", "configuration", "baseline"]
    reason: str
    until: str
    region: Region | None


@dataclass(frozen=True)
class LintFinding:
    """One thing found in a file.

    `id` is a rule's id (`vllm/pp-broadcast-skew`) or a check's name (`setting-removed`). `workload` names the launch it
    is about. `says` is the finding in a sentence, `because` the facts it stands on, `advice` what to do, safest first.
    `fingerprint` is the same while rule, file, workload and fact are, wherever in the file they stand. `edit` says
    whether `advisor fix` can change the file: `safe` by itself, `unsafe` only when asked to.
    """

    id: str
    kind: Kind
    level: Level
    says: str
    because: tuple[str, ...]
    advice: tuple[str, ...]
    actionability: Actionability
    edit: Edit
    workload: str
    region: Region
    related: tuple[RelatedOut, ...]
    fingerprint: str
    suppressed: SuppressionOut | None
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class CheckOut:
    """A rule or check that ran, whether or not it found anything."""

    id: str
    kind: Kind
    level: Level
    summary: str
    details: str
    help: str


@dataclass(frozen=True)
class FileOut:
    """A file looked at: its format ("" when nothing of ours is in it), its launches, what of it could not be read."""

    name: str
    format: str
    workloads: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LintReport:
    """The whole answer. Findings that are not counted are here too, marked with what suppresses them."""

    schema: str
    files: tuple[FileOut, ...]
    findings: tuple[LintFinding, ...]
    checks: tuple[CheckOut, ...]
    notes: tuple[str, ...]
    as_of: str
    advisor: str
