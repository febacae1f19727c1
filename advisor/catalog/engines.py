"""`knowledge/<engine>/` → Knowledge, each part read when first needed. Raises KnowledgeError on a malformed file.

`engine.yaml` and `images.yaml` are for people; their compiled JSON twin is kept in the user's cache folder (or carried
by the package), so that a check parses no YAML.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from advisor.catalog.histories import settings
from advisor.catalog.kept import kept, loaded
from advisor.catalog.places import knowledge_root, root
from advisor.errors import KnowledgeError
from advisor.model.knowledge import FixRecord, History, Knowledge, Release, Tag


@cache
def profiles() -> dict[str, dict[str, Any]]:
    """Each engine's `engine.yaml` as plain data, by engine; `tags` holds its `images.yaml`."""
    shipped = root() / "engines.json"
    if shipped.is_file() and (found := loaded(shipped, _sound)):
        return found
    files = sorted([*knowledge_root().glob("*/engine.yaml"), *knowledge_root().glob("*/images.yaml")])
    times = "\n".join(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)
    return kept("engines", times, lambda: compile_profiles(knowledge_root()), _sound)


def _sound(content: Any) -> bool:
    return bool(content) and all(isinstance(one, dict) and "name" in one for one in content.values())


def compile_profiles(folder: Path) -> dict[str, dict[str, Any]]:
    """Every `engine.yaml` below `folder` as plain data, its `images.yaml` under `tags`; dates become ISO text."""
    from advisor.yaml import load

    def read(file: Path) -> dict[str, Any]:
        data: dict[str, Any] = load(file.read_text(encoding="utf-8"), f"{file.parent.name}/{file.name}").value
        return data

    made = {file.parent.name: read(file) for file in sorted(folder.glob("*/engine.yaml"))}
    for file in sorted(folder.glob("*/images.yaml")):
        if file.parent.name in made:
            made[file.parent.name]["tags"] = read(file)
    found: dict[str, dict[str, Any]] = json.loads(json.dumps(made, default=str))
    return found


@cache
def engines() -> tuple[str, ...]:
    """The engines known: those that have commands of their own."""
    return tuple(name for name, profile in profiles().items() if profile.get("kind", "engine") == "engine")


@cache
def named() -> tuple[str, ...]:
    """What can be named with `--engine` and have rules: engines, and the plugins above them."""
    return tuple(name for name, profile in profiles().items() if profile.get("kind", "engine") in ("engine", "plugin"))


@cache
def knowledge(engine: str) -> Knowledge:
    """The engine's knowledge, its parts loaded when asked for. Raises KnowledgeError for an engine not known."""
    profile = profiles().get(engine)
    if profile is None:
        raise KnowledgeError(f"no knowledge of {engine!r}", "knowledge/", f"known: {', '.join(profiles())}")
    folder = knowledge_root() / engine
    return Knowledge(engine, profile=profile, load=lambda name: PARTS[name](folder))


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise KnowledgeError(f"cannot be read: {error}", f"knowledge/{file.parent.name}/{file.name}") from error
    return found if isinstance(found, dict) else {}


_UNDER = ("vllm", "cann")  # what a plugin's release is made for, in fields of their own


def _releases(folder: Path) -> tuple[Release, ...]:
    return tuple(
        Release(
            version=one["version"],
            date=date.fromisoformat(one["date"]) if one.get("date") else None,
            commit=one.get("commit"),
            pins={**(one.get("pins") or {}), **{name: f"=={one[name]}" for name in _UNDER if one.get(name)}},
            nccl=one.get("nccl") or {},
        )
        for one in _json(folder / "releases.json").get("releases", ())
    )


def _history(folder: Path) -> History:
    file = folder / "history.txt"
    return History(file.read_text(encoding="utf-8") if file.is_file() else "")


def _tags(folder: Path) -> dict[str, Tag]:
    found = _json(folder / "tags.json").get("tags", {})
    return {name: Tag(name, one["commit"], one.get("main")) for name, one in found.items()}


def _fixes(folder: Path) -> dict[str, FixRecord]:
    return {key: _fix(one) for key, one in _json(folder / "fixes.json").get("fixes", {}).items()}


def _fix(one: dict[str, Any]) -> FixRecord:
    held, lacked, by = (tuple(one.get(name) or ()) for name in ("held_by", "lacked_by", "by"))
    return FixRecord(one.get("commit"), held, lacked, by, one.get("note"))


def _help(folder: Path) -> dict[str, str]:
    """`help.txt`: a line a setting, its name, a tab and the words; lines at the top that start with # are about it."""
    file = folder / "help.txt"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = {name: words for name, _, words in (line.partition("\t") for line in lines) if name and words}
    if len(found) != len(lines):
        where = f"knowledge/{folder.name}/{file.name}"
        raise KnowledgeError("a line is not <name> tab <words>, or a name stands twice", where)
    return found


def _about_releases(folder: Path) -> dict[str, str]:
    found = _json(folder / "releases.json")
    return {name: str(found[name]) for name in ("read", "source") if name in found}


PARTS: dict[str, Callable[[Path], Any]] = {
    "settings": settings,
    "releases": _releases,
    "about releases": _about_releases,
    "history": _history,
    "tags": _tags,
    "fixes": _fixes,
    "help": _help,
}
