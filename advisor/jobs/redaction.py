"""Secrets out of whatever a report shows: tokens, keys and passwords become `[redacted]`.

Known token shapes wherever they stand, and the values of variables and flags whose names say that they are secret.
"""

from __future__ import annotations

import re
from functools import lru_cache

from advisor.model.shape import Shape

GONE = "[redacted]"

_SECRET_NAME = Shape(
    r"(?i)(?:^|[_-])(?:token|secret|passw(?:or)?d|pwd|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?)(?:$|[_-])|apikey"
)
_SHAPES = Shape(
    r"\bhf_[A-Za-z0-9]{16,}"  # Hugging Face
    r"|\bsk-[A-Za-z0-9_-]{16,}"  # OpenAI and its kin
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"  # GitHub
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # AWS key ids
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|\bAIza[A-Za-z0-9_-]{30,}"  # Google
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"  # JSON web tokens
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{12,}"  # Authorization: Bearer …
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"  # user:password in a URL
    r"|(?:(?<=[?&]token=)|(?<=[?&]key=)|(?<=[?&]sig=)|(?<=[?&]password=)|(?<=[?&]X-Amz-Signature=))[^\s&\"'#]{6,}"
)
_ASSIGNED = Shape(  # HF_TOKEN=…, --api-key …, "password": "…"
    r"(?i)((?:[A-Z0-9_-]*(?:token|secret|passw(?:or)?d|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?))[\"\']?(?:\s*[=:]\s*|\s+)[\"\']?)"
    r"([^\s\"\',;}{]{6,})"
)
_NAMES_ONE = Shape(r"(?i)token|secret|passw|key")  # what any name in `_ASSIGNED` holds
_COUNTED = Shape(
    r"(?i)tokens?$|token[_-]?(?:num|ids?|len|limit|ratio|budget|count)|(?:num|max|min|draft|speculative)[_-](?:\w+[_-])?tokens?"
)


@lru_cache(maxsize=4096)
def redact(text: str) -> str:
    """The text without secrets."""
    text = _SHAPES.sub(GONE, text)
    return _ASSIGNED.sub(_hide, text) if _NAMES_ONE.search(text) else text


_OWN = Shape(
    r"(?i)(?:hf|hub|auth|access|api|bearer|secret)[_-]?\w*token$"
)  # HF_TOKEN is a secret, --num-tokens a count


def _counts(name: str) -> bool:
    """Whether the name speaks of the tokens of a text."""
    return bool(_COUNTED.search(name)) and not _OWN.search(name)


def _hide(found: re.Match[str]) -> str:
    """Hide an assigned value, unless the name speaks of model tokens or the value is plainly a number."""
    name, value = found.group(1), found.group(2)
    word = re.sub(r"[\s=:\"\']+$", "", name)
    if _counts(word) or re.fullmatch(r"[-+]?\d+(\.\d+)?", value) or value.startswith(("$", GONE, "<")):
        return found.group(0)
    return name + GONE


def redact_value(name: str, value: object) -> object:
    """A setting's or variable's value, hidden when its name says that it is a secret."""
    if not isinstance(value, str):
        return value
    if _SECRET_NAME.search(name) and not value.startswith("$"):
        may_count = not name.isupper() or re.fullmatch(r"[-+]?[\d.]*", value)  # HF_X_TOKEN=abc counts nothing
        if not (may_count and _counts(name)):
            return GONE
    return redact(value)
