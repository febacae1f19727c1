"""What `advisor upgrade` concludes, as data: the JSON of `advisor upgrade --format json`."""

from __future__ import annotations

from advisor.model.late import dataclass
from advisor.model.lint import LintFinding
from advisor.model.reference import SettingChange
from advisor.model.repair import Repair

UPGRADE_SCHEMA = "advisor-upgrade/1"


@dataclass(frozen=True)
class Skipped:
    """A release that is not it, and why: a rule that the launch is exposed to there, a flag that does not fit."""

    release: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Undecided:
    """Rules that the launch neither meets nor rules out, and the one question that tells; "" where there is none."""

    question: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class UpgradeReport:
    """The smallest release that clears a launch of every known exposure and adds none.

    `release` is that release; where none is, the one that comes closest, and `clears` is False. `needed` is False where
    nothing was known against `start` itself; `release` is `start` then. `now` are the findings at `start`, `remain`
    those at `release` with its flags edited. `changes` are the settings given that differ between the two, `defaults`
    those not given whose default differs and that a rule looks at. `diff` is the edit of the file or command line.
    `undecided` is what may or may not be met at `release`.
    """

    schema: str
    engine: str
    start: str
    limit: str
    release: str
    clears: bool
    needed: bool
    skipped: tuple[Skipped, ...]
    now: tuple[LintFinding, ...]
    remain: tuple[LintFinding, ...]
    changes: tuple[SettingChange, ...]
    defaults: tuple[SettingChange, ...]
    repairs: tuple[Repair, ...]
    diff: str
    undecided: tuple[Undecided, ...]
    notes: tuple[str, ...]
    as_of: str
