"""What is known about an engine: how it is recognised, its settings per release, its releases, history and fixes.

Plain nouns; the catalog room loads them from `knowledge/`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import date
from functools import cached_property, lru_cache
from typing import Any

from advisor.model.build import order_key, public
from advisor.model.fact import Value
from advisor.model.late import dataclass


@dataclass(frozen=True, slots=True)
class SettingRecord:
    """A flag as one span of releases has it. `kind`: switch, pair (`--x/--no-x`), value, list or json.

    `default` is the value in force when the flag is absent; meaningless when `default_known` is False.
    `deprecated`: that release warns when it is used; `instead` is the setting it names in its place. `env` names a
    variable that the default follows; `negations` are spellings besides `--no-x` that turn a pair off. `optional`: the
    value may be left out; `keys` are those of a JSON object that take only some values, and which.
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
    deprecated: bool = False
    instead: str | None = None
    env: str | None = None
    negations: tuple[str, ...] = ()
    optional: bool = False
    keys: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VariableRecord:
    """An environment variable as one span of releases reads it; fields as for `SettingRecord`."""

    name: str
    default: str | None = None
    default_known: bool = False
    since: str | None = None
    until: str | None = None
    deprecated: bool = False
    instead: str | None = None


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
        return _with_prefix(self, sha[:12].lower()) if len(sha) >= 7 else None

    def of_pr(self, pr: int) -> Commit | None:
        """The commit on main whose subject ends in `(#pr)`."""
        return _of_pr(self, pr)

    def last(self) -> Commit | None:
        """The newest commit known: beyond it nothing can be said."""
        if not self._text:
            return None
        return self._commit(self._text.rstrip("\n").rfind("\n") + 1)


# The commits that rules name are asked for at each launch of thousands, in a text of megabytes.


@lru_cache(maxsize=4096)
def _with_prefix(history: History, prefix: str) -> Commit | None:
    text = history._text
    start = 0 if text.startswith(prefix) else text.find("\n" + prefix) + 1
    if start == 0 and not text.startswith(prefix):
        return None
    if len(prefix) < 12 and text.find("\n" + prefix, start) >= 0:
        return None
    return history._commit(start)


@lru_cache(maxsize=4096)
def _of_pr(history: History, pr: int) -> Commit | None:
    at = history._text.find(f" #{pr}\n")
    if at < 0:
        return None
    return history._commit(history._text.rfind("\n", 0, at) + 1)


@dataclass(frozen=True)
class FixRecord:
    """Which releases hold a fix, as established from git or from the released artefacts."""

    commit: str | None
    held_by: tuple[str, ...]
    lacked_by: tuple[str, ...]
    by: tuple[str, ...] = ()
    note: str | None = None

    def first(self) -> str | None:
        """The oldest release that holds it."""
        return self._first

    @cached_property
    def _first(self) -> str | None:
        return min(self.held_by, key=order_key) if self.held_by else None


@dataclass(frozen=True, slots=True)
class Tag:
    """A release tag: its commit, and the newest main commit it descends from."""

    name: str
    commit: str
    main: str | None


class Histories(Mapping[str, list[dict[str, Any]]]):
    """Setting -> its records, oldest first. A history still in JSON is read when it is asked for."""

    def __init__(self, given: Mapping[str, str | list[dict[str, Any]]]) -> None:
        self._given = given
        self._read: dict[str, list[dict[str, Any]]] = {}

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        if name not in self._read:
            found = self._given[name]
            self._read[name] = json.loads(found) if isinstance(found, str) else found
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


