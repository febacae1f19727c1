"""What is known of engines -> text for a terminal: settings of a release, what changed, releases, holders of a fix."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from advisor.model.reference import (
    FixHolders,
    PartStatus,
    ReleaseOut,
    ReleasesOut,
    SettingChange,
    SettingLine,
    SettingsDiff,
    SettingsOut,
)
from advisor.render import words
from advisor.render.layout import columns, wrap

RECENT = 12  # releases shown unless all are asked for
LEGEND = "switch: takes no value; pair: --x or --no-x; value, list, json: takes one, several, a JSON object."
LISTED = 8  # releases named one by one before a span is told by its ends


def settings_page(found: SettingsOut, *, width: int = 80) -> str:
    """Flags and variables of a release, a line or two each."""
    stands = "" if found.exact else f" ({found.asked} was not read; this is the last release before it)"
    head = (
        f"{found.engine} {found.release}{stands}: {words.counted(len(found.flags), 'flag')}, "
        f"{words.counted(len(found.variables), 'variable')}. Read {found.read} from the released artefacts; "
        f"releases read: {found.oldest} to {found.newest}."
    )
    lines = wrap(head, width) + (wrap(LEGEND, width) if found.flags else [])
    for part in (found.flags, found.variables):
        lines += [""] if part else []
        lines += [line for one in part for line in _setting(one, width)]
    lines += ["", "NOT IN THIS RELEASE", *_elsewhere(found.elsewhere, width)] if found.elsewhere else []
    return "\n".join(lines) + "\n"


def _elsewhere(changes: Sequence[SettingChange], width: int) -> list[str]:
    """What else bears the name asked for, in other releases."""
    lines: list[str] = []
    for one in changes:
        gone = f"went in {one.release}" if one.change == "removed" else f"came in {one.release}"
        lines += wrap(f"{one.name}  {gone}", width, "", "    ")
        told = ([f"use {one.instead}"] if one.instead else []) + ([one.note] if one.note else [])
        lines += [line for text in told for line in wrap(text, width, "    ", "    ")]
    return lines


def _setting(one: SettingLine, width: int) -> list[str]:
    names = ", ".join([one.name, *one.aliases])
    facts = "; ".join(_facts(one))
    head = f"{names}  {facts}"
    lines = wrap(head, width, "", "    ")
    return lines + (wrap(one.help, width, "    ", "    ") if one.help else [])


def _facts(one: SettingLine) -> list[str]:
    kind = (
        []
        if one.kind == "variable"
        else [one.kind + (f" {one.type}" if one.kind in ("value", "list") and one.type else "")]
    )
    facts = [*kind, f"default {value(one.default) if one.default_known else 'set at run time'}"]
    facts += [f"follows {one.env}"] if one.env else []
    facts += [f"one of {', '.join(map(str, one.choices))}"] if one.choices else []
    facts += [f"since {one.since}" + (f", as here since {one.changed}" if one.changed != one.since else "")]
    facts += [f"gone in {one.until}"] if one.until else []
    facts += ["deprecated" + (f", use {one.instead}" if one.instead else "")] if one.deprecated else []
    return facts


def value(given: Any) -> str:
    """A default as one would type it."""
    if given is None:
        return "none"
    if isinstance(given, str):
        return given or '""'
    return json.dumps(given, ensure_ascii=False)


def diff_page(found: SettingsDiff, *, width: int = 80) -> str:
    """What is gone, new and different from one release to another; what is gone comes first, since it stops a start."""
    changes = [*found.flags, *found.variables]
    counts = ", ".join(
        f"{sum(one.change == kind for one in changes)} {kind}" for kind in ("removed", "changed", "added")
    )
    between = (
        "What went before the first or came after the second is not here; advisor check says it of a command line."
    )
    lines = wrap(f"{found.engine} {found.old} -> {found.new}: {counts}. {between} Read {found.read}.", width)
    for kind, title in (("removed", "GONE"), ("changed", "CHANGED"), ("added", "NEW")):
        part = [one for one in changes if one.change == kind]
        lines += ["", title] if part else []
        lines += [line for one in part for line in _change(one, width)]
    lines += ["", "IN NEITHER RELEASE", *_elsewhere(found.elsewhere, width)] if found.elsewhere else []
    return "\n".join(lines) + "\n"


def _change(one: SettingChange, width: int) -> list[str]:
    lines = wrap(f"{one.name}  {'in' if one.change == 'removed' else 'since'} {one.release}", width, "", "    ")
    told = list(one.says)
    if one.instead:
        told.append(f"use {one.instead}" + (", which means the opposite: turn its value round" if one.inverted else ""))
    told += [one.note] if one.note else []
    told += [one.help] if one.help and one.change == "added" else []
    return lines + [line for text in told for line in wrap(text, width, "    ", "    ")]


def releases_page(found: ReleasesOut, *, every: bool = False, width: int = 80) -> str:
    """Releases, newest first, with what each pins and the known fixes it was first to hold."""
    shown = found.releases[::-1] if every else found.releases[::-1][:RECENT]
    head = (
        f"{found.engine}: {words.counted(len(found.releases), 'release')}" if len(found.releases) > 1 else found.engine
    )
    lines = wrap(f"{head}. Read {found.read} from {found.source}.", width)
    tall = True
    for one in shown:
        told = _release(one, width)
        lines += [*([""] if tall or len(told) > 1 else []), *told]
        tall = len(told) > 1
    if len(shown) < len(found.releases):
        lines += ["", f"{len(found.releases) - len(shown)} older ones: --all shows them"]
    return "\n".join(lines) + "\n"


def _release(one: ReleaseOut, width: int) -> list[str]:
    lines = [f"{one.version}  {one.date or 'no date'}" + (f"  {one.commit[:12]}" if one.commit else "")]
    pins = ", ".join(f"{name}{pin}" for name, pin in one.pins.items())
    nccl = ", ".join(f"{version} ({arch})" for arch, version in one.nccl.items())
    told = ([f"pins {pins}"] if pins else []) + ([f"NCCL that follows: {nccl}"] if nccl else [])
    told += [f"first to hold: {', '.join(one.brings)}"] if one.brings else []
    return lines + [line for text in told for line in wrap(text, width, "    ", "    ")]


def holders_page(found: Sequence[FixHolders], *, width: int = 80) -> str:
    """Each fix of a rule: where it is, which releases hold it, and how that is known."""
    if not found:
        return "No upstream fix is known for this rule; advisor explain says what is.\n"
    lines: list[str] = []
    for one in found:
        lines += [*([""] if lines else []), *_holders(one, width)]
    return "\n".join(lines) + "\n"


def _holders(one: FixHolders, width: int) -> list[str]:
    fix = one.fix
    number = f" #{fix.pr}" if fix.pr else ""
    told_of = bool(one.held_by or one.lacked_by)
    commit = (
        f"{fix.commit}{' (a prefix; the rest is not established)' if fix.commit_is_prefix else ''}"
        if fix.commit
        else ""
    )
    told = [
        f"{fix.what} ({words.COMPLETENESS[fix.completeness]})",
        f"commit {commit}" if commit else "commit not established",
        fix.url,
        *([f"first in: {one.held_by[0]}"] if one.held_by else []),
        *([f"held by: {span(one.held_by) or 'no release'}"] if told_of else []),
        *([f"lacked by: {span(one.lacked_by) or 'no release'}"] if told_of else []),
        *([f"not established for: {span(one.open)}"] if one.open else []),
        f"how known: {', '.join(fix.releases_by) or 'not established'}" + (f"; {one.note}" if one.note else ""),
        *(f"fingerprint: {mark}" for mark in one.fingerprints),
        *(f"needs first: {need}" for need in one.needs),
    ]
    state = f"merged {fix.merged}" if fix.state == "merged" and fix.merged else fix.state
    head = wrap(f"{one.rule}: {fix.repo}{number} ({state})", width, "", "    ")
    return head + [line for text in told for line in wrap(text, width, "    ", "      ")]


def span(versions: Sequence[str]) -> str:
    """Releases by name, or the ends of a long list with their number."""
    if len(versions) <= LISTED:
        return ", ".join(versions)
    return f"{versions[0]} to {versions[-1]} ({len(versions)} releases)"


def status_page(parts: Sequence[PartStatus]) -> str:
    """The generated knowledge, a line a file."""
    rows = [("", "holds", "reaches", "read, age")]
    for one in parts:
        if one.engine not in [row[0] for row in rows]:
            rows.append((one.engine, "", "", ""))
        age = "" if one.age_days is None else f"{one.read}, {words.counted(one.age_days, 'day')}"
        rows.append((f"  {one.file}", one.holds, one.reaches, age))
    widths = [max(columns(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    total = sum(one.size_bytes for one in parts) / 1000
    said = "Tags and history come from clones and may end before the newest release, which is then judged by its files."
    return "\n".join([*lines, "", *wrap(said, 80), f"{total:.0f} kB in {words.counted(len(parts), 'file')}"]) + "\n"
