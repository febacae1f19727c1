"""Knowledge -> the settings of one release, or what changed between two."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import Literal

from advisor.catalog.engines import knowledge, profiles
from advisor.catalog.replacements import replacements
from advisor.errors import UsageError
from advisor.model.build import order_key, parse_version
from advisor.model.knowledge import Knowledge, SettingRecord, VariableRecord
from advisor.model.reference import SettingChange, SettingLine, SettingPast, SettingsDiff, SettingsOut
from advisor.model.replacement import Replacement, in_force
from advisor.model.report import SourceOut

NEWEST = ("newest", "latest")


def settings(engine: str, version: str, grep: str = "") -> SettingsOut:
    """The flags and variables of a release whose name, spelling, choice or help contains `grep`.

    Raises UsageError for an engine without settings and for a version older or newer than all that were read.
    """
    known = known_engine(engine)
    release = release_read(known, version)
    flags = [_line(record, known.records(record.flag), known) for record in known.settings_at(release)]
    names = [_variable(record, known) for record in known.variables_at(release)]
    return SettingsOut(
        engine=known.engine,
        asked=version,
        release=release,
        exact=order_key(version) == order_key(release) if version not in NEWEST else True,
        read=known.read_on,
        oldest=known.releases_read[0],
        newest=known.releases_read[-1],
        flags=tuple(one for one in flags if _has(one, grep)),
        variables=tuple(one for one in names if _has(one, grep)),
        elsewhere=_elsewhere(known, (release,), grep),
    )


def known_engine(name: str) -> Knowledge:
    """The knowledge of an engine that has settings. Raises UsageError with the nearest name."""
    return known_with("settings", lambda one: one.releases_read, name)


def known_with(what: str, part: Callable[[Knowledge], object], name: str) -> Knowledge:
    """The knowledge of an engine or component that has this part. Raises UsageError with the nearest name."""
    having = [one for one in profiles() if part(knowledge(one))]
    wanted = name.strip().lower().replace("_", "-")
    if wanted in having:
        return knowledge(wanted)
    near = get_close_matches(wanted, having, 1)
    hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(sorted(having))}"
    raise UsageError(f"no {what} are known of {name!r}", "ENGINE", hint)


def release_read(known: Knowledge, version: str) -> str:
    """The release read that stands for a version: itself, else the last one before it within the span that was read."""
    read = known.releases_read
    wanted = version.strip().removeprefix("v")
    if wanted in NEWEST:
        return known.newest_read
    if wanted != "main" and parse_version(wanted) is None:
        raise UsageError(f"not a version: {version!r}", "VERSION", f"such as {read[-1]}, or newest")
    before = [one for one in read if order_key(one) <= order_key(wanted)]
    span = f"settings were read of {known.engine} {read[0]} to {read[-1]}, on {known.read_on}"
    if not before or (wanted != "main" and order_key(wanted) > order_key(known.newest_read)):
        raise UsageError(f"{known.engine} {wanted} is outside of what is known", "VERSION", span)
    if wanted == "main" and "main" not in read:
        raise UsageError(f"main of {known.engine} was not read", "VERSION", span)
    return before[-1]


def _has(one: SettingLine, grep: str) -> bool:
    words = (one.name, *one.aliases, *map(str, one.choices), one.help)
    return any(grep.lower() in word.lower() for word in words)


def _line(here: SettingRecord, records: Sequence[SettingRecord], known: Knowledge) -> SettingLine:
    return SettingLine(
        name=here.flag,
        kind=here.kind,  # type: ignore[arg-type]
        aliases=here.aliases,
        type=here.type,
        choices=here.choices or (),
        default=here.default,
        default_known=here.default_known,
        env=here.env,
        since=_first(here.since, records),
        changed=here.since or "",
        until=_end(here.since, records),
        deprecated=here.deprecated,
        instead=here.instead or "",
        help=known.help(here.flag) or "",
        keys=dict(here.keys),
    )


def _variable(here: VariableRecord, known: Knowledge) -> SettingLine:
    records = known.variable_records(here.name)
    return SettingLine(
        name=here.name,
        kind="variable",
        aliases=(),
        type=None,
        choices=(),
        default=here.default,
        default_known=here.default_known,
        env=None,
        since=_first(here.since, records),
        changed=here.since or "",
        until=_end(here.since, records),
        deprecated=here.deprecated,
        instead=here.instead or "",
        help=known.help(here.name) or "",
    )


def _first(since: str | None, records: Sequence[SettingRecord] | Sequence[VariableRecord]) -> str:
    """The release from which on the setting was there without a gap."""
    first = since
    for one in reversed([each for each in records if order_key(each.since or "") < order_key(since or "")]):
        if one.until != first:
            break
        first = one.since
    return first or ""


def _end(since: str | None, records: Sequence[SettingRecord] | Sequence[VariableRecord]) -> str | None:
    """The first release after which the setting is not there any more, changes aside."""
    end = None
    for one in [each for each in records if order_key(each.since or "") >= order_key(since or "")]:
        if end is not None and one.since != end:
            break
        end = one.until
        if end is None:
            return None
    return end


def diff(engine: str, old: str, new: str, grep: str = "") -> SettingsDiff:
    """What changed between two releases, each as `settings` takes it, in settings with `grep` in name or help."""
    known = known_engine(engine)
    first, second = release_read(known, old), release_read(known, new)
    if order_key(first) >= order_key(second):
        raise UsageError(f"{old} is not before {new}", "OLD NEW", "give the older release first")
    return SettingsDiff(
        engine=known.engine,
        old=first,
        new=second,
        read=known.read_on,
        flags=_changes(known, known.flags(), (first, second), grep),
        variables=_changes(known, known.variables(), (first, second), grep),
        elsewhere=_elsewhere(known, (first, second), grep),
    )


def past(engine: str) -> tuple[SettingPast, ...]:
    """Every flag, then every variable of any release read, with what happened to it. Raises UsageError."""
    known = known_engine(engine)
    names = (*sorted(known.flags()), *sorted(known.variables()))
    return tuple(SettingPast(name, tuple(_events(known, name))) for name in names)


def _events(known: Knowledge, name: str) -> Iterator[SettingChange]:
    before = None
    for record in _records(known, name):
        if before is None or before.until != record.since:
            yield _changed(known, name, "added", record.since or "")
        elif (
            says := _flag_says(before, record) if isinstance(before, SettingRecord) else _variable_says(before, record)
        ):
            yield _changed(known, name, "changed", record.since or "", says)
        before = record
        if record.until and not any(one.since == record.until for one in _records(known, name)):
            yield _changed(known, name, "removed", record.until)


def _elsewhere(known: Knowledge, releases: tuple[str, ...], grep: str) -> tuple[SettingChange, ...]:
    """The settings that are searched for by name and that none of these releases has."""
    if not grep:
        return ()
    found = []
    for name in sorted(one for one in (*known.flags(), *known.variables()) if grep.lower() in one.lower()):
        if any(_there(known, name, one) for one in releases):
            continue
        records = _records(known, name)
        before = [one for one in records if order_key(one.since or "") < order_key(releases[0])]
        by = in_force(replacements(known.engine).get(name, ()), releases[-1]) if before else None
        release = _end(before[-1].since, records) if before else records[0].since
        found.append(_changed(known, name, "removed" if before else "added", release or "", by=by))
    return tuple(found)


def _there(known: Knowledge, name: str, release: str) -> bool:
    """Whether a release takes the name: as a setting, as another's spelling, or to turn another off."""
    if known.setting(name, release) or known.variable(name, release) or known.opposite_of(name, release):
        return True
    return name.startswith("-") and known.canonical_at(name, release) != name


