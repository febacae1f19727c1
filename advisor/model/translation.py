"""A rule's prose in another language: the tree under `zh:` in its file beside the rule's own, position by position.

zh:
  summary: 流水线并行加投机解码 …
  cause: {text: …}
  remedies: [{what: …, cost: …}, {what: …}]     # by position; an empty {} leaves one in English
  means: {a pipeline: 流水线并行}                 # what a condition's `means:` says, by its English
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from advisor.model import rule as nouns
from advisor.model.rule import Rule

PROSE: dict[type, tuple[str, ...]] = {
    nouns.Affected: ("why",),
    nouns.Cause: ("text",),
    nouns.Fix: ("what", "needs"),
    nouns.Need: ("why",),
    nouns.Remedy: ("what", "cost", "proof"),
    nouns.Advice: ("what", "why"),
    nouns.Step: ("do", "expect"),
    nouns.Lookalike: ("tell",),
    nouns.Wanted: ("what", "tells"),
    nouns.Superseded: ("claim", "by", "why"),
    nouns.Reference: ("note",),
    Rule: (
        *("summary", "details", "affected", "cause", "fixes", "no_fix", "remedies", "not_helpful", "harmful"),
        *("verification", "lookalikes", "wanted", "superseded", "caveats", "references", "means"),
    ),
}
"""The fields of each noun that hold prose, or nouns that do."""


def chinese_of(rule: Rule) -> dict[str, str]:
    """The rule's prose that has Chinese, English → Chinese, both without the blanks around them."""
    return dict(_pairs(rule, rule.zh or {}))


def _pairs(english: Any, said: Any) -> Iterator[tuple[str, str]]:
    if isinstance(english, str) and isinstance(said, str):
        yield english.strip(), said.strip()
    elif isinstance(english, tuple) and isinstance(said, list):
        for one, its in zip(english, said, strict=False):  # the validator says where lengths differ
            yield from _pairs(one, its)
    elif is_dataclass(english) and isinstance(said, dict):
        for name, its in said.items():
            yield from its.items() if name == "means" else _pairs(getattr(english, name, None), its)
