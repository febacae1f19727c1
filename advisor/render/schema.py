"""The JSON Schemas of what the commands conclude, made from the nouns themselves."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

CONTRACTS = {
    "report": ("report", "Report", "SCHEMA"),
    "lint": ("lint", "LintReport", "LINT_SCHEMA"),
    "fix": ("repair", "RepairReport", "REPAIR_SCHEMA"),
    "upgrade": ("upgrade", "UpgradeReport", "UPGRADE_SCHEMA"),
    "search": ("search", "SearchReport", "SEARCH_SCHEMA"),
    "verify": ("verification", "VerificationReport", "VERIFY_SCHEMA"),
    "explain": ("rule_report", "RuleReport", "RULE_SCHEMA"),
}
"""What a contract is called: the module of the model that has it, its noun, and the name of its number there."""


def schema_of(name: str) -> str:
    """A contract's schema (draft 2020-12) as indented JSON. Fields it does not name are allowed: it may grow."""
    from pydantic import TypeAdapter  # slow to import, and no judgement needs it

    module, noun, number = CONTRACTS[name]
    model = import_module(f"advisor.model.{module}")
    body = _open(TypeAdapter(getattr(model, noun)).json_schema(mode="serialization"))
    body["properties"]["schema"]["const"] = getattr(model, number)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": getattr(model, number)}
    return json.dumps({**body, **head}, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def settings_schema() -> str:
    """The schema of what `advisor flags` prints: the settings of a release, or what changed between two."""
    from pydantic import TypeAdapter

    from advisor.model.reference import SettingsDiff, SettingsOut

    body = _open(TypeAdapter(SettingsOut | SettingsDiff).json_schema(mode="serialization"))
    return json.dumps({"type": "object", **body}, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _open(node: Any) -> Any:
    """A schema without a ban on further fields: nouns of rules have one as soon as a rule file was read."""
    if isinstance(node, list):
        return [_open(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {key: _open(one) for key, one in node.items() if not (key == "additionalProperties" and one is False)}
