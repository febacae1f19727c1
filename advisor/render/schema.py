"""The JSON Schema of a report, made from the nouns themselves."""

from __future__ import annotations

import json

from advisor.model.report import SCHEMA, Report


def report_schema() -> str:
    """The schema (draft 2020-12) as indented JSON. Fields it does not name are allowed: the contract may grow."""
    from pydantic import TypeAdapter  # slow to import, and no diagnosis needs it

    body = TypeAdapter(Report).json_schema(mode="serialization")
    body["properties"]["schema"]["const"] = SCHEMA
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA}
    return json.dumps({**body, **head}, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
