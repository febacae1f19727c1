"""What is private in a text -> hidden: secrets become `[redacted]`, hosts and people pseudonyms, prompts a word.

    redact(text), redact_value(name, value)   one string, its secrets alone: what every job calls as it quotes
    cover.covered(noun)                       a whole answer before it is shown: the rest too, one name for one thing
    one_answer()                              within it the same names hold for all that is shown, not beyond it
    shown_as_given()                          what `--no-redact` asks for: within it nothing is hidden

A question that costs next to nothing comes first: a text without a run of letters and digits, a name that speaks of
secrets or an address holds none, and nothing more is loaded for it. docs/privacy.md says what is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from advisor.redaction.names import GONE, may_hold_secrets, says_secret

__all__ = [
    "GONE",
    "QUOTED",
    "as_given",
    "may_hold_secrets",
    "of_this_answer",
    "one_answer",
    "parts",
    "redact",
    "redact_text",
    "redact_value",
    "says_secret",
    "show_as_given",
    "shown_as_given",
]

QUOTED = 4000
"""Characters of one quotation: 50 lines of a terminal."""
PART = 1 << 18
"""Characters that are looked at together."""
BETWEEN = "\n\0\n"
"""What stands between texts that are: where one ends a part may, and rather than within the next."""

_as_given: ContextVar[bool] = ContextVar("as_given", default=False)
_answer: ContextVar[dict[str, Any] | None] = ContextVar("answer", default=None)


@contextmanager
def shown_as_given(wanted: bool = True) -> Iterator[None]:
    """Within it nothing is hidden, where `wanted`."""
    token = _as_given.set(wanted)
    try:
        yield
    finally:
        _as_given.reset(token)


def show_as_given() -> None:
    """From here on nothing is hidden in this process: for one that was started for a command that hides nothing."""
    _as_given.set(True)


def as_given() -> bool:
    """Whether nothing is to be hidden."""
    return _as_given.get()


@contextmanager
def one_answer(kept: dict[str, Any] | None = None) -> Iterator[None]:
    """Within it what is private has one name in all that is shown: a command, a request, a case of a batch. With the
    same `kept` an answer that was left is gone on with."""
    token = _answer.set({} if kept is None else kept)
    try:
        yield
    finally:
        _answer.reset(token)


def of_this_answer() -> dict[str, Any]:
    """What `cover` keeps for the answer at hand; empty, and for nobody else, where none was begun."""
    kept = _answer.get()
    return {} if kept is None else kept


def redact(text: str) -> str:
    """The text without secrets."""
    return text if not text or _as_given.get() else _without_secrets(text)


def redact_text(text: str) -> str:
    """A whole text, such as a file's, without secrets: those of several lines too, and nothing of it is kept."""
    if as_given():
        return text
    from advisor.redaction.secrets import without_secrets

    return "".join(without_secrets(part) if may_hold_secrets(part) else part for part in parts(text))


def parts(text: str) -> Iterator[str]:
    """The text in parts of a bearable size that begin with a line; a line that is longer is one. A text among several
    is cut only where it is longer than a part."""
    at = 0
    while len(text) - at > PART:
        end = text.rfind(BETWEEN, at, at + PART)
        end += len(BETWEEN) if end >= 0 else 1
        end = end or text.rfind("\n", at, at + PART) + 1 or text.find("\n", at + PART) + 1 or len(text)
        yield text[at:end]
        at = end
    yield text[at:]


@lru_cache(maxsize=4096)
def _without_secrets(text: str) -> str:
    if not may_hold_secrets(text):
        return text
    from advisor.redaction.secrets import without_secrets

    return without_secrets(text)


def redact_value(name: str, value: object) -> object:
    """A setting's or variable's value, hidden when its name says that it is a secret."""
    if not isinstance(value, str) or _as_given.get():
        return value
    if value and says_secret(name, value):
        return GONE
    return redact(value)