class Knowledge:
    """One engine's knowledge. Parts not given are asked of `load` by name when first needed; None from it means none.

    The parts: `releases`; `settings`, a dict with `releases_read`, `settings`, `environment`, and `aliases` and
    `negations` where it is compiled; `history`, `tags`, `fixes`; `help`, words by setting.
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
        self._asked: dict[tuple[str, str | None], SettingRecord | None] = {}
        self._asked_variables: dict[tuple[str, str | None], VariableRecord | None] = {}
        self._constants: dict[str, SettingRecord | None] = {}
        self._histories: dict[str, tuple[SettingRecord, ...]] = {}
        given = {"releases": releases, "history": history, "tags": tags, "fixes": fixes}
        self._parts: dict[str, Any] = {name: part for name, part in given.items() if part is not None}
        if settings is not None or environment is not None:
            self._parts["settings"] = {
                "releases_read": settings_read,
                "settings": settings or {},
                "environment": environment or {},
            }

    def _part(self, name: str, otherwise: Any) -> Any:
        if name not in self._parts:
            found = self._load(name) if self._load else None
            self._parts[name] = otherwise if found is None else found
        return self._parts[name]

    @cached_property
    def host(self) -> str:
        """The engine below a plugin, whose commands and flags it has; "" for what is no plugin."""
        return str(self.profile.get("under") or "") if self.profile.get("kind") == "plugin" else ""

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

    @cached_property
    def _settings(self) -> Histories:
        return Histories(self._part("settings", {}).get("settings", {}))

    @cached_property
    def _environment(self) -> Histories:
        return Histories(self._part("settings", {}).get("environment", {}))

    def _spelled(self, kind: str) -> dict[str, str]:
        """Canonical flag by every spelling of a kind (`aliases`, `negations`), whichever release has it."""
        known: dict[str, str] | None = self._part("settings", {}).get(kind)
        if known is not None:
            return known
        return {
            one: name for name, records in self._settings.items() for each in records for one in each.get(kind) or ()
        }

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return self._spelled("aliases")

    @cached_property
    def _negations(self) -> dict[str, str]:
        return self._spelled("negations")

    @cached_property
    def releases_read(self) -> tuple[str, ...]:
        """Releases (and `main`, where it was read) whose settings are known."""
        return tuple(one for _, one in self._read)

    @property
    def newest_read(self) -> str:
        """The last release, not `main`, whose settings are known."""
        return [one for one in self.releases_read if one != "main"][-1]

    def read_from(self, fact: str) -> tuple[str, ...]:
        """The flags and variables that a fact is derived from; none for a fact that the engine has no recipe of."""
        recipe = (self.profile.get("facts") or {}).get(fact) or {}
        return (*map(str, recipe.get("settings") or ()), *map(str, recipe.get("env") or ()))

    def about(self, part: str) -> dict[str, str]:
        """What a generated part says of itself: `read`, the day, and `source`; empty when it is not known."""
        found: dict[str, str] = self._part(f"about {part}", {})
        return found

    @property
    def read_on(self) -> str:
        """The day on which the settings were read from the releases, `YYYY-MM-DD`; "" when they are not known."""
        return str(self._part("settings", {}).get("read") or "")

    @cached_property
    def _read(self) -> list[tuple[Any, str]]:
        """Releases whose settings were read, with their place in the order."""
        return [(order_key(one), one) for one in self._part("settings", {}).get("releases_read", ())]

    def release(self, version: str) -> Release | None:
        """The published release with this version, its local label aside."""
        return self._by_number.get(public(version))

    @cached_property
    def _by_number(self) -> dict[Any, Release]:
        found: dict[Any, Release] = {}
        for one in self.releases:
            number = public(one.version)
            if number is not None:
                found.setdefault(number, one)
        return found

    def canonical(self, flag: str) -> str | None:
        """The flag's canonical spelling, from any alias of any release; None when no release read has it."""
        head, dot, rest = flag.partition(".")
        if head in self._settings:
            return flag
        found = self._aliases.get(head)
        return found + dot + rest if found else None

    def canonical_at(self, flag: str, version: str | None) -> str | None:
        """As `canonical`, but a name that was a flag of its own once and is another's spelling at `version` is that."""
        found = self.canonical(flag)
        head, dot, rest = flag.partition(".")
        other = self._aliases.get(head) if version and head in self._settings else None
        if other and self.setting(head, version) is None:
            record = self.setting(other, version)
            return other + dot + rest if record and head in record.aliases else found
        return found

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
        asked = (flag, version)
        if asked in self._asked:  # the same flags are asked for at each launch of thousands
            return self._asked[asked]
        records = self._settings.get(flag)
        if not records:
            return None
        raw = self._at(records, version) if version else records[-1]
        self._asked[asked] = found = _setting(flag, raw) if raw is not None else None
        return found

    def records(self, flag: str) -> tuple[SettingRecord, ...]:
        """Everything known of a flag, release after release, oldest first; empty when no release read has it."""
        found = self._settings.get(flag)
        if not found:
            return ()
        if flag not in self._histories:
            self._histories[flag] = tuple(_setting(flag, raw) for raw in found)
        return self._histories[flag]

    def variable(self, name: str, version: str | None) -> VariableRecord | None:
        """The environment variable at `version`; with no version, the newest record. None as for `setting`."""
        records = self._environment.get(name)
        if not records:
            return None
        if (name, version) not in self._asked_variables:
            raw = self._at(records, version) if version else records[-1]
            self._asked_variables[name, version] = _variable(name, raw) if raw is not None else None
        return self._asked_variables[name, version]

    def variable_records(self, name: str) -> tuple[VariableRecord, ...]:
        """Everything known of a variable, oldest first; empty when no release read has it."""
        return tuple(_variable(name, raw) for raw in self._environment.get(name) or ())

    def settings_at(self, version: str) -> tuple[SettingRecord, ...]:
        """Every flag of a release (the nearest one read at or before it), by name."""
        found = (self.setting(flag, version) for flag in sorted(self._settings))
        return tuple(one for one in found if one is not None)

    def variables_at(self, version: str) -> tuple[VariableRecord, ...]:
        """Every variable of a release, by name."""
        found = (self.variable(name, version) for name in sorted(self._environment))
        return tuple(one for one in found if one is not None)

    def respelled(self, typed: str, version: str | None) -> str | None:
        """The flag that the engine's parser makes of a short spelling at `version`: `-O` -> `--optimization-level`."""
        for one in self.profile.get("respelled") or ():
            if one["typed"] == typed and (not version or order_key(str(one["since"])) <= order_key(version)):
                return str(one["flag"])
        return None

    def opposite_of(self, typed: str, version: str | None) -> SettingRecord | None:
        """The flag that `typed` turns off at `version` by a spelling of its own (`--disable-x` for `--enable-x`).

        None when that release has a flag of that very name, and when it has none of the kind.
        """
        flag = self._negations.get(typed)
        record = self.setting(flag, version) if flag and self.setting(typed, version) is None else None
        return record if record and typed in record.negations else None

    def reads(self, version: str) -> bool:
        """Whether the settings of this very release were read (its local label aside)."""
        wanted = order_key(version)
        return any(key == wanted for key, _ in self._read)

    def help(self, name: str) -> str | None:
        """What a flag (any spelling) or an environment variable sets, in a few words of ours; None: not written."""
        words: dict[str, str] = self._part("help", {})
        return words.get(self.canonical(name) or name)

    def constant(self, flag: str) -> SettingRecord | None:
        """The flag as every release that has it has it; None when its default ever changed, or is not known."""
        if flag not in self._settings:
            return None
        if flag not in self._constants:
            records = self._settings[flag]
            defaults = {str(one.get("default")) for one in records}
            known = all(one.get("default_known") for one in records)
            self._constants[flag] = self.setting(flag, None) if known and len(defaults) == 1 else None
        return self._constants[flag]


def _setting(flag: str, raw: dict[str, Any]) -> SettingRecord:
    return SettingRecord(
        flag=flag,
        kind=raw.get("kind") or "value",
        aliases=tuple(raw.get("aliases") or ()),
        type=raw.get("type"),
        choices=tuple(raw["choices"]) if raw.get("choices") else None,
        default=raw.get("default"),
        default_known=bool(raw.get("default_known")),
        since=raw.get("since"),
        until=raw.get("until"),
        deprecated=bool(raw.get("deprecated")),
        instead=raw.get("instead"),
        env=raw.get("env"),
        negations=tuple(raw.get("negations") or ()),
        optional=bool(raw.get("optional")),
        keys={key: tuple(chosen) for key, chosen in (raw.get("keys") or {}).items()},
    )


def _variable(name: str, raw: dict[str, Any]) -> VariableRecord:
    return VariableRecord(
        name=name,
        default=raw.get("default"),
        default_known=bool(raw.get("default_known")),
        since=raw.get("since"),
        until=raw.get("until"),
        deprecated=bool(raw.get("deprecated")),
        instead=raw.get("instead"),
    )
