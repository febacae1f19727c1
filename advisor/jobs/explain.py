"""Find one rule by its id, a former id, or the upstream thread it is about."""

from __future__ import annotations

import re
from difflib import get_close_matches

from advisor.errors import UsageError
from advisor.jobs.fixing import fix_out
from advisor.jobs.judging import catalogue, view_of
from advisor.model.build import Build
from advisor.model.case import Case
from advisor.model.condition import atoms
from advisor.model.report import FixOut
from advisor.model.rule import Rule
from advisor.model.rule_report import RULE_SCHEMA, RuleReport

_THREAD = re.compile(r"github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")


def find(name: str) -> Rule:
    """The rule called `name`: an id, a slug, a former id, or `#53402`. Raises UsageError with the nearest names."""
    wanted = name.strip().strip("/")
    thread = _THREAD.search(wanted)
    if thread:
        wanted = f"{thread.group(1)}#{thread.group(2)}"
    elif wanted.isdigit():
        wanted = f"#{wanted}"
    by_name: dict[str, Rule] = {}
    for rule in catalogue():
        for word in (
            rule.id,
            *rule.former_ids,
            rule.id.partition("/")[2],
            *rule.aliases,
            *(f"#{one.rpartition('#')[2]}" for one in rule.aliases),
        ):
            by_name.setdefault(word, rule)
    if wanted in by_name:
        return by_name[wanted]
    holding = sorted({rule.id for rule in catalogue() if wanted.lower() in rule.id})
    near = holding[:5] or list(dict.fromkeys(by_name[one].id for one in get_close_matches(wanted, by_name, n=3)))
    hint = f"nearest: {', '.join(near)}" if near else "advisor rules list shows every rule"
    raise UsageError(f"no rule {name!r}", "RULE", hint)


def fixes(rule: Rule) -> tuple[FixOut, ...]:
    """The rule's fixes with the releases that hold them, on no particular build."""
    view = view_of(Case(Build(engine="" if rule.engine == "any" else rule.engine)))
    return tuple(fix_out(fix, view) for fix in rule.fixes)


def explained(name: str) -> RuleReport:
    """The rule called `name` with its fixes. Raises UsageError with the nearest names."""
    found = find(name)
    return RuleReport(RULE_SCHEMA, found, fixes(found))


def settings_of(rule: Rule) -> tuple[str, ...]:
    """The flags that decide whether a rule's failure can happen, without what stands below a JSON value's dot."""
    named = (one.name.partition(".")[0] for one in atoms(rule.exposure) if one.kind == "setting")
    return tuple(dict.fromkeys(named))


def naming(engine: str) -> dict[str, tuple[str, ...]]:
    """The flags and variables of an engine that rules name, each with the rules that do."""
    found: dict[str, list[str]] = {}
    for rule in catalogue():
        if rule.engine in (engine, "any"):
            for one in atoms(rule.exposure):
                if one.kind in ("setting", "env"):
                    found.setdefault(one.name.partition(".")[0], []).append(rule.id)
    return {name: tuple(dict.fromkeys(ids)) for name, ids in found.items()}