def _changes(known: Knowledge, names: Sequence[str], span: tuple[str, str], grep: str) -> tuple[SettingChange, ...]:
    wanted = [name for name in sorted(names) if grep.lower() in f"{name} {known.help(name) or ''}".lower()]
    found = (_change(known, name, span) for name in wanted)
    return tuple(one for one in found if one is not None)


def _change(known: Knowledge, name: str, span: tuple[str, str]) -> SettingChange | None:
    """How a setting differs between two releases; None when it does not, or neither has it."""
    records = _records(known, name)
    before, after = (known.setting(name, one) or known.variable(name, one) for one in span)
    if before is None and after is None:
        return None
    if before is None or after is None:
        by = in_force(replacements(known.engine).get(name, ()), span[1]) if after is None else None
        release = _first(after.since, records) if after else _end(before.since if before else None, records)
        return _changed(known, name, "added" if after else "removed", release or span[1], by=by)
    says = _says(before, after)
    return _changed(known, name, "changed", after.since or "", says) if says else None


def _changed(
    known: Knowledge,
    name: str,
    change: Literal["added", "removed", "changed"],
    release: str,
    says: Sequence[str] = (),
    by: Replacement | None = None,
) -> SettingChange:
    return SettingChange(
        name=name,
        change=change,
        release=release,
        says=tuple(says),
        instead=(by.instead or "") if by else "",
        inverted=bool(by and by.inverted),
        note=by.says if by else "",
        help=known.help(name) or "",
        sources=tuple(map(SourceOut.of, by.source)) if by else (),
    )


