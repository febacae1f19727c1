"""An upgrade's answer -> a page: which release, which were skipped and why, what changes on the way, the edit.

0.5.20 is the smallest release of sglang after 0.5.18 that clears this launch of every known failure
  0.5.19  skipped: sglang/timeout-abort-divergence exposed
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from advisor.model.reference import SettingChange
from advisor.model.repair import Repair
from advisor.model.upgrade import UpgradeReport
from advisor.render.below import translated
from advisor.render.language import say
from advisor.render.layout import is_wide, wrap
from advisor.render.quoting import UNSAFE


def page(report: UpgradeReport, width: int = 100, *, verbose: bool = False) -> str:
    """The page as text. `verbose` asks every question that is open."""
    lines = [line for one in _lines(translated(report), verbose) for line in (_wrapped(one, width) if one else [""])]
    body = "".join(UNSAFE.sub("?", line) + "\n" for line in lines)
    shown = "".join(UNSAFE.sub("?", one) if one.strip("\r\n") else one for one in report.diff.splitlines(keepends=True))
    return body + (f"\n{report.diff if shown.count('?') == report.diff.count('?') else shown}" if report.diff else "")


def _wrapped(line: str, width: int) -> list[str]:
    margin = " " * (len(line) - len(line.lstrip()))
    indent = f"{margin}  "
    if any(map(is_wide, line)):  # a script without spaces is parted by columns
        return wrap(line, width, margin, indent)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _lines(report: UpgradeReport, verbose: bool) -> Iterator[str]:
    yield _conclusion(report)
    if report.skipped:
        yield ""
        for one in report.skipped:
            yield "  " + say("{release}  skipped: {why}", release=one.release, why=say("; ").join(one.reasons))
    if report.remain and report.needed:
        yield ""
        yield say("What is still said of it at {release}:", release=report.release)
        for finding in report.remain:
            yield "  " + say("{name}: {what}", name=f"{say(finding.level)} {finding.id}", what=finding.says)
    yield from _section(say("Settings given that change on the way:"), report.changes)
    yield from _section(
        say("Defaults that change, of settings not given here, where a rule looks at them:"), report.defaults
    )
    if report.repairs:
        yield ""
        yield say("Edits of the flags:")
        yield from (f"  {one.does if one.done else _left(one)}" for one in report.repairs)
    yield from _undecided(report, verbose)
    if report.notes:
        yield ""
        yield from (say("Note: {note}", note=note) for note in report.notes)


def _left(one: Repair) -> str:
    return say("{edit} left: {why}", edit=one.does, why=one.why)


def _undecided(report: UpgradeReport, verbose: bool) -> Iterator[str]:
    ids = sorted({id for one in report.undecided for id in one.rules})
    if not ids:
        return
    yield ""
    if not verbose:
        yield say(
            "Not ruled out at {release}, as the launch does not decide it: {count} (--verbose asks what does): {rules}",
            release=report.release,
            count=len(ids),
            rules=", ".join(ids),
        )
        return
    yield say("Not ruled out at {release}: {count}, each with what decides it:", release=report.release, count=len(ids))
    yield from (f"  {', '.join(one.rules)}: {one.question or say('not known')}" for one in report.undecided)


def _conclusion(report: UpgradeReport) -> str:
    engine, start = report.engine, report.start
    if not report.needed:
        return say(
            "Nothing known speaks against {engine} {start} with this launch (rules as of {date})",
            engine=engine,
            start=start,
            date=report.as_of,
        )
    if report.clears:
        return say(
            "{engine} {release} is the smallest release after {start} with nothing known against this launch "
            "(rules as of {date})",
            engine=engine,
            release=report.release,
            start=start,
            date=report.as_of,
        )
    if report.limit == start:
        return say(
            "No release of {engine} after {start} is known here; what is known against this launch stays",
            engine=engine,
            start=start,
        )
    if report.release == start:
        return say(
            "No release after {start} up to {limit} has less known against this launch: stay, and see below",
            start=start,
            limit=report.limit,
        )
    return say(
        "No release of {engine} after {start} up to {limit} clears this launch of all that is known; "
        "{release} comes closest",
        engine=engine,
        start=start,
        limit=report.limit,
        release=report.release,
    )


def _section(title: str, changes: tuple[SettingChange, ...]) -> Iterator[str]:
    if changes:
        yield ""
        yield title
        yield from (f"  {_change(one)}" for one in changes)


def _change(one: SettingChange) -> str:
    if one.change != "removed":
        named = {"name": one.name, "release": one.release, "what": say("; ").join(one.says)}
        if one.change == "added":
            return say("{name}: added in {release}: {what}", **named)
        return say("{name}: changed in {release}: {what}", **named)
    named = {"name": one.name, "release": one.release, "instead": one.instead}
    if one.instead and one.inverted:
        return say("{name}: removed in {release}; write {instead}, with the value turned round", **named)
    if one.instead:
        return say("{name}: removed in {release}; write {instead}", **named)
    return say("{name}: removed in {release}", name=one.name, release=one.release)
