"""Rule files → one compiled file → rules. YAML is for people; a check never parses it.

The compiled form is JSON named by the content it was made from. An installed package carries it; a source tree keeps
it in the user's cache folder and makes it anew whenever a rule file's name, size or time changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from advisor.catalog.kept import kept, loaded
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
        return loaded(shipped, _sound) or compile_rules(base)
    stats = [(file.relative_to(base), file.stat()) for file in rule_files(base)]
    lines = [f"{name} {stat.st_size} {stat.st_mtime_ns}\n" for name, stat in stats]
    return kept("catalog", f"{FORMAT}\n{base}\n{''.join(lines)}", lambda: compile_rules(base), _sound)


def _sound(content: Any) -> bool:
    return content.get("format") == FORMAT and isinstance(content.get("rules"), list)


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
