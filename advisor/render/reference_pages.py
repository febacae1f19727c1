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
from advisor.model.report import FixOut
from advisor.render import words
from advisor.render.below import translated
from advisor.render.language import counted, say
from advisor.render.layout import columns, wrap

RECENT = 12  # releases shown unless all are asked for
LISTED = 8  # releases named one by one before a span is told by its ends


def settings_page(found: SettingsOut, *, width: int = 80) -> str:
    """Flags and variables of a release, a line or two each."""
    stands = say(" ({asked} was not read; this is the last release before it)", asked=found.asked)
    head = say(
        "{release}: {flags}, {variables}. Read {date} from the released artefacts; "
        "releases read: {oldest} to {newest}.",
        release=f"{found.engine} {found.release}{'' if found.exact else stands}",
        flags=counted(len(found.flags), "flag"),
        variables=counted(len(found.variables), "variable"),
        date=found.read,
        oldest=found.oldest,
        newest=found.newest,
    )
    lines = wrap(head, width) + (wrap(legend(), width) if found.flags else [])
    for part in (found.flags, found.variables):
        lines += [""] if part else []
        lines += [line for one in part for line in _setting(one, width)]
    lines += ["", say("NOT IN THIS RELEASE"), *_elsewhere(found.elsewhere, width)] if found.elsewhere else []
    return "\n".join(lines) + "\n"


def legend() -> str:
    """What the kinds of settings mean."""
    return say("switch: takes no value; pair: --x or --no-x; value, list, json: takes one, several, a JSON object.")


def _elsewhere(changes: Sequence[SettingChange], width: int) -> list[str]:
    """What else bears the name asked for, in other releases."""
    lines: list[str] = []
    for one in changes:
        named = {"name": one.name, "release": one.release}
        gone = one.change == "removed"
        said = say("{name}  went in {release}", **named) if gone else say("{name}  came in {release}", **named)
        lines += wrap(said, width, "", "    ")
        told = ([say("use {name}", name=one.instead)] if one.instead else []) + ([one.note] if one.note else [])
        lines += [line for text in told for line in wrap(text, width, "    ", "    ")]
    return lines


def _setting(one: SettingLine, width: int) -> list[str]:
    names = ", ".join([one.name, *one.aliases])
    facts = say("; ").join(_facts(one))
    head = f"{names}  {facts}"
    lines = wrap(head, width, "", "    ")
    return lines + (wrap(one.help, width, "    ", "    ") if one.help else [])


def _facts(one: SettingLine) -> list[str]:
    kind = (
        []
        if one.kind == "variable"
        else [one.kind + (f" {one.type}" if one.kind in ("value", "list") and one.type else "")]
    )
    facts = [*kind, say("default {value}", value=value(one.default) if one.default_known else say("set at run time"))]
    facts += [say("follows {name}", name=one.env)] if one.env else []
    facts += [say("one of {choices}", choices=say(", ").join(map(str, one.choices)))] if one.choices else []
    facts += [
        say("{key} one of {choices}", key=key, choices=say(", ").join(map(str, taken)))
        for key, taken in sorted(one.keys.items())
    ]
    facts += [
        say("since {release}", release=one.since)
        if one.changed == one.since
        else say("since {release}, as here since {changed}", release=one.since, changed=one.changed)
    ]
    facts += [say("gone in {release}", release=one.until)] if one.until else []
    if one.deprecated:
        facts.append(say("deprecated, use {name}", name=one.instead) if one.instead else say("deprecated"))
    return facts


def value(given: Any) -> str:
    """A default as one would type it."""
    if given is None:
        return say("none")
    if isinstance(given, str):
        return given or '""'
    return json.dumps(given, ensure_ascii=False)


def diff_page(found: SettingsDiff, *, width: int = 80) -> str:
    """What is gone, new and different from one release to another; what is gone comes first, since it stops a start."""
    changes = [*found.flags, *found.variables]
    head = say(
        "{step}: {removed} removed, {changed} changed, {added} added. What went before the first or came after the "
        "second is not here; advisor check says it of a command line. Read {date}.",
        step=f"{found.engine} {found.old} -> {found.new}",
        date=found.read,
        **{kind: sum(one.change == kind for one in changes) for kind in ("removed", "changed", "added")},
    )
    lines = wrap(head, width)
    for kind, title in (("removed", say("GONE")), ("changed", say("CHANGED")), ("added", say("NEW"))):
        part = [one for one in changes if one.change == kind]
        lines += ["", title] if part else []
        lines += [line for one in part for line in _change(one, width)]
    lines += ["", say("IN NEITHER RELEASE"), *_elsewhere(found.elsewhere, width)] if found.elsewhere else []
    return "\n".join(lines) + "\n"


def _change(one: SettingChange, width: int) -> list[str]:
    named = {"name": one.name, "release": one.release}
    gone = one.change == "removed"
    said = say("{name}  in {release}", **named) if gone else say("{name}  since {release}", **named)
    lines = wrap(said, width, "", "    ")
    told = list(one.says)
    if one.instead and one.inverted:
        told.append(say("use {name}, which means the opposite: turn its value round", name=one.instead))
    elif one.instead:
        told.append(say("use {name}", name=one.instead))
    told += [one.note] if one.note else []
    told += [one.help] if one.help and one.change == "added" else []
    return lines + [line for text in told for line in wrap(text, width, "    ", "    ")]


