"""The JSON Schema of a lint report, made from the nouns themselves."""

from __future__ import annotations

import json

from advisor.model.lint import LINT_SCHEMA, LintReport


def lint_schema() -> str:
    """The schema (draft 2020-12) as indented JSON. Fields it does not name are allowed: the contract may grow."""
    from pydantic import TypeAdapter  # slow to import, and no judgement needs it

    body = TypeAdapter(LintReport).json_schema(mode="serialization")
    body["properties"]["schema"]["const"] = LINT_SCHEMA
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": LINT_SCHEMA}
    return json.dumps({**body, **head}, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
