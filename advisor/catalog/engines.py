"""`knowledge/<engine>/` → Knowledge, each part read when first needed. Raises KnowledgeError on a malformed file.

`engine.yaml` is for people; its compiled JSON twin is kept in the user's cache folder (or carried by the package), so
that a check parses no YAML.
"""

from __future__ import annotations

import contextlib
import json
from datetime import date
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from advisor.catalog.compiled import cache_folder
from advisor.catalog.places import knowledge_root
from advisor.errors import KnowledgeError
from advisor.model.knowledge import FixRecord, History, Knowledge, Release, Tag


@cache
def profiles() -> dict[str, dict[str, Any]]:
    """Each engine's `engine.yaml` as plain data, by engine."""
    files = sorted(knowledge_root().glob("*/engine.yaml"))
    key = sha256(
        "\n".join(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files).encode()
    ).hexdigest()[:32]
    cached = cache_folder() / f"engines-{key}.json"
    with contextlib.suppress(OSError, ValueError):
        found: dict[str, dict[str, Any]] = json.loads(cached.read_bytes())
        return found
    from advisor.yaml import load

    made = {
        file.parent.name: load(file.read_text(encoding="utf-8"), f"{file.parent.name}/{file.name}").value
        for file in files
    }
    with contextlib.suppress(OSError):
        cached.parent.mkdir(parents=True, exist_ok=True)
        cached.write_text(json.dumps(made), encoding="utf-8")
    return made


def engines() -> tuple[str, ...]:
    """The engines known, those that can be named with `--engine`."""
    return tuple(name for name, profile in profiles().items() if profile.get("kind", "engine") == "engine")


@cache
def knowledge(engine: str) -> Knowledge:
    """The engine's knowledge, its parts loaded when asked for. Raises KnowledgeError for an engine not known."""
    profile = profiles().get(engine)
    if profile is None:
        raise KnowledgeError(f"no knowledge of {engine!r}", "knowledge/", f"known: {', '.join(profiles())}")
    return LazyKnowledge(engine, knowledge_root() / engine, profile)


class LazyKnowledge(Knowledge):
    """Knowledge whose files are read when first needed."""

    def __init__(self, engine: str, folder: Path, profile: dict[str, Any]) -> None:
        super().__init__(engine, profile=profile)
        for name in ("releases", "history", "tags", "fixes", "_settings", "_environment", "_read", "_order"):
            self.__dict__.pop(name, None)
        self._folder = folder

    def _json(self, name: str) -> dict[str, Any]:
        file = self._folder / name
        try:
            found = json.loads(file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise KnowledgeError(f"cannot be read: {error}", f"knowledge/{self.engine}/{name}") from error
        return found if isinstance(found, dict) else {}

    @cached_property
    def _settings_file(self) -> dict[str, Any]:
        return self._json("settings.json")

    @cached_property
    def _settings(self) -> dict[str, list[dict[str, Any]]]:
        return self._settings_file.get("settings", {})

    @cached_property
    def _environment(self) -> dict[str, list[dict[str, Any]]]:
        return self._settings_file.get("environment", {})

    @cached_property
    def _read(self) -> tuple[str, ...]:
        return tuple(self._settings_file.get("releases_read", ()))

    @cached_property
    def _order(self) -> list[Any]:
        from advisor.model.build import order_key

        return [order_key(one) for one in self._read]

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        return tuple(
            Release(
                version=one["version"],
                date=date.fromisoformat(one["date"]) if one.get("date") else None,
                commit=one.get("commit"),
                pins=one.get("pins") or {},
                nccl=one.get("nccl") or {},
            )
            for one in self._json("releases.json").get("releases", ())
        )

    @cached_property
    def history(self) -> History:
        file = self._folder / "history.txt"
        return History(file.read_text(encoding="utf-8") if file.is_file() else "")

    @cached_property
    def tags(self) -> dict[str, Tag]:
        found = self._json("tags.json").get("tags", {})
        return {name: Tag(name, one["commit"], one.get("main")) for name, one in found.items()}

    @cached_property
    def fixes(self) -> dict[str, FixRecord]:
        found = self._json("fixes.json").get("fixes", {})
        return {
            key: FixRecord(
                one.get("commit"),
                tuple(one.get("held_by") or ()),
                tuple(one.get("lacked_by") or ()),
                tuple(one.get("by") or ()),
                one.get("note"),
            )
            for key, one in found.items()
        }
