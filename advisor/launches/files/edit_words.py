"""A setting as read in a file -> where its flag and its value stand, whatever form they have there.

    - --tp=8                one item: flag `--tp`, value `8`
    - "--tp"  - "8"         two items, the value's quotes around it
    - --tp 8 --swap 4       several settings in one item: the words inside
    tensor-parallel: 8      a pair of a map        tensor_parallel=8      a keyword of a call

`Spot` holds what an edit needs; None where the setting's words do not stand in the file as they are read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise

from advisor.launches.files.edit_spans import SEPARATORS, Span
from advisor.model.deployment import Form, Workload
from advisor.model.launch import Setting

_KEY = re.compile(r"[\"']?([A-Za-z_][\w.-]*)[\"']?\s*[:=]?\s*")
PLAIN = re.compile(r"[A-Za-z0-9_@%+=:./-]*[A-Za-z0-9_@%+=./-]\Z|\Z")
NAMED = ("mapping value", "keyword")


@dataclass(frozen=True, slots=True)
class Spot:
    """`whole` is all of the setting, `words` its words, `flag` the flag's own characters, `value` the value's with its
    quotes; None without one. `inner` says that the words are only a part of one item."""

    form: Form
    whole: Span
    words: tuple[Span, ...]
    flag: Span
    value: Span | None
    inner: bool = False


def spot(text: str, workload: Workload, given: Setting) -> Spot | None:
    """Where the setting stands, or None."""
    if given.start < 0:
        return None
    found = [one for one in workload.arguments if given.start <= one.place.start and one.place.end <= given.end]
    places = sorted({(one.place.start, one.place.end, one.place.form) for one in found if one.place.form != "text"})
    if not places:
        return None
    form: Form = places[0][2]
    if form in NAMED:
        return _pair(text, given, form)
    words = tuple((low, high) for low, high, _ in places)
    if any(not SEPARATORS.match(text[one[1] : two[0]]) for one, two in pairwise(words)) and form != "block item":
        return None
    inside = [one for one in workload.arguments if one.place.start == words[0][0] and one.place.end == words[0][1]]
    if len(inside) > len([one for one in (given.typed, given.raw) if one is not None]) and len(words) == 1:
        return _inner(text, words[0], given, form)
    return _words(text, words, given, form)


def _pair(text: str, given: Setting, form: Form) -> Spot | None:
    piece = text[given.start : given.end]
    key = _KEY.match(piece)
    if key is None:
        return None
    flag = (given.start + key.start(1), given.start + key.end(1))
    value = (given.start + key.end(), given.end) if key.end() < len(piece) else None
    return Spot(form, (given.start, given.end), ((given.start, given.end),), flag, value)


def _inner(text: str, item: Span, given: Setting, form: Form) -> Spot | None:
    """The setting within an item that holds more than it."""
    typed, raw = re.escape(given.typed), re.escape(given.raw) if given.raw is not None else ""
    value = rf"(?:\s+|=)(?P<value>{raw})" if raw else ""
    matches = list(re.finditer(rf"(?<![\w-])(?P<flag>{typed}){value}(?![\w.=-])", text[item[0] : item[1]]))
    if len(matches) != 1:
        return None
    one = matches[0]
    low, high = item[0] + one.start(), item[0] + one.end()
    held = (item[0] + one.start("value"), item[0] + one.end("value")) if raw else None
    return Spot("shell word", (low, high), ((low, high),), (low, item[0] + one.end("flag")), held, form != "shell word")


def _words(text: str, words: tuple[Span, ...], given: Setting, form: Form) -> Spot | None:
    low, high = words[0]
    typed = given.typed.partition("=")[0]
    at = text.find(typed, low, high)
    if at < 0 or text[low:at].strip("\"'"):
        return None
    flag = (at, at + len(typed))
    whole = (low, words[-1][1])
    if len(words) > 1:
        return Spot(form, whole, words, flag, (words[1][0], words[-1][1]))
    rest = text[flag[1] : high]
    if rest.startswith("="):
        closing = 1 if text[low] in "\"'" and text[high - 1] == text[low] else 0
        return Spot(form, whole, words, flag, (flag[1] + 1, high - closing))
    found = re.match(r"(\s+)\S", rest)  # `- --tp 8`: flag and value in one item
    if found and given.raw is not None:
        closing = 1 if text[low] in "\"'" and text[high - 1] == text[low] else 0
        return Spot(form, whole, words, flag, (flag[1] + found.end(1), high - closing))
    return Spot(form, whole, words, flag, None)


def quoted(value: str, quote: str) -> str | None:
    """A value between the quotes given, or plain; None where that would need more than quotes."""
    if quote == '"':
        return json.dumps(value, ensure_ascii=False)
    if quote == "'":
        return f"'{value}'" if "'" not in value and "\\" not in value else None
    return value if PLAIN.match(value) and value else None


def revalued(text: str, here: Span, value: str, *, literal: bool = False) -> str | None:
    """The new characters of a value that stands here, in the quotes that it has; None where it cannot be so written.

    `literal`: a number or truth of Python or YAML that needs no quotes.
    """
    old = text[here[0] : here[1]]
    quote = old[:1] if old[:1] in ("'", '"') and old[-1:] == old[:1] and len(old) > 1 else ""
    if literal and not quote:
        return value
    return quoted(value, quote)
