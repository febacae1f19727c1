"""Rule files → the bytes of a compiled catalogue (`layout`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

from advisor.catalog.full_text import Entry, entry
from advisor.catalog.kept import with_sum
from advisor.catalog.layout import FORMAT, Place
from advisor.catalog.nouns import rule as build_rule
from advisor.catalog.places import rule_files
from advisor.errors import RuleError
from advisor.model.condition import Atom, atoms
from advisor.model.rule import Rule, conditions
from advisor.model.trigger import Shared, Trigger, calls, counted
from advisor.model.weight import weighed, weights
from advisor.scan.plan import planned


def compile_rules(base: Path) -> bytes:
    """The compiled form of the rules below `base`, with one line for each rule file that cannot be used."""
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
    return packed(found, faults)


def compile_beside(shipped: Iterable[dict[str, Any]], problems: Iterable[str], own: Iterable[Path]) -> bytes:
    """The compiled form of the shipped rules with a user's own among them, which are sound (`own.take`)."""
    from advisor.catalog.schema import read
    from advisor.catalog.whose import marked

    found = list(shipped)
    for base in own:
        for file in rule_files(base):
            raw, _, faults = read(file, str(file))
            if raw is None:  # it changed since it was found sound
                raise RuleError(faults[0].message, f"{faults[0].file}:{faults[0].line}")
            found.append(marked(raw, base))
    return packed(sorted(found, key=lambda raw: str(raw["id"])), list(problems))


def packed(found: Iterable[dict[str, Any]], problems: list[str]) -> bytes:
    """The compiled form of rules as plain data in the order of ids; retired ones are left out."""
    made = [(raw, rule) for raw in found if (rule := build_rule(raw)).maturity != "retired"]
    weight = weights(rule for _, rule in made)
    content = bytearray()
    by_engine: dict[str, list[tuple[Rule, Place]]] = {}
    for raw, rule in made:
        own = {key: weight[key] for key in sorted(weighed(rule))}
        by_engine.setdefault(rule.engine, []).append((rule, _add(content, {"rule": raw, "weights": own})))
    shared = counted(rule for _, rule in made)
    sections, texts, words = {}, {}, {}
    for engine, rules in by_engine.items():
        section, logs = _called_by(rules, shared)
        sections[engine] = _add(content, section)
        texts[engine] = _add(content, _of_texts([rule for rule, _ in rules], logs))
        words[engine] = _add(content, [entry(rule) for rule, _ in rules])
    places = {"sections": sections, "texts": texts, "words": words}
    head = {"format": FORMAT, "bytes": len(content), "problems": problems, **places}
    return bytes(content) + with_sum(head) + b"\n"


def _add(content: bytearray, value: dict[str, Any] | list[Entry]) -> Place:
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    start = len(content)
    content += line + b"\n"
    return start, start + len(line), crc32(line)


def _called_by(rules: list[tuple[Rule, Place]], shared: Shared) -> tuple[dict[str, Any], dict[str, Any]]:
    """What calls for each of the rules: the section, and the calls by a pattern in a text."""
    always: list[int] = []
    asked: dict[Trigger, int] = {}
    logs: dict[str, list[list[int]]] = {}
    seen: dict[str, dict[str, dict[int, list[list[int]]]]] = {}
    for number, (rule, _) in enumerate(rules):
        called = calls(rule, shared)
        if called is None:
            always.append(number)
        for first, *rest in sorted(called or (), key=str):
            beside = [asked.setdefault(one, len(asked)) for one in rest]
            if first.atom.kind == "log" and first.holds:
                logs.setdefault(first.atom.name, []).append([number, *beside])
            else:
                about = seen.setdefault(first.atom.kind, {}).setdefault(first.atom.name, {})
                about.setdefault(asked.setdefault(first, len(asked)), []).append([number, *beside])
    section = {
        "rules": [[rule.id, *place] for rule, place in rules],
        "always": always,
        "asked": [[one.holds, *_plain(one.atom)] for one in asked],
        "seen": {
            kind: {name: list(by_trigger.items()) for name, by_trigger in names.items()} for kind, names in seen.items()
        },
        "asks": _asking([rule for rule, _ in rules]),
    }
    return section, logs


def _asking(rules: list[Rule]) -> dict[str, dict[str, list[int]]]:
    """Which rules ask about a thing that a remedy could change, in what makes them possible or in what harms."""
    asks: dict[str, dict[str, list[int]]] = {}
    for number, rule in enumerate(rules):
        told = [rule.exposure, *(one.tried for one in rule.harmful)]
        about = {(atom.kind, atom.name.partition(".")[0] if atom.kind == "setting" else atom.name)
                 for one in told if one is not None for atom in atoms(one)}  # fmt: skip
        about |= {("component", one.component) for one in rule.affected if one.component}
        for kind, name in sorted(about):
            asks.setdefault(kind, {}).setdefault(name, []).append(number)
    return asks


def _of_texts(rules: list[Rule], logs: dict[str, Any]) -> dict[str, Any]:
    """What only a case with texts asks for: those calls, every pattern looked for, and the lines that only follow."""
    patterns = {atom.name for rule in rules for one in conditions(rule) for atom in atoms(one) if atom.kind == "log"}
    patterns |= {pattern for rule in rules for step in rule.verification for pattern in step.absent}
    downstream = {atom.key(): atom for rule in rules for one in rule.symptoms.downstream for atom in atoms(one)}
    return {"logs": logs, "plan": planned(sorted(patterns)), "downstream": list(map(_plain, downstream.values()))}


def _plain(atom: Atom) -> list[Any]:
    return [atom.kind, atom.name, atom.op, atom.value, atom.means]
