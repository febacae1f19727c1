"""`settings.json` → its compiled form: one text per setting, read when that setting is asked for, and the spellings.

A check asks for a dozen of a thousand settings; reading all of them first would cost more than the judgement. The form
is named by size and time of the file it was made from and kept in the user's cache; an installed package carries it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from advisor.catalog.kept import kept, loaded
from advisor.catalog.places import knowledge_root, root
from advisor.errors import KnowledgeError

FORMAT = 1


def settings(folder: Path) -> dict[str, Any]:
    """The compiled settings of an engine; empty when it has none. Raises KnowledgeError for a malformed file."""
    file = folder / "settings.json"
    shipped = root() / shipped_name(folder.name)
    if folder.parent == knowledge_root() and shipped.is_file() and (found := loaded(shipped, _sound)):
        return found
    try:
        stat = file.stat()
    except FileNotFoundError:
        return {}
    made_from = f"{FORMAT}\n{file}\n{stat.st_size} {stat.st_mtime_ns}"
    return kept(f"settings-{folder.name}", made_from, lambda: compile_settings(file), _sound)


def _sound(content: Any) -> bool:
    parts = ("aliases", "negations", "settings", "environment")
    return content.get("format") == FORMAT and all(isinstance(content.get(part), dict) for part in parts)


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