def _records(known: Knowledge, name: str) -> Sequence[SettingRecord] | Sequence[VariableRecord]:
    return known.records(name) if name.startswith("-") else known.variable_records(name)


def _says(old: SettingRecord | VariableRecord, new: SettingRecord | VariableRecord) -> list[str]:
    return _flag_says(old, new) if isinstance(old, SettingRecord) else _variable_says(old, new)


def _flag_says(old: SettingRecord, new: SettingRecord | VariableRecord) -> list[str]:
    """The differences of a flag in words."""
    assert isinstance(new, SettingRecord)
    says = []
    if _kind(old) != _kind(new):
        says.append(f"kind: {_kind(old)} -> {_kind(new)}")
    says += _default(old, new)
    gone, come = (_less(a.choices, b.choices) for a, b in ((old, new), (new, old)))
    if gone or come:
        says.append("choices: " + ", ".join([*(f"-{one}" for one in gone), *(f"+{one}" for one in come)]))
    elif bool(old.choices) != bool(new.choices):
        listed = ", ".join(map(str, new.choices or ()))
        says.append(f"choices: {listed}" if listed else "choices: no longer listed")
    for key in sorted(old.keys.keys() & new.keys.keys()):
        gone, come = _less(old.keys[key], new.keys[key]), _less(new.keys[key], old.keys[key])
        if gone or come:
            says.append(f"choices of {key}: " + ", ".join([*(f"-{one}" for one in gone), *(f"+{one}" for one in come)]))
    gone, come = _less(old.aliases, new.aliases), _less(new.aliases, old.aliases)
    if gone or come:
        says.append("spellings: " + ", ".join([*(f"-{one}" for one in gone), *(f"+{one}" for one in come)]))
    if set(new.negations) - set(old.negations):
        says.append(f"turned off by: {', '.join(sorted(set(new.negations) - set(old.negations)))}")
    return says + _deprecation(old, new)


def _variable_says(old: VariableRecord, new: SettingRecord | VariableRecord) -> list[str]:
    return _default(old, new) + _deprecation(old, new)


def _default(old: SettingRecord | VariableRecord, new: SettingRecord | VariableRecord) -> list[str]:
    if old.default_known and new.default_known and repr(old.default) != repr(new.default):
        return [f"default: {shown(old.default)} -> {shown(new.default)}"]
    if old.default_known != new.default_known:
        known, unknown = (shown(old.default), "set at run time") if old.default_known else ("set at run time", "")
        return [f"default: {known} -> {unknown or shown(new.default)}"]
    return []


def _deprecation(old: SettingRecord | VariableRecord, new: SettingRecord | VariableRecord) -> list[str]:
    if new.deprecated and not old.deprecated:
        return ["deprecated" + (f": use {new.instead}" if new.instead else "")]
    return ["no longer deprecated"] if old.deprecated and not new.deprecated else []


def _kind(record: SettingRecord) -> str:
    return record.kind + (f" of {record.type}" if record.type and record.kind in ("value", "list") else "")


def _less(one: Sequence[object] | None, other: Sequence[object] | None) -> list[object]:
    """What `other` lacks of `one`, when both list any."""
    return [each for each in one or () if each not in (other or ())] if one is not None and other is not None else []


def shown(value: object) -> str:
    """A default as the command line or JSON would write it."""
    if isinstance(value, str):
        return value or '""'
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
