"""`settings.json` → its compiled form: one text per setting, read when that setting is asked for, and the spellings.

A check asks for a dozen of a thousand settings; reading all of them first would cost more than the judgement. The form
is named by size and time of the file it was made from and kept in the user's cache; an installed package carries it.
"""

from __future__ import annotations

import contextlib
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from advisor.catalog.compiled import cache_folder, write
from advisor.catalog.places import knowledge_root, root
from advisor.errors import KnowledgeError

FORMAT = 1


def settings(folder: Path) -> dict[str, Any]:
    """The compiled settings of an engine; empty when it has none. Raises KnowledgeError for a malformed file."""
    file = folder / "settings.json"
    shipped = root() / shipped_name(folder.name)
    if folder.parent == knowledge_root() and shipped.is_file() and (found := _load(shipped)):
        return found
    try:
        stat = file.stat()
    except FileNotFoundError:
        return {}
    key = sha256(f"{FORMAT}\n{file}\n{stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:32]
    cached = cache_folder() / f"settings-{folder.name}-{key}.json"
    if found := _load(cached):
        return found
    made = compile_settings(file)
    _store(cached, made, folder.name)
    return made


def shipped_name(engine: str) -> str:
    """The name under which an installed package carries an engine's compiled settings."""
    return f"settings-{engine}.json"


def compile_settings(file: Path) -> dict[str, Any]:
    """The compiled form of a settings.json."""
    where = f"knowledge/{file.parent.name}/{file.name}"
    try:
        known = json.loads(file.read_bytes())
        flags, variables = known["settings"], known["environment"]
        spellings = [(name, one) for name, records in flags.items() for one in records]
        return {
            "format": FORMAT,
            "read": known["read"],
            "releases_read": known["releases_read"],
            "aliases": {alias: name for name, one in spellings for alias in one.get("aliases") or ()},
            "negations": {alias: name for name, one in spellings for alias in one.get("negations") or ()},
            "settings": {name: json.dumps(records, ensure_ascii=False) for name, records in flags.items()},
            "environment": {name: json.dumps(records, ensure_ascii=False) for name, records in variables.items()},
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise KnowledgeError(f"cannot be read: {error!r}", where, "advisor knowledge refresh makes it anew") from error


def _load(file: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and content.get("format") == FORMAT else None


def _store(file: Path, made: dict[str, Any], engine: str) -> None:
    """Keep the compiled form; a folder that cannot be written only costs the next start its time."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, made)
        of_engine = [one for one in file.parent.glob(f"settings-{engine}-*.json") if len(one.stem) == len(file.stem)]
        for old in sorted(of_engine, key=lambda one: one.stat().st_mtime)[:-3]:
            old.unlink()
