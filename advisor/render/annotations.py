"""Lint report -> GitHub workflow commands: printed in a job, they become annotations on the lines of a pull request.

    ::error file=charts/vllm.yaml,line=41,endLine=41,col=15,endColumn=41,title=vllm/pp-broadcast-skew::It can hang%0A…

GitHub shows 10 errors, 10 warnings and 10 notices of a step and drops the rest, so errors come first and a line says
when there are more. Suppressed findings are left out: GitHub has no mark for them.

**Source:** `escapeData` and `escapeProperty` in actions/toolkit, packages/core/src/command.ts; the limits in
actions/toolkit, docs/problem-matchers.md.
"""

from collections import Counter

from advisor.model.lint import LintFinding, LintReport
from advisor.model.rule import Level
from advisor.render.lint_words import counting, relative, tally, urgent
from advisor.render.quoting import many_lines, one_line
from advisor.render.words import counted

SHOWN = 10
COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def annotations(report: LintReport) -> str:
    """One command a finding, worst first, then the summary as a plain line."""
    found = urgent(counting(report))
    more = [
        f"{counted(count, level)}: GitHub shows {SHOWN} of them a step, this log has all"
        for level, count in Counter(one.level for one in found).items()
        if count > SHOWN
    ]
    return "\n".join([*map(_command, found), *more, f"advisor lint: {'; '.join(tally(report))}."]) + "\n"


def _command(one: LintFinding) -> str:
    at = one.region
    line, end_line = max(1, at.line), max(1, at.line, at.end_line)
    told = {"file": relative(at.file), "line": str(line), "endLine": str(end_line)}
    if end_line == line:  # columns are taken only within one line
        told |= {"col": str(max(1, at.column)), "endColumn": str(max(1, at.column, at.end_column))}
    told["title"] = f"{one_line(one.id)} ({one.workload})" if one.workload else one_line(one.id)
    properties = ",".join(f"{name}={_property(value)}" for name, value in told.items())
    message = "\n".join([one.says, *(f"- {advice}" for advice in one.advice)])
    return f"::{COMMANDS[one.level]} {properties}::{_escaped(many_lines(message))}"


def _escaped(text: str) -> str:
    """A message. `##[` starts a command of the older kind anywhere in a line."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace("##[", "# #[")


def _property(value: str) -> str:
    return _escaped(many_lines(value)).replace(":", "%3A").replace(",", "%2C")
