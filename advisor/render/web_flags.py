"""The flags of releases -> the pages that browse them: where to begin, one release, and what changed between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.model.reference import SettingChange, SettingLine, SettingsDiff, SettingsOut
from advisor.render.below import told
from advisor.render.language import counted, say
from advisor.render.reference_pages import legend, value
from advisor.render.web_frame import Frame, written

Naming = Mapping[str, tuple[str, ...]]
"""The rules that name a setting, by its name."""


@dataclass(frozen=True)
class Row:
    """A flag or variable in a line of a table; `notes` stand below its name."""

    names: tuple[str, ...]
    takes: str
    choices: tuple[str, ...]
    default: str
    since: str
    until: str
    notes: tuple[str, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """What happened to one setting, in sentences."""

    name: str
    release: str
    says: tuple[str, ...]
    rules: tuple[str, ...]


def start(frame: Frame, read: Sequence[tuple[str, str, tuple[str, ...]]]) -> str:
    """The engines with the releases whose settings were read, newest first."""
    return written("flags.html.j2", frame, title=say("Flags"), here="flags", engines=read)


def settings_page(frame: Frame, found: SettingsOut, grep: str, releases: Sequence[str], naming: Naming) -> str:
    """The flags and variables of one release."""
    asked = say("{asked} was not read; this is the last release before it.", asked=found.asked)
    return written(
        "flags_release.html.j2",
        frame,
        title=say("Flags of {build}", build=f"{found.engine} {found.release}"),
        here="flags",
        found=found,
        grep=grep,
        releases=releases,
        stands="" if found.exact else asked,
        about=_about(found),
        legend=legend(),
        tables=[
            (say("Flags"), "flags", [_row(one, naming) for one in found.flags]),
            (say("Environment variables"), "variables", [_row(one, naming) for one in found.variables]),
        ],
        elsewhere=[_elsewhere(one, naming) for one in found.elsewhere],
    )


def _about(found: SettingsOut) -> str:
    return say(
        "{flags} and {variables}, read {date} from the released artefacts; releases read: {oldest} to {newest}.",
        flags=counted(len(found.flags), "flag"),
        variables=counted(len(found.variables), "variable"),
        date=found.read,
        oldest=found.oldest,
        newest=found.newest,
    )


def _row(one: SettingLine, naming: Naming) -> Row:
    of = f" {one.type}" if one.kind in ("value", "list") and one.type else ""
    gone = say("deprecated, use {name}", name=one.instead) if one.instead else say("deprecated")
    notes = [gone] if one.deprecated else []
    notes += [say("follows {name}", name=one.env)] if one.env else []
    notes += [
        say("{key} one of {choices}", key=key, choices=say(", ").join(map(str, taken)))
        for key, taken in sorted(one.keys.items())
    ]
    notes += [one.help] if one.help else []
    since = one.since
    if one.changed != one.since:
        since = say("{release}, as here since {changed}", release=one.since, changed=one.changed)
    return Row(
        names=(one.name, *one.aliases),
        takes="" if one.kind == "variable" else one.kind + of,
        choices=tuple(map(str, one.choices)),
        default=value(one.default) if one.default_known else say("set at run time"),
        since=since,
        until=one.until or "",
        notes=tuple(notes),
        rules=_rules((one.name, *one.aliases), naming),
    )


def _rules(names: Sequence[str], naming: Naming) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule for name in names for rule in naming.get(name, ())))


def _elsewhere(one: SettingChange, naming: Naming) -> Change:
    gone = one.change == "removed"
    said = say("went in {release}", release=one.release) if gone else say("came in {release}", release=one.release)
    return Change(one.name, one.release, (said, *_instead(one)), _rules((one.name,), naming))


def changes_page(frame: Frame, found: SettingsDiff, grep: str, releases: Sequence[str], naming: Naming) -> str:
    """What is gone, different and new from one release to another; what is gone comes first, since it stops a start."""
    changes = (*found.flags, *found.variables)
    kinds = (("removed", say("Gone")), ("changed", say("Changed")), ("added", say("New")))
    return written(
        "flags_changes.html.j2",
        frame,
        title=say("Flags of {build}", build=f"{found.engine} {found.old} → {found.new}"),
        here="flags",
        found=found,
        grep=grep,
        releases=releases,
        parts=[
            (kind, title, [_changed(one, naming) for one in changes if one.change == kind]) for kind, title in kinds
        ],
        elsewhere=[_elsewhere(one, naming) for one in found.elsewhere],
    )


def _changed(one: SettingChange, naming: Naming) -> Change:
    says = [*map(told, one.says), *_instead(one)]
    says += [one.help] if one.help and one.change == "added" else []
    return Change(one.name, one.release, tuple(says), _rules((one.name,), naming))


def _instead(one: SettingChange) -> list[str]:
    if one.instead and one.inverted:
        use = say("use {name}, which means the opposite: turn its value round", name=one.instead)
    else:
        use = say("use {name}", name=one.instead) if one.instead else ""
    return [each for each in (use, one.note) if each]
