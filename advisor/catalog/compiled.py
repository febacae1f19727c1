"""Rule files → one compiled file → rules. YAML is for people; a check never parses it.

The compiled form is JSON named by the content it was made from. An installed package carries it; a source tree keeps
it in the user's cache folder and makes it anew whenever a rule file's name, size or time changes.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from advisor.catalog.nouns import rule as build_rule
from advisor.catalog.places import root, rule_files, rules_root
from advisor.model.rule import Rule

FORMAT = 1


@dataclass(frozen=True)
class Rules:
    """The usable rules in the order of ids, retired ones left out, and a line for each file that cannot be used."""

    rules: tuple[Rule, ...]
    problems: tuple[str, ...] = ()


@cache
def rules(base: Path | None = None) -> Rules:
    """Every rule below `base`; the shipped catalogue by default."""
    compiled = _compiled(base or rules_root())
    made = (build_rule(raw) for raw in compiled["rules"])
    return Rules(tuple(rule for rule in made if rule.maturity != "retired"), tuple(compiled["problems"]))


def _compiled(base: Path) -> dict[str, Any]:
    shipped = root() / "catalog.json"
    if base == rules_root() and shipped.is_file():
        return _load(shipped) or compile_rules(base)
    cached = cache_folder() / f"catalog-{_key(base)}.json"
    found = _load(cached)
    if found is None:
        found = compile_rules(base)
        _store(cached, found)
    return found


def _key(base: Path) -> str:
    digest = sha256(f"{FORMAT}\n{base}\n".encode())
    for file in rule_files(base):
        stat = file.stat()
        digest.update(f"{file.relative_to(base)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def _load(file: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    ours = isinstance(content, dict) and content.get("format") == FORMAT and isinstance(content.get("rules"), list)
    return content if ours else None


def _store(file: Path, compiled: dict[str, Any]) -> None:
    """Keep the compiled form for next time; a folder that cannot be written only costs the next start its time."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, compiled)
        for old in sorted(file.parent.glob("catalog-*.json"), key=lambda one: one.stat().st_mtime)[:-4]:
            old.unlink()


def write(file: Path, compiled: dict[str, Any]) -> None:
    """Write the compiled form; readers see the old file or the new one, never half of one."""
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(compiled, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    part.replace(file)


def compile_rules(base: Path) -> dict[str, Any]:
    """The plain data of every usable rule file, and one line for each that is not."""
    from advisor.catalog.schema import read

    found: list[dict[str, Any]] = []
    faults: list[str] = []
    for file in rule_files(base):
        raw, _, problems = read(file, str(file.relative_to(base.parent)))
        if raw is not None:
            found.append(raw)
            continue
        more = f" (and {len(problems) - 1} more; advisor rules validate lists them)" if len(problems) > 1 else ""
        faults.append(f"{problems[0]}: rule left out{more}")
    return {"format": FORMAT, "rules": found, "problems": faults}


def cache_folder() -> Path:
    """Where compiled catalogues are kept: `$XDG_CACHE_HOME/inference-advisor`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inference-advisor"
