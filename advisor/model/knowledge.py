"""What is known about an engine: how it is recognised, its settings per release, its releases, history and fixes.

Plain nouns; the catalog room loads them from `knowledge/`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from advisor.model.build import order_key, public
from advisor.model.fact import Value


@dataclass(frozen=True, slots=True)
class SettingRecord:
    """A flag as one span of releases has it. `kind`: switch, pair (`--x/--no-x`), value, list or json.

    `default` is the value in force when the flag is absent; meaningless when `default_known` is False.
    """

    flag: str
    kind: str
    aliases: tuple[str, ...] = ()
    type: str | None = None
    choices: tuple[Value, ...] | None = None
    default: Any = None
    default_known: bool = False
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """A published release. `nccl` maps an architecture to the NCCL its torch pin brings; None where not established."""

    version: str
    date: date | None
    commit: str | None = None
    pins: dict[str, str] = field(default_factory=dict)
    nccl: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of upstream main: `position` grows from the oldest on, `pr` is None when the subject named none."""

    sha: str
    date: date
    pr: int | None
    position: int


class History:
    """Upstream main, first-parent, as one text: `<12 hex> <YYYY-MM-DD> <#PR or ->` a line, oldest first."""

    def __init__(self, text: str) -> None:
        start = 0
        header = []
        while text.startswith("#", start):
            end = text.find("\n", start) + 1 or len(text)
            header.append(text[start + 1 : end].strip())
            start = end
        self.header = tuple(header)
        self._text = text[start:]

    def __bool__(self) -> bool:
        return bool(self._text)

    def _commit(self, start: int) -> Commit:
        end = self._text.find("\n", start)
        sha, day, pr = self._text[start : end if end >= 0 else None].split()[:3]
        return Commit(sha, date.fromisoformat(day), int(pr[1:]) if pr != "-" else None, start)

    def find(self, sha: str) -> Commit | None:
        """The commit with this prefix (7 digits or more), or None when it is not on main or is ambiguous."""
        if len(sha) < 7:
            return None
        prefix = sha[:12].lower()
        start = 0 if self._text.startswith(prefix) else self._text.find("\n" + prefix) + 1
        if start == 0 and not self._text.startswith(prefix):
            return None
        if len(prefix) < 12 and self._text.find("\n" + prefix, start) >= 0:
            return None
        return self._commit(start)

    def of_pr(self, pr: int) -> Commit | None:
        """The commit on main whose subject ends in `(#pr)`."""
        at = self._text.find(f" #{pr}\n")
        if at < 0:
            return None
        return self._commit(self._text.rfind("\n", 0, at) + 1)

    def last(self) -> Commit | None:
        """The newest commit known: beyond it nothing can be said."""
        if not self._text:
            return None
        return self._commit(self._text.rstrip("\n").rfind("\n") + 1)


@dataclass(frozen=True, slots=True)
class FixRecord:
    """Which releases hold a fix, as established from git or from the released artefacts."""

    commit: str | None
    held_by: tuple[str, ...]
    lacked_by: tuple[str, ...]
    by: tuple[str, ...] = ()
    note: str | None = None

    def first(self) -> str | None:
        """The oldest release that holds it."""
        return min(self.held_by, key=order_key) if self.held_by else None


@dataclass(frozen=True, slots=True)
class Tag:
    """A release tag: its commit, and the newest main commit it descends from."""

    name: str
    commit: str
    main: str | None


