"""Words after an engine's command -> settings, positional words and notes.

    --tensor_parallel_size 8 --speculative-config '{"method":"dspark"}' --no-enable-prefix-caching
        -> --tensor-parallel-size 8; --speculative-config and --speculative-config.method dspark;
           --enable-prefix-caching False

What the knowledge says of a flag (`kind`, `type`) decides whether the next word is its value; a flag it does not know
takes the next word when that does not start with a dash. A JSON object yields one dotted setting per key besides the
whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import islice
from math import isfinite
from typing import Any

from advisor.launches.spelling import Spelled, attached, looks_like_flag, spell, style
from advisor.launches.typography import dashed
from advisor.launches.words import Word
from advisor.model.fact import Span, Value
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Setting
from advisor.model.shape import Shape

_TRUE, _FALSE = {"true", "1", "yes", "on", "t", "y"}, {"false", "0", "no", "off", "f", "n"}
_NUMBER = Shape(r"[+-]?(?:\d[\d_]*)(\.\d*)?(?:[eE][+-]?\d+)?\Z|[+-]?\.\d+\Z")
_HUMAN = Shape(r"(\d+(?:\.\d+)?)([kmgtKMGT])\Z")  # 128k = 128000, 128K = 131072
_FRACTION = Shape(r"[.eE]")
_EXACT = 16  # digits from which on a float may not hold every whole number
_HUMAN_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}
_NAMED = Shape(r"--?[A-Za-z][\w.-]*=")  # --tensor-parallel-size=$TP: the flag is known, its value is not
MAX_JSON = 1 << 18  # characters of one value; no flag of any engine is meant to hold a hundredth of it
_HALF = Shape(r"(?i)\\ud[89a-f]")  # "\ud800"
MAX_LEVELS = 32  # objects within objects
MAX_KEYS = 2_000
_DEEP = Shape(rf"(?:[\[{{][^\[{{}}\]]{{0,200}}){{{MAX_LEVELS + 1}}}")  # {"a":{"b":{"c": …
_ELLIPSIS = Shape(r"(?:\.\.\.|…|\[\.\.\.\]|\[…\])+\Z")


@dataclass
class Parsed:
    """`strays` are words that are neither flag nor value, in order; `elided` says that part of the line is not here.

    `valueless` are flags that want a value where another flag follows, or nothing.
    """

    settings: list[Setting] = field(default_factory=list)
    valueless: list[Setting] = field(default_factory=list)
    strays: list[Word] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    elided: bool = False


@dataclass(frozen=True)
class Place:
    """Where words stand: `text` is the launch's, `span` turns characters of it into a place in the artifact."""

    text: str
    span: Callable[[int, int], Span | None]

    def quote(self, start: int, end: int) -> str:
        """The characters on one line."""
        return " ".join(self.text[start:end].replace("\\\n", " ").split()) if start >= 0 else ""


def parse(words: Sequence[Word], knowledge: Knowledge | None, version: str | None, place: Place) -> Parsed:
    """All settings of the words. Never raises."""
    reader = _Reader(words, knowledge, version, place)
    at = 0
    while at < len(words):
        at = reader.step(at)
    _own_first(reader.out, knowledge)
    _add_wholes(reader.out.settings)
    return reader.out


def _own_first(out: Parsed, knowledge: Knowledge | None) -> None:
    """`--port` beside `--vllm-port`: the engine's own spelling is what its command line listens to."""
    engine = knowledge.engine if knowledge else ""
    handed = tuple(f"--{engine}{separator}" for separator in "-_") if engine else ()
    passed = [one for one in out.settings if handed and one.known and one.typed.startswith(handed)]
    if not passed:
        return
    own = {one.flag for one in out.settings if one not in passed}
    dropped = [one for one in passed if one.flag in own]
    out.settings = [one for one in out.settings if one not in dropped]


