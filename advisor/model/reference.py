"""What is known of engines apart from any case, as the commands that look it up give it: plain, ready to be shown.

JSON output is these nouns, field by field.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from advisor.model.late import dataclass
from advisor.model.report import FixOut, SourceOut


@dataclass(frozen=True)
class SettingLine:
    """A flag or variable as one release has it. `default` is meaningless unless `default_known`.

    `since` is the first release read that has it, `changed` the one in which it last became as it is here; `until` the
    first later one that lacks it. `help` is "" where nobody wrote any. `keys` are those of a JSON object that take only
    some values, and which.
    """

    name: str
    kind: Literal["switch", "pair", "value", "list", "json", "variable"]
    aliases: tuple[str, ...]
    type: str | None
    choices: tuple[Any, ...]
    default: Any
    default_known: bool
    env: str | None
    since: str
    changed: str
    until: str | None
    deprecated: bool
    instead: str
    help: str
    keys: dict[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SettingsOut:
    """The settings of a release. `asked` is what was asked for; `release` the release read that stands for it.

    `elsewhere` are settings of the name that was searched for which this release does not have: gone, or not yet there.
    """

    engine: str
    asked: str
    release: str
    exact: bool
    read: str
    oldest: str
    newest: str
    flags: tuple[SettingLine, ...]
    variables: tuple[SettingLine, ...]
    elsewhere: tuple[SettingChange, ...]


@dataclass(frozen=True)
class SettingChange:
    """How one setting differs between two releases: `says` lists the differences of one that both have.

    For a setting that is gone `instead` is what takes its place ("" when nothing does or it is not established), and
    `note` what is known of it; `inverted`: `instead` means the opposite.
    """

    name: str
    change: Literal["added", "removed", "changed"]
    release: str
    says: tuple[str, ...]
    instead: str
    inverted: bool
    note: str
    help: str
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class SettingsDiff:
    """What changed in flags and variables from one release to another; `elsewhere` as for `SettingsOut`, in neither."""

    engine: str
    old: str
    new: str
    read: str
    flags: tuple[SettingChange, ...]
    variables: tuple[SettingChange, ...]
    elsewhere: tuple[SettingChange, ...]


@dataclass(frozen=True)
class SettingPast:
    """Everything that happened to one setting over the releases read, oldest first; it may come again."""

    name: str
    events: tuple[SettingChange, ...]


@dataclass(frozen=True)
class ReleaseOut:
    """A published release: `pins` are its requirements, `nccl` follows from the torch pin, per architecture.

    `brings` are the fixes named by rules that it is the first to hold, with the rules.
    """

    version: str
    date: str
    commit: str
    pins: dict[str, str]
    nccl: dict[str, str]
    brings: tuple[str, ...]


@dataclass(frozen=True)
class ReleasesOut:
    """The releases of an engine or component, oldest first."""

    engine: str
    read: str
    source: str
    releases: tuple[ReleaseOut, ...]


@dataclass(frozen=True)
class FixHolders:
    """A fix and every release known to hold or to lack it; `open` are releases of which it is not established."""

    rule: str
    fix: FixOut
    held_by: tuple[str, ...]
    lacked_by: tuple[str, ...]
    open: tuple[str, ...]
    note: str
    fingerprints: tuple[str, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True)
class PartStatus:
    """One generated file of an engine's knowledge: what is in it, the day it was read, how far it reaches."""

    engine: str
    file: str
    holds: str
    reaches: str
    read: str
    age_days: int | None
    size_bytes: int
