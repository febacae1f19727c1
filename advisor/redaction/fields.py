"""Which fields of an answer's nouns hold what the user gave: one table, and how a noun is walked by it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

THEIRS: dict[str, tuple[str, ...]] = {
    # advisor/model/report.py
    "Report": ("environment",),
    "BuildOut": ("version", "image", "fork", "branch", "label", "components", "notes"),
    "SettingOut": ("value", "typed", "place"),
    "FactOut": ("value", "says", "place", "quote", "rank"),
    "Finding": ("headline",),
    "FixOut": ("why",),
    "RemedyOut": ("change", "diff"),
    "LookalikeOut": ("why",),
    "StatementOut": ("says", "ranks", "collective", "places"),
    "MarkOut": ("what", "place"),
    "TrackOut": ("rank", "stands", "absent"),
    "TimelineOut": ("shift_by", "unplaced"),
    "Discrepancy": ("typed", "place", "quote", "says", "instead"),
    "ExcerptOut": ("file", "lines", "places"),
    "InputOut": ("name",),
    "Coverage": ("notes",),
    # advisor/model/lint.py
    "Region": ("snippet",),
    "RelatedOut": ("says",),
    "LintFinding": ("says", "because", "advice", "workload"),
    "SuppressionOut": ("reason",),
    "FileOut": ("workloads", "notes"),
    "LintReport": (),
    # advisor/model/repair.py, upgrade.py
    "Repair": ("workload", "says", "does", "why", "shared"),
    "FileRepair": ("diff",),
    "RepairReport": ("notes",),
    "UpgradeReport": ("diff", "notes"),
    # advisor/model/verification.py
    "StepVerdict": ("says", "missing"),
    "VerificationReport": ("headline", "change", "differs", "missing"),
    # advisor/model/diagnosis.py
    "Standing": (),
    "Recognised": ("build", "settings", "environment", "hardware"),
    # advisor/model/draft.py
    "Draft": ("summary", "given", "build", "settings", "environment", "hardware", "model", "report"),
    "MachineLine": ("pattern", "quote", "place"),
    # advisor/model/capture.py
    "Plan": ("said",),
    "Found": ("rank", "command"),
    "Step": ("how", "note"),
    "Outcome": ("files", "said"),
    "Collection": (),
}
"""The nouns of an answer, and which of their fields hold the user's words. Nouns that are not here hold none."""

_NAMES = re.compile(r"\w+")


@cache
def fields_of(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a noun that hold the user's words, and those that hold nouns which may, both in their order."""
    types: dict[str, Any] = {name: str(one.type) for name, one in kind.__dataclass_fields__.items()}
    theirs = THEIRS[kind.__name__]
    nested = (name for name, told in types.items() if name not in theirs and THEIRS.keys() & set(_NAMES.findall(told)))
    return tuple(name for name in types if name in theirs), tuple(nested)
