"""What a report says in its own voice, in the reader's language.

Every sentence of ours stands in the code in English, with its values named: `say("Do first: {what}", what=…)`. The
other languages are tables from that English to their own, `chinese.py` one of them; a sentence that a table lacks is
said in English, never left out. Text that is the user's, or a rule's, is a value and is not looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Language = Literal["en", "zh"]

_spoken: ContextVar[Language] = ContextVar("_spoken", default="en")


def say(english: str, **values: object) -> str:
    """The sentence in the language that is spoken, its `{names}` filled in."""
    said = _table(_spoken.get()).get(english, english)
    return said.format_map(values) if values else said


def counted(count: int, noun: str) -> str:
    """`1 line`, `2 lines`; the table has the singular alone, `{count} line`."""
    said = _table(_spoken.get()).get(f"{{count}} {noun}")
    return said.format(count=count) if said else f"{count} {noun}{'' if count == 1 else 's'}"


def spoken() -> Language:
    """The language that is spoken now."""
    return _spoken.get()


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Every `say` within is said in this language. What is made lazily must be made before it ends."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def _table(language: Language) -> Mapping[str, str]:
    if language == "en":
        return {}
    from advisor.render.chinese import CHINESE  # only those who read it pay for it

    return CHINESE
