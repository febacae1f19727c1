"""Plain data → nouns: rules out of their compiled JSON form, without a validator on the path.

The plan of each noun is read from its annotations, once: which fields hold nouns, which hold conditions.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from advisor.model import rule as nouns
from advisor.model.condition import parse
from advisor.model.rule import Rule

CONDITION = "Condition"
_NOUN = re.compile(
    r"^(?:tuple\[)?([A-Z]\w+)(?:, \.\.\.\])?(?: \| None)?$"
)  # tuple[Remedy, ...] or Cause or Source | None


@cache
def plan(noun: type) -> dict[str, tuple[bool, str | None]]:
    """For each field: is it a tuple, and which noun (or CONDITION) its items are; None for plain values."""
    fields: dict[str, tuple[bool, str | None]] = {}
    for name, annotation in noun.__annotations__.items():
        text = str(annotation)
        found = _NOUN.match(text)
        inner = found.group(1) if found else None
        known = inner == CONDITION or isinstance(getattr(nouns, inner or "", None), type)
        fields[name] = (text.startswith("tuple["), inner if known else None)
    return fields


def build(noun: type, raw: dict[str, Any]) -> Any:
    """The noun from plain data that is already known to be well formed."""
    fields = plan(noun)
    return noun(**{name: _value(value, *fields[name]) for name, value in raw.items()})


def _value(value: Any, many: bool, inner: str | None) -> Any:
    if value is None:
        return None
    if many:
        return tuple(_value(one, False, inner) for one in value)
    if inner is None:
        return value
    return parse(value) if inner == CONDITION else build(getattr(nouns, inner), value)


def rule(raw: dict[str, Any]) -> Rule:
    """A rule from its compiled form."""
    made: Rule = build(Rule, raw)
    return made
