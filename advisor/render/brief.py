"""Report -> the same contract with less in it, for readers who pay by the word: what to act on stays whole.

Nothing is reworded. What leads (every `matched` finding, and the first when it is `likely` or `exposed`) keeps its
reasons, fixes, remedies, warnings and verification; of the others the verdict, the first reasons and what excludes them
stay. Each report says in its notes that parts are left out, so that an empty list is not taken for "there is none".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.model.lint import LintFinding, LintReport
from advisor.model.report import Finding, Report
from advisor.render.blocks import Block, Line
from advisor.render.language import counted, say

REASONS = 6  # facts of a finding that leads
FEW = 2  # facts of one that does not
QUESTIONS = 5
LINTED = 25

_LEVELS = ("error", "warning", "note")
_VERBOSE = re.compile(r"(?<=[(（])--verbose(?=[)）])|(?<=with )--verbose$|(?<=加 )--verbose(?= 重出)")


def brief(report: Report, told: bool = False) -> Report:
    """The report with what leads in full and the rest in short; `coverage.notes` says so where anything is left out.

    `told`: for the text, which is short on what does not lead by itself. Drawn from an emptied list it would say that
    no fix is known.
    """
    others = (lambda one: one) if told else _named
    findings = tuple(_led(one) if leads(one, place) else others(one) for place, one in enumerate(report.findings))
    shortened = replace(
        report,
        findings=findings,
        questions=tuple(replace(one, asks=()) for one in report.questions[:QUESTIONS]),
        timeline=(),
        excerpts=(),
    )
    if shortened == report:
        return report
    cut = say(
        "Shortened: timeline, excerpts, further reasons and questions, the rules' background and, of findings that do "
        "not lead, fixes and remedies are left out; an empty list there does not mean that there are none (detail: "
        "full has them)."
    )
    return replace(shortened, coverage=replace(report.coverage, notes=(*report.coverage.notes, cut)))


def leads(finding: Finding, place: int) -> bool:
    """Whether the finding is one to act on: it is matched, or it comes first and is likely or can happen."""
    return finding.status == "matched" or (place == 0 and finding.status in ("likely", "exposed"))


def _led(one: Finding) -> Finding:
    return replace(one, because=one.because[:REASONS], missing=(), superseded=(), references=(), details="")


def _named(one: Finding) -> Finding:
    kept = replace(_led(one), because=one.because[:FEW], deciding=one.deciding[:FEW], against=one.against[:FEW])
    return replace(
        kept, echoes=(), fixes=(), remedies=(), not_helpful=(), harmful=(), verification=(), lookalikes=(), wanted=(),
        caveats=(), cause=replace(one.cause, sources=()),
    )  # fmt: skip


def without_chinese(report: Report) -> Report:
    """The report without the rules' prose in Chinese, which is half of it."""
    return replace(report, findings=tuple(replace(one, zh={}) for one in report.findings))


def brief_lint(report: LintReport) -> LintReport:
    """The report with the worst findings alone and without the list of all that was looked for; `notes` says so."""
    ranked = sorted(report.findings, key=lambda one: (one.suppressed is not None, _LEVELS.index(one.level)))
    kept = ranked[:LINTED]
    cut = [say("Shortened: the list of checks that ran is left out; it is not empty.")]
    if left := len(ranked) - len(kept):
        cut.append(say("{findings} more are left out, of the lowest levels.", findings=counted(left, "finding")))
    return replace(report, findings=_in_order(report.findings, kept), checks=(), notes=(*report.notes, *cut))


def as_tools(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with the tools and arguments of agents where our own lines name commands; quotes stay as they are."""
    return [replace(one, text=named(one.text)) if isinstance(one, Line) else one for one in blocks]


def named(text: str) -> str:
    """Our own words with a tool's name for the command's."""
    told = _VERBOSE.sub("detail: full", text)
    return told.replace("more: advisor explain ", "more: explain ").replace("`advisor check`", "`check`")


def _in_order(found: Sequence[LintFinding], kept: Sequence[LintFinding]) -> tuple[LintFinding, ...]:
    chosen = {id(one) for one in kept}
    return tuple(one for one in found if id(one) in chosen)
