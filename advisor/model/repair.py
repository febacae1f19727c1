"""What `advisor fix` did or would do, as data: the JSON of `advisor fix --format json`.

Lines count from 1 and are those of the file before the edit. Lists are in the order of files, then of places.
"""

from __future__ import annotations

from advisor.model.late import dataclass
from advisor.model.lint import Edit, LintFinding

REPAIR_SCHEMA = "advisor-fix/1"


@dataclass(frozen=True)
class Repair:
    """One finding that the file could be edited for: `does` says how. Not `done`, `why` says why it was left."""

    id: str
    workload: str
    line: int
    says: str
    does: str
    edit: Edit
    done: bool
    why: str
    shared: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileRepair:
    """One file. `diff` is the change as a unified diff, "" for none; `written` tells whether the file has it.

    `gone`, `remain` and `new` are findings of the file judged again: those that the edits ended, those that stay, and
    those that only the edited file has, none of them an error.
    """

    name: str
    diff: str
    written: bool
    repairs: tuple[Repair, ...]
    gone: tuple[LintFinding, ...]
    remain: tuple[LintFinding, ...]
    new: tuple[LintFinding, ...]


@dataclass(frozen=True)
class RepairReport:
    """The whole answer: the files that have something to edit."""

    schema: str
    files: tuple[FileRepair, ...]
    notes: tuple[str, ...]
    as_of: str
    advisor: str

    @property
    def pending(self) -> bool:
        """Whether anything that could be edited is not in a file now."""
        return any(not one.done or not file.written for file in self.files for one in file.repairs)
