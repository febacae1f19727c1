"""What is compiled from files for people -> kept in the user's cache folder under the content it was made from.

The YAML of rules and profiles and the long tables of settings are read once; a check reads the JSON made of them. A
file that is not what it should be (cut short, of another version, somebody else's) is made anew, silently.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

_MOST = 4  # of one kind, the newest


def kept(kind: str, made_from: str, make: Callable[[], dict[str, Any]], sound: Callable[[Any], bool]) -> dict[str, Any]:
    """The compiled form: out of the cache where `sound` accepts it, else made and kept.

    `made_from` says what it is made from and in which form; a folder that cannot be written only costs the next start
    its time.
    """
    file = cache_folder() / f"{kind}-{sha256(made_from.encode()).hexdigest()[:32]}.json"
    found = loaded(file, sound)
    if found is None:
        found = make()
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            write(file, found)
            like = [one for one in file.parent.glob(f"{kind}-*.json") if len(one.stem) == len(file.stem)]
            for old in sorted(like, key=lambda one: one.stat().st_mtime)[:-_MOST]:
                old.unlink()
    return found


def loaded(file: Path, sound: Callable[[Any], bool]) -> dict[str, Any] | None:
    """A compiled file; None when it is not there, or not what it should be."""
    try:
        content = json.loads(file.read_bytes())
        return content if isinstance(content, dict) and sound(content) else None
    except (OSError, ValueError, RecursionError, TypeError, AttributeError, KeyError):
        return None


def write(file: Path, compiled: dict[str, Any]) -> None:
    """Write the compiled form; readers see the old file or the new one, never half of one."""
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(compiled, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    part.replace(file)


def cache_folder() -> Path:
    """Where compiled forms are kept: `$XDG_CACHE_HOME/inference-advisor`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inference-advisor"
