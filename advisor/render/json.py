"""Report -> JSON: the contract in docs/json.md, keys in the order of the nouns.

Text is kept as it is, in any script; characters that could drive a terminal are written as JSON escapes, so that
nothing is lost and `cat` is safe.
"""

from __future__ import annotations

import dataclasses
import json as codec
import math
import re
from collections.abc import Callable, Iterable
from functools import cache
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any

from advisor.model.once import is_kept
from advisor.model.report import Report
from advisor.render.quoting import UNSAFE

_AS_THEY_ARE = frozenset((str, int, bool, type(None)))
_WORDS = {None: "null", True: "true", False: "false"}
_LINES: dict[int, str] = {}
"""What is kept for good (`model/once.py`) as JSON on one line."""


def json(report: Report) -> str:
    """The report as indented JSON, ending in a newline."""
    return json_of(report)


def json_of(noun: object) -> str:
    """Any noun as indented JSON, ending in a newline."""
    return _safe(codec.dumps(_plain(noun), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def json_line(report: Report) -> str:
    """The report as one line of JSON without the newline, for batches."""
    return _line(report)


def _line(value: Any) -> str:
    """What `_plain` makes of a value, as JSON on one line; of what is kept for good, made once."""
    kind = type(value)
    if kind is str:
        text = encode_basestring(value)
        return text if text.isascii() and text.isprintable() else _safe(text)
    if kind in _AS_THEY_ARE:
        return repr(value) if kind is int else _WORDS[value]
    kept = _LINES.get(id(value))
    if kept is None:
        kept = _written(value, kind)
        if is_kept(value):
            _LINES[id(value)] = kept
    return kept


def _written(value: Any, kind: Any) -> str:
    if _fields(kind):
        frame, values = _frame(kind)
        return frame % tuple(map(_line, values(value)))
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_line, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join([f"{_line(str(key))}:{_line(one)}" for key, one in value.items()]) + "}"
    return codec.dumps(_plain(value), ensure_ascii=False)


@cache
def _frame(kind: Any) -> tuple[str, Callable[[Any], Iterable[Any]]]:
    """A noun as JSON but for its values, and what gives these in order."""
    names = _fields(kind)
    values = attrgetter(*names) if len(names) > 1 else lambda one: (getattr(one, names[0]),)
    return "{" + ",".join(f'"{name}":%s' for name in names) + "}", values


def _plain(value: Any) -> Any:
    """Nouns as dicts, tuples as lists; a number JSON has no word for (NaN, infinity) as text."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if names := _fields(kind):  # type: ignore[arg-type]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    """The fields of a noun, in order; none of what is no noun."""
    return tuple(one.name for one in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


def _safe(text: str) -> str:
    return UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
