"""A whole answer -> the same with no quotation longer than a person reads: the middle of a longer one is left out.

    --swap-space xxxx…xxxx, 1,000,000 characters     ->     --swap-space xxxx… (996,000 characters left out) …xxxx

A stranger's value, line or name may be of any length, and each format would print it whole, more than once. What is to
be carried out or copied is no quotation and stays whole: a diff, a remedy's values, a draft.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any, TypeVar

from advisor.redaction import QUOTED

Noun = TypeVar("Noun")
Fields = Callable[[Any], tuple[tuple[str, ...], tuple[str, ...]]]

_HEAD, _TAIL = 3000, 1000

WHOLE: dict[str, tuple[str, ...]] = {
    "RemedyOut": ("change", "diff"),
    "FileRepair": ("diff",),
    "UpgradeReport": ("diff",),
    "Draft": ("summary", "given", "build", "settings", "environment", "hardware", "model", "report"),
    "MachineLine": ("pattern",),
    "Found": ("command",),
    "Step": ("how",),
    "Outcome": ("files",),
}
"""What is no quotation, by noun."""


def cut(text: str) -> str:
    """The text, or its beginning and its end with how much is left out between them."""
    if len(text) <= QUOTED:
        return text
    left = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]}… ({left:,} characters left out) …{text[-_TAIL:]}"


def shortened(noun: Noun, fields_of: Fields, nouns: Container[str]) -> Noun:
    """The answer with every quotation in it cut; the very same where none is too long.

    `fields_of` says of a kind which fields are the user's words and which may hold `nouns`, by name, that have some.
    """

    def inner(value: Any) -> Any:
        if isinstance(value, tuple):
            return _each(value, inner)
        return shortened(value, fields_of, nouns) if type(value).__name__ in nouns else value

    changed: dict[str, Any] = {}
    kind = type(noun)
    theirs, nested = fields_of(kind)
    whole = WHOLE.get(kind.__name__, ())
    for names, told in ((theirs, _text), (nested, inner)):
        for name in names:
            value = getattr(noun, name)
            if name not in whole and (new := told(value)) is not value:
                changed[name] = new
    return replace(noun, **changed) if changed else noun  # type: ignore[type-var]


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, tuple):
        return _each(value, _text)
    if isinstance(value, dict):
        new = {cut(key): _text(one) for key, one in value.items()}
        return new if new != value else value
    return value


def _each(value: tuple[Any, ...], told: Callable[[Any], Any]) -> tuple[Any, ...]:
    new = tuple(map(told, value))
    return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
