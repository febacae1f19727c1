"""`knowledge/<engine>/replaced.yaml` → what took the place of each setting, by its name.

The YAML is written by people, with sources; a check reads its compiled JSON twin, which is kept in the user's cache
folder (or carried by the package). Entries are checked against the engine's settings when they are compiled.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from advisor.catalog.engines import PARTS
from advisor.catalog.kept import kept, loaded
from advisor.catalog.places import knowledge_root, root
from advisor.errors import KnowledgeError
from advisor.model.build import order_key
from advisor.model.knowledge import Knowledge
from advisor.model.replacement import Replacement
from advisor.model.rule import Source

FORMAT = 1
SHIPPED = "replacements.json"
FILE = "replaced.yaml"
_KEYS = {"setting", "instead", "inverted", "says", "since", "source", "value", "instead_value"}
_SOURCE_KEYS = {"url", "artefact", "date", "note"}

Entry = dict[str, Any]


@cache
def replacements(engine: str) -> dict[str, tuple[Replacement, ...]]:
    """By the old name, oldest first; empty for an engine of which none are known. Raises KnowledgeError as `compiled`.

    The one in force in a release is the last of those whose `since` is not after it.
    """
    made: dict[str, list[Replacement]] = {}
    for entry in _compiled().get(engine, ()):
        made.setdefault(entry["setting"], []).append(_replacement(entry))
    return {name: tuple(sorted(found, key=lambda one: order_key(one.since or ""))) for name, found in made.items()}


def _replacement(entry: Entry) -> Replacement:
    return Replacement(**{**entry, "source": tuple(Source(**one) for one in entry["source"])})


@cache
def _compiled() -> dict[str, list[Entry]]:
    shipped = root() / SHIPPED
    if shipped.is_file() and (found := loaded(shipped, _sound)):
        return found
    files = sorted(knowledge_root().glob(f"*/{FILE}"))
    times = "\n".join([str(FORMAT), *(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)])
    return kept("replacements", times, lambda: compile_replacements(knowledge_root()), _sound)


def _sound(content: Any) -> bool:
    entries = [one for each in content.values() for one in each]
    return bool(entries) and all(_KEYS >= one.keys() >= {"setting", "source"} for one in entries)


def compile_replacements(folder: Path) -> dict[str, list[Entry]]:
    """Every `replaced.yaml` below `folder` as plain data, by engine. KnowledgeError for the first entry at fault."""
    return {file.parent.name: read(file) for file in sorted(folder.glob(f"*/{FILE}"))}


def read(file: Path) -> list[Entry]:
    """The entries of one file, checked; raises KnowledgeError with the file, the line and the setting."""
    from advisor.yaml import load

    name = f"knowledge/{file.parent.name}/{file.name}"
    document = load(file.read_text(encoding="utf-8"), name)
    entries = json.loads(json.dumps(document.value, default=str))
    if not isinstance(entries, list):
        raise KnowledgeError("not a list of entries", name)
    known = Knowledge(file.parent.name, profile={}, load=lambda part: PARTS[part](file.parent))
    renamed = {one["setting"] for one in entries if _malformed(one) is None and one["instead"] is not None}
    seen: set[tuple[Any, ...]] = set()
    for index, entry in enumerate(entries):
        setting = entry.get("setting") if isinstance(entry, dict) else None
        problem = _malformed(entry) or _unfounded(entry, known, renamed)
        if not problem and (place := (setting, entry.get("value"), entry["since"])) in seen:
            problem = "stands twice for one release"
        elif not problem:
            seen.add(place)
        if problem:
            raise KnowledgeError(f"{setting or f'entry {index + 1}'}: {problem}", f"{name}:{document.line((index,))}")
    return entries


def _malformed(entry: Any) -> str | None:
    """What is wrong with an entry taken by itself."""
    if not isinstance(entry, dict):
        return "not a mapping"
    if strange := sorted(set(entry) - _KEYS):
        return f"unknown key {strange[0]!r}"
    if missing := sorted({"setting", "instead", "says", "since", "source"} - set(entry)):
        return f"has no {missing[0]!r}"
    for key in ("setting", "says", "since", "instead", "value", "instead_value"):
        text = entry.get(key)
        if text == "" or (not isinstance(text, str) and (text is not None or key in ("setting", "says", "since"))):
            return f"{key!r} is not a text"
    if not isinstance(entry.get("inverted", False), bool):
        return "'inverted' is neither true nor false"
    if entry["instead"] is None and (entry.get("inverted") or entry.get("instead_value") is not None):
        return "nothing takes its place, yet it says how"
    return _unsourced(entry["source"])


def _unsourced(sources: Any) -> str | None:
    if not isinstance(sources, list) or not sources:
        return "has no source"
    for one in sources:
        if not isinstance(one, dict) or set(one) - _SOURCE_KEYS or not one.get("date"):
            return "a source is a url or an artefact with the date it was read"
        if bool(one.get("url")) is bool(one.get("artefact")):
            return "a source is a url or an artefact, one of the two"
    return None


def _unfounded(entry: Entry, known: Knowledge, renamed: set[str]) -> str | None:
    """What an entry claims that the engine's settings do not bear out; ``renamed`` have a new name that they do."""
    setting, instead, since = entry["setting"], entry["instead"], entry["since"]
    if since not in known.releases_read:
        return f"{since} is no release that was read"
    if instead is not None and (problem := _not_there(instead, since, entry.get("instead_value"), known)):
        return problem
    if setting.startswith("-"):
        records = known.records(setting if known.records(setting) else known.canonical(setting) or "")
        if not records:
            return "no release has this flag"
        choices = [str(choice) for one in records for choice in one.choices or ()]
        value = entry.get("value")
        return f"no release has its choice {value!r}" if value and choices and value not in choices else None
    # Variables are listed from the release on that has a registry of them: an older one need not be in any.
    return None if known.variable_records(setting) or setting in renamed else "no release has this variable"


def _not_there(instead: str, since: str, value: str | None, known: Knowledge) -> str | None:
    if not instead.startswith("-"):
        return None if known.variable(instead, since) else f"{since} has no variable {instead}"
    # A dotted name is a key of vllm-ascend's, listed like a flag, or a key of the JSON that a flag takes.
    name = instead if known.records(instead) else instead.partition(".")[0]
    record = known.setting(known.canonical(name) or name, since)
    if record is None or name not in (record.flag, *record.aliases):
        return f"{since} has no flag {name}"
    choices = [str(choice) for choice in record.choices or ()] if name == instead and value is not None else []
    return f"{name} of {since} has no choice {value!r}" if choices and value not in choices else None
