"""Lint report -> Markdown for a comment on a pull request: a table of what counts, details folded away.

The user's own text stands only in code; markup elsewhere is made literal and nobody is notified. GitHub takes 65,536
characters of a comment, so details, then rows, are left out beyond that, and the comment says how many.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.lint import LintFinding, LintReport
from advisor.render.below import translated
from advisor.render.language import counted, say
from advisor.render.lint_words import counting, levels, relative, suppressed, tally, urgent
from advisor.render.markdown import code, escape, fence
from advisor.render.quoting import many_lines, one_line, prose
from advisor.render.source_line import source_line
from advisor.render.words import sentence

ROOM = 60_000
SOURCE_WIDTH = 100


def lint_markdown(report: LintReport) -> str:
    """The report as GitHub flavoured Markdown, worst findings first."""
    report = translated(report)
    found = urgent(counting(report))
    hidden = [one for one in report.findings if one.suppressed]
    head = [f"### advisor lint: {levels(found)}", ""]
    rows = [_row(one) for one in found]
    table = [say("| where | finding | what to do |"), "|---|---|---|"] if rows else []
    made = say(" Knowledge as of {date}.", date=escape(prose(report.as_of)))
    tail = ["", f"<sub>{sentence(escape(say('; ').join(tally(report))))}{made}</sub>", ""]
    kept, left = _fitting(rows, ROOM // 2)
    more = ["", say("{findings} more than fit here.", findings=counted(left, "finding"))] if left else []
    room = ROOM // 2
    folded = [
        *(_folded(_detail(one), _title(one)) for one in found),
        *([_folded(map(_hidden, hidden), say("{count} suppressed", count=len(hidden)))] if hidden else []),
        *([_folded([f"- {escape(prose(one))}" for one in _notes(report)], say("notes"))] if _notes(report) else []),
    ]
    shown, cut = _fitting(folded, room)
    missing = ["", say("{details} left out for length.", details=counted(cut, "detail"))] if cut else []
    return "\n".join([*head, *table, *kept, *more, *(["", *shown] if shown else []), *missing, *tail])


def _fitting(parts: list[str], room: int) -> tuple[list[str], int]:
    """As many of the parts as fit, in order, and how many do not."""
    kept: list[str] = []
    for one in parts:
        if len(one) <= room:
            kept.append(one)
            room -= len(one) + 1
    return kept, len(parts) - len(kept)


def _notes(report: LintReport) -> list[str]:
    unread = [say("{name}: {what}", name=relative(one.name), what=note) for one in report.files for note in one.notes]
    return [*unread, *report.notes]


def _where(one: LintFinding) -> str:
    return code(f"{one_line(relative(one.region.file))}:{one.region.line}")


def _row(one: LintFinding) -> str:
    advice = escape(prose(one.advice[0])) if one.advice else ""
    finding = f"**{say(one.level)}** {code(one_line(one.id))}<br>{escape(prose(one.says))}"
    return f"| {_cell(_where(one))} | {_cell(finding)} | {_cell(advice)} |"


def _cell(text: str) -> str:
    """A cell without a pipe: GitHub parts cells at them even in code, where an entity would stay one."""
    return text.replace("\\|", "&#124;").replace("|", "¦")


def _title(one: LintFinding) -> str:
    about = f" {_html(one_line(one.workload))}" if one.workload else ""
    return f"{say(one.level)} {_html(one_line(one.id))}{about}"


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "@<!-- -->")


def _detail(one: LintFinding) -> list[str]:
    lines = [escape(prose(one.says)), ""]
    if source := source_line(one.region, SOURCE_WIDTH):
        lines += [*fence(many_lines("\n".join(source)), "text"), ""]
    lines += [f"- {escape(prose(say('because {why}', why=why)))}" for why in one.because]
    lines += [f"- {escape(prose(advice))}" for advice in one.advice]
    for other in one.related:
        where = code(_line(other.region.file, other.region.line))
        lines.append(say("- see {where}: {what}", where=where, what=escape(prose(other.says))))
    for read in one.sources:
        where, date = escape(prose(read.where)), escape(read.date)
        lines.append(say("- source: {where} (read {date})", where=where, date=date))
    return lines


def _line(file: str, line: int) -> str:
    return f"{one_line(relative(file))}:{line}"


def _hidden(one: LintFinding) -> str:
    named = f"- {_where(one)} {code(one_line(one.id))}"
    return say("{name}: {what}", name=named, what=escape(prose(suppressed(one))))


def _folded(lines: Iterable[str], title: str) -> str:
    return "\n".join(["<details><summary>" + title + "</summary>", "", *lines, "", "</details>"])
