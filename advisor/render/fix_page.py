"""What `advisor fix` did -> the lines beside the diff: what each edit is for, what was left and why, what is new.

run.sh:7 setting-removed (safe): remove --swap-space
run.sh:4 variable-replaced left: remove VLLM_ATTENTION_BACKEND, … (not made without --unsafe)
run.sh: judged again: 2 findings gone, 1 remains, none new
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.repair import FileRepair, Repair, RepairReport
from advisor.render.below import translated
from advisor.render.language import counted, say
from advisor.render.quoting import many_lines, one_line


def diffs(report: RepairReport, *, seen: bool = False) -> str:
    """The diffs of all files, one after the other, as `git apply` takes them; "" for none.

    `seen`: for a terminal, where what a file holds must not drive it.
    """
    diff = "".join(one.diff for one in report.files)
    return many_lines(diff) if seen else diff


def page(report: RepairReport) -> str:
    """The lines about them; "" when there is nothing to edit."""
    report = translated(report)
    lines = [*(line for one in report.files for line in _file(one)), *report.notes]
    return "".join(f"{one_line(line)}\n" for line in lines)


def _file(one: FileRepair) -> Iterator[str]:
    for repair in one.repairs:
        yield f"{one.name}:{repair.line} {_repair(repair)}"
    if one.diff:
        written = "" if one.written else say("; not written (--write)")
        yield say("{name}: judged again: {counts}", name=one.name, counts=_counts(one)) + written
        for finding in one.new:
            place = f"{one.name}:{finding.region.line}"
            name = f"{say(finding.level)} {finding.id}"
            yield say("{place} new: {name}: {what}", place=place, name=name, what=finding.says)


def _counts(one: FileRepair) -> str:
    gone = say("{findings} gone", findings=counted(len(one.gone), "finding"))
    count = len(one.remain)
    remain = say("1 remains") if count == 1 else say("{count} remain", count=count)
    new = say("{count} new", count=len(one.new)) if one.new else say("none new")
    return say(", ").join((gone, remain, new))


def _repair(one: Repair) -> str:
    if not one.done:
        return say("{id} left: {does} ({why})", id=one.id, does=one.does, why=one.why)
    made = say("{id} ({edit}): {does}", id=one.id, edit=say(one.edit), does=one.does)
    if not one.shared:
        return made
    return made + say("; the text is shared, so this changes {others} too", others=say(", ").join(one.shared))
