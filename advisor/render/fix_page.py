"""What `advisor fix` did -> the lines beside the diff: what each edit is for, what was left and why, what is new.

run.sh:7 setting-removed (safe): remove --swap-space
run.sh:4 variable-replaced left: remove VLLM_ATTENTION_BACKEND, … (not made without --unsafe)
run.sh: judged again: 2 findings gone, 1 remains, none new
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.repair import FileRepair, Repair, RepairReport
from advisor.render.quoting import UNSAFE


def diffs(report: RepairReport) -> str:
    """The diffs of all files, one after the other, as `git apply` takes them; "" for none."""
    return "".join(one.diff for one in report.files)


def page(report: RepairReport) -> str:
    """The lines about them; "" when there is nothing to edit."""
    lines = [*(line for one in report.files for line in _file(one)), *report.notes]
    return "".join(UNSAFE.sub("?", line) + "\n" for line in lines)


def _file(one: FileRepair) -> Iterator[str]:
    for repair in one.repairs:
        yield f"{one.name}:{repair.line} {_repair(repair)}"
    if one.diff:
        counts = f"{_count(len(one.gone), 'finding')} gone, {len(one.remain)} {_verb(len(one.remain))}, "
        counts += f"{len(one.new)} new" if one.new else "none new"
        yield f"{one.name}: judged again: {counts}" + ("" if one.written else "; not written (--write)")
        for finding in one.new:
            yield f"{one.name}:{finding.region.line} new: {finding.level} {finding.id}: {finding.says}"


def _repair(one: Repair) -> str:
    if one.done:
        shared = f"; the text is shared, so this changes {', '.join(one.shared)} too" if one.shared else ""
        return f"{one.id} ({one.edit}): {one.does}{shared}"
    return f"{one.id} left: {one.does} ({one.why})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _verb(number: int) -> str:
    return "remains" if number == 1 else "remain"
