"""How old the generated knowledge is, and whether the artefacts still say the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from pathlib import Path
from typing import Any

from advisor.catalog.places import knowledge_root
from advisor.jobs.refresh import ENGINES, FILES, Origin, RefreshSummary, derive, staged, unstamped
from advisor.model.reference import PartStatus


def status(today: date, root: Path | None = None) -> tuple[PartStatus, ...]:
    """Every generated file of every engine, with the day it was read and what it reaches to."""
    base = root or knowledge_root()
    files = [base / engine / name for engine in ENGINES for name in FILES]
    return tuple(_part(file, today) for file in files if file.is_file())


def _part(file: Path, today: date) -> PartStatus:
    try:
        return _told(file, file.read_text(encoding="utf-8"), today)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return PartStatus(file.parent.name, file.name, "cannot be read", "", "", None, file.stat().st_size)


def _told(file: Path, text: str, today: date) -> PartStatus:
    if file.suffix == ".txt":
        head = dict(line[2:].split(": ", 1) for line in text.splitlines()[:8] if line.startswith("# ") and ": " in line)
        count = sum(1 for line in text.splitlines() if line and not line.startswith("#"))
        holds, reaches, read = f"{count} commits", f"to {head.get('horizon', '?')}", ""
    else:
        known = json.loads(text)
        read = str(known.get("read") or "")
        holds, reaches = _inside(file.stem, known)
    age = (today - date.fromisoformat(read)).days if read else None
    return PartStatus(file.parent.name, file.name, holds, reaches, read, age, len(text.encode()))


def _inside(stem: str, known: dict[str, Any]) -> tuple[str, str]:
    if stem == "releases":
        last = known["releases"][-1] if known["releases"] else {}
        return f"{len(known['releases'])} releases", f"to {last.get('version', '?')} ({last.get('date') or 'no date'})"
    if stem == "settings":
        count = f"{len(known['settings'])} flags, {len(known['environment'])} variables"
        return count, f"{known['releases_read'][0]} to {known['releases_read'][-1]}"
    if stem == "tags":
        last = max((str(one["date"]) for one in known["tags"].values()), default="?")
        return f"{len(known['tags'])} tags", f"to {last}"
    fixes = known["fixes"].values()
    unreleased = sum(not one["held_by"] for one in fixes)
    return f"{len(fixes)} fixes", f"{unreleased} in no release" if unreleased else ""


@dataclass(frozen=True)
class Check:
    """What deriving an engine's knowledge again gave: `diff` is empty when it is the same. `kept` file -> why not."""

    engine: str
    diff: str
    compared: tuple[str, ...]
    kept: dict[str, str]


def verify(engine: str, origin: Origin, root: Path | None = None, today: date | None = None) -> Check:
    """Derive an engine's knowledge again, apart, and compare. UpstreamError when it cannot be derived."""
    folder = (root or knowledge_root()) / engine
    summary = RefreshSummary(engine)
    with staged(folder) as staging:
        derive(engine, origin, staging, summary, (today or date.min).isoformat())
        names = [one for one in FILES if one not in summary.kept and (staging / one).is_file()]
        lines = [line for name in names for line in _difference(folder / name, staging / name, f"{engine}/{name}")]
    return Check(engine, "".join(lines), tuple(names), summary.kept)


def _difference(old: Path, new: Path, name: str) -> Iterator[str]:
    texts = [
        unstamped(one.read_text(encoding="utf-8", errors="replace")) if one.is_file() else "" for one in (old, new)
    ]
    if texts[0] != texts[1]:
        pair = [text.splitlines(keepends=True) for text in texts]
        yield from unified_diff(pair[0], pair[1], f"knowledge/{name}", "derived anew", n=0)