class Knowledge:
    """One engine's knowledge. Parts not given are asked of `load` by name when first needed: `releases`, `settings`
    (a dict with `releases_read`, `settings`, `environment`), `history`, `tags`, `fixes`; None from it means none.
    """

    def __init__(
        self,
        engine: str,
        *,
        profile: dict[str, Any],
        releases: tuple[Release, ...] | None = None,
        settings: dict[str, list[dict[str, Any]]] | None = None,
        environment: dict[str, list[dict[str, Any]]] | None = None,
        settings_read: tuple[str, ...] = (),
        history: History | None = None,
        tags: dict[str, Tag] | None = None,
        fixes: dict[str, FixRecord] | None = None,
        load: Callable[[str], Any] | None = None,
    ) -> None:
        self.engine, self.profile, self._load = engine, profile, load
        given = {"releases": releases, "history": history, "tags": tags, "fixes": fixes}
        self._parts: dict[str, Any] = {name: part for name, part in given.items() if part is not None}
        if settings is not None or environment is not None:
            self._parts["settings"] = {
                "releases_read": settings_read,
                "settings": settings or {},
                "environment": environment or {},
            }
        self._aliases: dict[str, str] | None = None

    def _part(self, name: str, otherwise: Any) -> Any:
        if name not in self._parts:
            found = self._load(name) if self._load else None
            self._parts[name] = otherwise if found is None else found
        return self._parts[name]

    @property
    def releases(self) -> tuple[Release, ...]:
        """Published releases, oldest first."""
        found: tuple[Release, ...] = self._part("releases", ())
        return found

    @property
    def history(self) -> History:
        """Upstream main; empty when not known."""
        found: History = self._part("history", History(""))
        return found

    @property
    def tags(self) -> dict[str, Tag]:
        """Release tags by name."""
        found: dict[str, Tag] = self._part("tags", {})
        return found

    @property
    def fixes(self) -> dict[str, FixRecord]:
        """Which releases hold each fix, by `repo#pr`."""
        found: dict[str, FixRecord] = self._part("fixes", {})
        return found

    @property
    def _settings(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = self._part("settings", {}).get("settings", {})
        return found

    @property
    def _environment(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = self._part("settings", {}).get("environment", {})
        return found

    @property
    def releases_read(self) -> tuple[str, ...]:
        """Releases (and `main`, where it was read) whose settings are known."""
        return tuple(one for _, one in self._read)

    @cached_property
    def _read(self) -> list[tuple[Any, str]]:
        """Releases whose settings were read, with their place in the order."""
        return [(order_key(one), one) for one in self._part("settings", {}).get("releases_read", ())]

    def release(self, version: str) -> Release | None:
        """The published release with this version, its local label aside."""
        wanted = public(version)
        return next((one for one in self.releases if wanted is not None and public(one.version) == wanted), None)

    def canonical(self, flag: str) -> str | None:
        """The flag's canonical spelling, from any alias of any release; None when no release read has it."""
        head, dot, rest = flag.partition(".")
        if head in self._settings:
            return flag
        if self._aliases is None:
            self._aliases = {
                alias: name
                for name, records in self._settings.items()
                for one in records
                for alias in one.get("aliases") or ()
            }
        found = self._aliases.get(head)
        return found + dot + rest if found else None

    def flags(self) -> tuple[str, ...]:
        """Every canonical flag of every release read."""
        return tuple(self._settings)

    def variables(self) -> tuple[str, ...]:
        """Every environment variable of every release read."""
        return tuple(self._environment)

    def _at(self, records: list[dict[str, Any]], version: str | None) -> dict[str, Any] | None:
        if not version or not self._read:
            return None
        place = bisect_right([key for key, _ in self._read], order_key(version))
        nearest = self._read[max(0, place - 1)][0]
        for one in records:
            if order_key(one["since"]) <= nearest and (one["until"] is None or nearest < order_key(one["until"])):
                return one
        return None

    def setting(self, flag: str, version: str | None) -> SettingRecord | None:
        """The flag at `version` (the nearest release at or before it); with no version, the newest record.

        None when that release does not have the flag, or no release does.
        """
        records = self._settings.get(flag)
        if not records:
            return None
        raw = self._at(records, version) if version else records[-1]
        if raw is None:
            return None
        return SettingRecord(
            flag=flag,
            kind=raw["kind"],
            aliases=tuple(raw.get("aliases") or ()),
            type=raw.get("type"),
            choices=tuple(raw["choices"]) if raw.get("choices") else None,
            default=raw.get("default"),
            default_known=bool(raw.get("default_known")),
            since=raw.get("since"),
            until=raw.get("until"),
        )

    def constant(self, flag: str) -> SettingRecord | None:
        """The flag as every release that has it has it; None when its default ever changed, or is not known."""
        records = self._settings.get(flag) or []
        defaults = {str(one.get("default")) for one in records}
        known = all(one.get("default_known") for one in records)
        return self.setting(flag, None) if known and len(defaults) == 1 else None
