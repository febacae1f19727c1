"""Lint report -> text for a terminal or a log: place, level and id in a line that editors can follow, then the source.

charts/vllm.yaml:41:15: error vllm/pp-broadcast-skew
   0.26.0 can meet it: a pipeline rank waits for a broadcast that its peer skipped.
   41 |   - --pipeline-parallel-size=2
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^
   - Upgrade to 0.30.0, the first release with the fix.
"""

from __future__ import annotations

from advisor.model.lint import LintFinding, LintReport, Region
from advisor.model.rule import Level
from advisor.render.below import translated
from advisor.render.blocks import Tone
from advisor.render.language import say
from advisor.render.layout import columns, wrap
from advisor.render.lint_words import counting, suppressed, tally
from advisor.render.quoting import one_line, prose
from advisor.render.source_line import source_line
from advisor.render.text import CODES, NARROWEST, RESET
from advisor.render.words import sentence

STEP = "   "
TONES: dict[Level, Tone] = {"error": "alarm", "warning": "warn", "note": "calm"}
Painted = tuple[str, Tone]


def lint_text(report: LintReport, *, colour: bool = False, width: int = 80, verbose: bool = False) -> str:
    """The findings that count, then the summary. `verbose` adds reasons, sources and what is suppressed."""
    report, width = translated(report), max(NARROWEST, width)
    lines: list[Painted] = []
    for one in report.findings if verbose else counting(report):
        lines += [*_finding(one, width, verbose), ("", "")]
    for file in report.files:
        said = [say("{name}: {what}", name=one_line(file.name), what=note) for note in file.notes]
        lines += [(line, "warn") for note in said for line in _note(note, width)]
    lines += [(line, "") for note in report.notes for line in _note(note, width)]
    tone: Tone = "strong" if counting(report) else "good"
    lines += [(line, tone) for line in wrap(sentence(say("; ").join(tally(report))), width)]
    return "\n".join(_paint(line, tone, colour) for line, tone in lines) + "\n"


def _note(text: str, width: int) -> list[str]:
    return wrap(prose(text), width, say("note: "), STEP)


def _finding(one: LintFinding, width: int, verbose: bool) -> list[Painted]:
    room = width - len(STEP)
    tone: Tone = "faint" if one.suppressed else TONES[one.level]
    head = f"{_place(one.region)}: {say(one.level)} {one_line(one.id)}"
    body = [*_indented(wrap(prose(one.says), room)), *_source(one.region, room)]
    for other in one.related:
        said = say("{name}: {what}", name=_place(other.region), what=other.says)
        body += _indented(wrap(prose(said), room, say("see "), "    "))
        body += _source(other.region, room) if verbose else []
    if verbose:
        body += _items(say("because "), one.because, room)
    body += _items("- ", one.advice, room)
    if verbose:
        sources = [say("{where} (read {date})", where=source.where, date=source.date) for source in one.sources]
        body += _items(say("source: "), sources, room)
    if one.suppressed:
        body += _indented(wrap(prose(suppressed(one)), room))
    return [(head, tone), *body]


def _place(region: Region) -> str:
    return f"{one_line(region.file)}:{region.line}:{region.column}"


def _source(region: Region, room: int) -> list[Painted]:
    lines = source_line(region, room)
    tones: list[Tone] = ["", "alarm", "faint"]
    return [(f"{STEP}{line}", tone) for line, tone in zip(lines, tones, strict=False)]


def _items(marker: str, texts: list[str] | tuple[str, ...], room: int) -> list[Painted]:
    return [line for one in texts for line in _indented(wrap(prose(one), room, marker, " " * columns(marker)))]


def _indented(lines: list[str]) -> list[Painted]:
    return [(f"{STEP}{line}", "") for line in lines]


def _paint(line: str, tone: Tone, colour: bool) -> str:
    return f"{CODES[tone]}{line}{RESET}" if colour and tone and line else line