class _Reader:
    def __init__(self, words: Sequence[Word], knowledge: Knowledge | None, version: str | None, place: Place) -> None:
        self.words, self.knowledge, self.version, self.place = words, knowledge, version, place
        self.gflags = style(knowledge) == "gflags"
        self.out = Parsed()

    def step(self, at: int) -> int:
        word = self.words[at]
        if (word.open and not _NAMED.match(word.text)) or _is_ellipsis(word.text):
            self.out.elided = True
            if word.open:
                self.out.notes.append(f"what {word.text} holds is not given, so flags may be missing here")
            return at + 1
        typed = word.text if word.text.startswith("-") else dashed(word.text, self.knowledge)
        name, equals, value = typed.partition("=")
        if pair := attached(word.text, self.knowledge):
            name, value, equals = *pair, "="
        if not looks_like_flag(name):
            if word.text != "--":
                self.out.strays.append(word)
            return at + 1
        spelled = spell(name, self.knowledge, self.version)
        if equals:
            return self._emit(at, at + 1, name, spelled, value)
        return self._with_following(at, name, spelled)

    def _with_following(self, at: int, typed: str, spelled: Spelled) -> int:
        """The setting of a flag whose value, if it has one, is in the next words; the index after it."""
        end = at + 1
        if spelled.kind == "list":
            while end < len(self.words) and self._is_value(end, strictly=True):
                end += 1
        elif self._takes_next(at + 1, spelled):
            end = at + 2
        elif self.gflags and spelled.boolean and at + 1 < len(self.words):
            return self._before_a_word(at, typed, spelled)
        if end == at + 1:
            if spelled.kind in ("value", "json") and not spelled.boolean and not _optional(spelled):
                return self._without_value(at, typed, spelled)
            return self._emit(at, end, typed, spelled, None)
        if end == at + 2:
            return self._emit(at, end, typed, spelled, self.words[at + 1].text)
        return self._emit(at, end, typed, spelled, " ".join([word.text for word in self.words[at + 1 : end]]))

    def _without_value(self, at: int, typed: str, spelled: Spelled) -> int:
        """A flag whose value is nowhere: cut off by an ellipsis, or not given at all. gflags takes whatever follows."""
        if at + 1 == len(self.words) or (not self.gflags and self.words[at + 1].text.startswith("-")):
            self.out.valueless.append(replace(self._setting(at, at + 1, typed, spelled, None), value=None))
        else:
            self.out.notes.append(f"`{typed}` is given without a value")
        return at + 1

    def _before_a_word(self, at: int, typed: str, spelled: Spelled) -> int:
        """gflags: `--x false` turns x on, and `false` is a word of its own."""
        following = self.words[at + 1].text
        end = self._emit(at, at + 1, typed, spelled, None)
        if truth(following) is None or following in ("t", "y", "f", "n"):
            return end
        state = "off" if spelled.negated else "on"
        self.out.notes.append(
            f"`{typed} {following}` is read as {state}: gflags takes a boolean's value only after `=`"
        )
        return end + 1

    def _takes_next(self, at: int, spelled: Spelled) -> bool:
        if at >= len(self.words):
            return False
        if spelled.boolean and (self.gflags or spelled.kind != "value"):
            return not self.gflags and self.words[at].text.lower() in ("true", "false")
        return self._is_value(at, strictly=spelled.kind is None)

    def _is_value(self, at: int, *, strictly: bool) -> bool:
        word = self.words[at]
        if word.open and strictly:
            return False
        if _is_ellipsis(word.text):
            return False
        if not word.text.startswith("-") or word.text == "-":
            return True
        return bool(_NUMBER.match(word.text)) or (" " in word.text and not strictly)

    def _emit(self, at: int, end: int, typed: str, spelled: Spelled, raw: str | None) -> int:
        one = self._setting(at, end, typed, spelled, raw)
        self.out.settings.append(one)
        if raw is not None and raw.lstrip().startswith("{"):
            self.out.settings.extend(_keyed(one, flag, each) for flag, each in self._inside(spelled.flag, raw))
        return end

    def _setting(self, at: int, end: int, typed: str, spelled: Spelled, raw: str | None) -> Setting:
        first, last = self.words[at], self.words[end - 1]
        start, stop = (first.start, last.end) if 0 <= first.start < last.end else (-1, -1)
        where = (first.start, first.end) if first.start >= 0 else (last.start, last.end)
        span = self.place.span(start, stop) if start >= 0 else self.place.span(*where)
        value = self._value(typed, spelled, raw)
        quote = self.place.quote(start, stop)
        return Setting(spelled.flag, value, typed, span, "stated", start, stop, spelled.known, quote, raw)

    def _value(self, typed: str, spelled: Spelled, raw: str | None) -> Value:
        if spelled.boolean:
            given = True if raw is None or raw == "" else truth(raw)
            return given if given is None or not spelled.negated else not given
        if raw is None:
            return True
        value = convert(raw, spelled.type, guess=not spelled.known or spelled.type is None)
        if spelled.type in ("int", "float") and isinstance(value, str) and spelled.kind != "list" and "$" not in value:
            self.out.notes.append(f"`{typed}` takes a number, not `{value}`")
        return value

    def _inside(self, flag: str, raw: str) -> Iterator[tuple[str, Value]]:
        loaded = load_json(raw)
        if loaded is None:
            self.out.notes.append(f"the value of `{flag}` is {_why_unread(raw)}")
            return
        found = list(islice(flatten(flag, loaded), MAX_KEYS + 1))
        if len(found) > MAX_KEYS:
            self.out.notes.append(f"only the first {MAX_KEYS} keys of `{flag}` were read")
        yield from found[:MAX_KEYS]