def releases_page(found: ReleasesOut, *, every: bool = False, width: int = 80) -> str:
    """Releases, newest first, with what each pins and the known fixes it was first to hold."""
    shown = found.releases[::-1] if every else found.releases[::-1][:RECENT]
    head = found.engine
    if len(found.releases) > 1:
        head = say("{name}: {what}", name=head, what=counted(len(found.releases), "release"))
    lines = wrap(say("{what}. Read {date} from {source}.", what=head, date=found.read, source=found.source), width)
    tall = True
    for one in shown:
        told = _release(one, width)
        lines += [*([""] if tall or len(told) > 1 else []), *told]
        tall = len(told) > 1
    if len(shown) < len(found.releases):
        lines += ["", say("{count} older ones: --all shows them", count=len(found.releases) - len(shown))]
    return "\n".join(lines) + "\n"


def _release(one: ReleaseOut, width: int) -> list[str]:
    lines = [f"{one.version}  {one.date or say('no date')}" + (f"  {one.commit[:12]}" if one.commit else "")]
    pins = ", ".join(f"{name}{pin}" for name, pin in one.pins.items())
    nccl = ", ".join(f"{version} ({arch})" for arch, version in one.nccl.items())
    told = [say("pins {pins}", pins=pins)] if pins else []
    told += [say("NCCL that follows: {versions}", versions=nccl)] if nccl else []
    told += [say("first to hold: {fixes}", fixes=say(", ").join(one.brings))] if one.brings else []
    return lines + [line for text in told for line in wrap(text, width, "    ", "    ")]


def holders_page(found: Sequence[FixHolders], *, width: int = 80) -> str:
    """Each fix of a rule: where it is, which releases hold it, and how that is known."""
    found = translated(tuple(found))
    if not found:
        return say("No upstream fix is known for this rule; advisor explain says what is.") + "\n"
    lines: list[str] = []
    for one in found:
        lines += [*([""] if lines else []), *_holders(one, width)]
    return "\n".join(lines) + "\n"


def _holders(one: FixHolders, width: int) -> list[str]:
    fix = one.fix
    number = f" #{fix.pr}" if fix.pr else ""
    told = [
        f"{fix.what}{say(' ({why})', why=say(words.COMPLETENESS[fix.completeness]))}",
        _commit(fix),
        fix.url,
        *_released(one),
        say("how known: {means}", means=words.listed((_means(fix), one.note))),
        *(say("fingerprint: {mark}", mark=mark) for mark in one.fingerprints),
        *(say("needs first: {need}", need=need) for need in one.needs),
    ]
    state = say("merged {date}", date=fix.merged) if fix.state == "merged" and fix.merged else say(fix.state)
    named = f"{fix.repo}{number}{say(' ({why})', why=state)}"
    head = wrap(say("{name}: {what}", name=one.rule, what=named), width, "", "    ")
    return head + [line for text in told for line in wrap(text, width, "    ", "      ")]


def _commit(fix: FixOut) -> str:
    if not fix.commit:
        return say("commit not established")
    said = say("commit {commit}", commit=fix.commit)
    return said + (say(" (a prefix; the rest is not established)") if fix.commit_is_prefix else "")


def _released(one: FixHolders) -> list[str]:
    none = say("no release")
    told = [say("first in: {release}", release=one.held_by[0])] if one.held_by else []
    if one.held_by or one.lacked_by:
        told.append(say("held by: {releases}", releases=span(one.held_by) or none))
        told.append(say("lacked by: {releases}", releases=span(one.lacked_by) or none))
    return [*told, *([say("not established for: {releases}", releases=span(one.open))] if one.open else [])]


def _means(fix: FixOut) -> str:
    return say(", ").join(map(say, fix.releases_by)) or say("not established")


def span(versions: Sequence[str]) -> str:
    """Releases by name, or the ends of a long list with their number."""
    if len(versions) <= LISTED:
        return say(", ").join(versions)
    return say("{first} to {last} ({count} releases)", first=versions[0], last=versions[-1], count=len(versions))


def status_page(parts: Sequence[PartStatus]) -> str:
    """The generated knowledge, a line a file."""
    rows = [("", say("holds"), say("reaches"), say("read, age"))]
    for one in parts:
        if one.engine not in [row[0] for row in rows]:
            rows.append((one.engine, "", "", ""))
        age = "" if one.age_days is None else say(", ").join((one.read, counted(one.age_days, "day")))
        rows.append((f"  {one.file}", one.holds, one.reaches, age))
    widths = [max(columns(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(map(_filled, row, widths)).rstrip() for row in rows]
    total = f"{sum(one.size_bytes for one in parts) / 1000:.0f}"
    said = say(
        "Tags and history come from clones and may end before the newest release, which is then judged by its files."
    )
    size = say("{total} kB in {files}", total=total, files=counted(len(parts), "file"))
    return "\n".join([*lines, "", *wrap(said, 80), size]) + "\n"


def _filled(cell: str, width: int) -> str:
    return cell + " " * (width - columns(cell))
