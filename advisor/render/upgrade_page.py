"""An upgrade's answer -> a page: which release, which were skipped and why, what changes on the way, the edit.

0.5.20 is the smallest release of sglang after 0.5.18 that clears this launch of every known failure
  0.5.19  skipped: sglang/timeout-abort-divergence exposed
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from advisor.model.reference import SettingChange
from advisor.model.upgrade import UpgradeReport
from advisor.render.quoting import UNSAFE


def page(report: UpgradeReport, width: int = 100) -> str:
    """The page as text."""
    lines = [line for one in _lines(report) for line in (_wrapped(one, width) if one else [""])]
    body = "".join(UNSAFE.sub("?", line) + "\n" for line in lines)
    shown = "".join(UNSAFE.sub("?", one) if one.strip("\r\n") else one for one in report.diff.splitlines(keepends=True))
    return body + (f"\n{report.diff if shown.count('?') == report.diff.count('?') else shown}" if report.diff else "")


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _lines(report: UpgradeReport) -> Iterator[str]:
    yield _conclusion(report)
    if report.skipped:
        yield ""
        yield from (f"  {one.release}  skipped: {'; '.join(one.reasons)}" for one in report.skipped)
    if report.remain and report.needed:
        yield ""
        yield f"What is still said of it at {report.release}:"
        yield from (f"  {one.level} {one.id}: {one.says}" for one in report.remain)
    yield from _section("Settings given that change on the way:", report.changes)
    yield from _section(
        "Defaults that change, of settings not given here, where a rule looks at them:", report.defaults
    )
    if report.repairs:
        yield ""
        yield "Edits of the flags:"
        yield from (f"  {one.does}{'' if one.done else f' left: {one.why}'}" for one in report.repairs)
    if report.notes:
        yield ""
        yield from (f"Note: {one}" for one in report.notes)


def _conclusion(report: UpgradeReport) -> str:
    engine, start = report.engine, report.start
    if not report.needed:
        return f"Nothing known speaks against {engine} {start} with this launch (rules as of {report.as_of})"
    if report.clears:
        return (
            f"{engine} {report.release} is the smallest release after {start} with nothing known against this launch "
            f"(rules as of {report.as_of})"
        )
    if report.limit == start:
        return f"No release of {engine} after {start} is known here; what is known against this launch stays"
    if report.release == start:
        return f"No release after {start} up to {report.limit} has less known against this launch: stay, and see below"
    return (
        f"No release of {engine} after {start} up to {report.limit} clears this launch of all that is known; "
        f"{report.release} comes closest"
    )


def _section(title: str, changes: tuple[SettingChange, ...]) -> Iterator[str]:
    if changes:
        yield ""
        yield title
        yield from (f"  {_change(one)}" for one in changes)


def _change(one: SettingChange) -> str:
    if one.change == "removed":
        turned = ", with the value turned round" if one.inverted else ""
        instead = f"; write {one.instead}{turned}" if one.instead else ""
        return f"{one.name}: removed in {one.release}{instead}"
    return f"{one.name}: {one.change} in {one.release}: {'; '.join(one.says)}"