def _keyed(whole: Setting, flag: str, value: Value) -> Setting:
    """A key of a JSON value, as a setting that stands where the whole does."""
    place = (whole.span, whole.origin, whole.start, whole.end)
    return Setting(flag, value, whole.typed, *place, whole.known, whole.quote)


def _is_ellipsis(text: str) -> bool:
    return text.startswith((".", "…", "[")) and bool(_ELLIPSIS.match(text))


def _optional(spelled: Spelled) -> bool:
    return spelled.record is not None and spelled.record.optional


def truth(raw: str) -> bool | None:
    """`true`, `1`, `yes` … or None when it is neither."""
    word = raw.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def convert(raw: str, type_: str | None, *, guess: bool = False) -> Value:
    """The value as the flag's type has it; the text itself when it does not fit. `guess` reads numbers and truths."""
    text = raw.strip()
    if type_ == "bool" or (guess and type_ is None and text.lower() in ("true", "false")):
        found = truth(text)
        return raw if found is None else found
    if type_ in ("int", "float") or (guess and type_ is None):
        return _number(text, type_, raw)
    return raw


def _number(text: str, type_: str | None, raw: str) -> Value:
    if len(text) < _EXACT and text.isascii() and text.isdigit():
        return float(text) if type_ == "float" else int(text)
    if human := _HUMAN.match(text):
        if type_ is None:
            return raw
        base = 1024 if human.group(2).isupper() else 1000
        size = float(human.group(1)) * base ** _HUMAN_POWER[human.group(2).lower()]
        return int(size) if isfinite(size) else raw
    if not _NUMBER.match(text):
        return raw
    number = float(text)
    if not isfinite(number):  # more than any flag is meant to hold: a text like any other
        return raw
    if type_ == "float" or (type_ is None and _FRACTION.search(text)):
        return number
    return int(number) if number == int(number) and not _FRACTION.search(text) else number


def load_json(raw: str) -> dict[str, Any] | None:
    """The JSON object, or None when it is not one, or larger or deeper than any flag's. Never raises."""
    if len(raw) > MAX_JSON:
        return None
    try:
        loaded = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if _HALF.search(raw):  # an escape may stand for half a character, which is no text
        loaded = json.loads(json.dumps(loaded, ensure_ascii=False).encode("utf-8", "replace"))
    return loaded if isinstance(loaded, dict) and _is_level(loaded, MAX_LEVELS) else None


def _why_unread(raw: str) -> str:
    """Why `load_json` gives nothing, in words."""
    if len(raw) > MAX_JSON:
        return f"longer than {MAX_JSON >> 10} KiB: its keys were not read"
    deep = _DEEP.search(raw) is not None
    return f"nested deeper than {MAX_LEVELS} levels: its keys were not read" if deep else "not valid JSON"


def _is_level(value: Any, levels: int) -> bool:
    """Whether it is no deeper than so many objects and lists within one another."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(levels > 1 and _is_level(one, levels - 1) for one in inner if isinstance(one, dict | list))


def flatten(flag: str, value: dict[str, Any], levels: int = MAX_LEVELS) -> Iterator[tuple[str, Value]]:
    """One dotted setting per key, inner objects included: `--x {"a":{"b":1}}` -> `--x.a`, `--x.a.b`. Of more levels
    than that, the rest is left as it stands in the last."""
    for key, each in value.items():
        dotted = f"{flag}.{key}"
        yield (
            dotted,
            each if isinstance(each, bool | int | float | str | None) else json.dumps(each, ensure_ascii=False),
        )
        if isinstance(each, dict) and levels > 1:
            yield from flatten(dotted, each, levels - 1)


def _add_wholes(settings: list[Setting]) -> None:
    """Dotted flags typed as such are one JSON value to the engine: add that whole, so that a rule may ask for it."""
    typed = {one.flag.partition(".")[0]: one for one in settings if "." in one.flag and "." in one.typed}
    for head, first in typed.items():
        if any(one.flag == head for one in settings):
            continue
        whole: dict[str, Any] = {}
        for one in settings:
            if one.flag.startswith(head + ".") and one.flag.count(".") <= MAX_LEVELS:
                _put(whole, one.flag[len(head) + 1 :].split("."), one.value)
        text = json.dumps(whole, ensure_ascii=False)
        settings.append(replace(first, flag=head, value=text, origin="derived", start=-1, end=-1))


def _put(whole: dict[str, Any], path: list[str], value: Value) -> None:
    for key in path[:-1]:
        inner = whole.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        whole = inner
    whole[path[-1]] = value
