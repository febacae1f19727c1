"""Small changes to the characters of a command: one flag's value, one flag away, one flag more.

    --speculative-config='{"method": "mtp"}'   method -> eagle     --speculative-config='{"method": "eagle"}'
    vllm serve m \\                              remove --tp        vllm serve m \\
      --tp 8 \\                                                       --port 8000
      --port 8000

Each function gives the text anew and keeps the writer's own way: quotes, `=` or a blank, continuation lines.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from advisor.launches.flags import load_json
from advisor.launches.words import prepare, resolve
from advisor.model.fact import Value
from advisor.model.late import dataclass
from advisor.model.launch import Setting
from advisor.model.shape import Shape

LONGEST_GAP = 2_000  # characters; blanks farther off stay where they are
_GAP_BEFORE = Shape(r"(?:[ \t\r\n]|\\\r?\n)*\Z")
_GAP_AFTER = Shape(r"(?:[ \t\r\n]|\\\r?\n)*")
_CONTINUATION = Shape(r"\\\r?\n([ \t]*)")
_PLAIN = Shape(r"[\w@%+=:,./-]+\Z")


@dataclass(frozen=True, slots=True)
class Token:
    """A setting's characters: the flag's, and the value's quotes included; `value_start` is -1 when it has none."""

    start: int
    flag_end: int
    value_start: int
    end: int


def token(text: str, setting: Setting) -> Token | None:
    """Where the setting's flag and value stand, or None when it is not typed in the text."""
    if setting.start < 0:
        return None
    piece = text[setting.start : setting.end]
    spans = prepare(piece).spans
    if not spans:
        return None
    first_start, first_end = spans[0]
    equals = piece.find("=", first_start, first_end)
    if equals >= 0:
        return Token(setting.start, setting.start + equals, setting.start + equals + 1, setting.start + first_end)
    if len(spans) > 1:
        return Token(setting.start, setting.start + first_end, setting.start + spans[1][0], setting.end)
    attached = len(setting.typed)
    if attached < first_end and piece.startswith(setting.typed):
        return Token(setting.start, setting.start + attached, setting.start + attached, setting.end)
    return Token(setting.start, setting.start + first_end, -1, setting.end)


def shown(value: Value) -> str:
    """A value as it is typed, before quoting."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def quoted(value: str, like: str = "") -> str:
    """The value as one shell word, in the quotes that `like` has where they will do."""
    if like.startswith('"'):
        return '"' + re.sub(r'([\\"$`])', r"\\\1", value) + '"'
    if like.startswith("'") and "'" not in value:
        return f"'{value}'"
    return value if _PLAIN.match(value) else shlex.quote(value)


def with_value(text: str, at: Token, value: str) -> str:
    """The text with the token's value replaced."""
    return text[: at.value_start] + quoted(value, text[at.value_start : at.end]) + text[at.end :]


def value_of(text: str, at: Token) -> str:
    """The value as the program receives it."""
    return " ".join(word.text for word in resolve(text, at.value_start, at.end, {}))


def without(text: str, start: int, end: int) -> str:
    """The text without these characters and the blanks, or the continuation, that set them apart."""
    gap = _GAP_BEFORE.search(text, max(0, start - LONGEST_GAP), start)
    before = gap.start() if gap else start
    following = _GAP_AFTER.match(text, end)
    after = following.end() if following else end
    alone = "\n" not in text[before:start] or "\n" in text[end:after] or after == len(text)
    if before > 0 and alone:
        return text[:before] + text[end:]
    return text[:start] + text[after:]


def edited_json(raw: str, path: list[str], value: Value, *, remove: bool = False) -> str | None:
    """The JSON object with one key set or removed, in its own style; None when it is not an object or lacks the key.

    An object that becomes empty comes back as "".
    """
    loaded = load_json(raw)
    if loaded is None:
        return None
    inner: Any = loaded
    for key in path[:-1]:
        if isinstance(inner, dict):
            inner = inner.get(key) if remove else inner.setdefault(key, {})
    if not isinstance(inner, dict) or (remove and path[-1] not in inner):
        return None
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return _dumped(loaded, raw) if loaded else ""


def _dumped(loaded: dict[str, Any], raw: str) -> str:
    if "\n" in raw.strip():
        indent = re.search(r"\n([ \t]+)", raw)
        return json.dumps(loaded, ensure_ascii=False, indent=len(indent.group(1)) if indent else 2)
    colon = ": " if re.search(r'":\s', raw) else ":"
    comma = ", " if re.search(r",\s", raw) or (colon == ": " and "," not in raw) else ","
    return json.dumps(loaded, ensure_ascii=False, separators=(comma, colon))


def appended(text: str, at: int, words: str, *, command: tuple[int, int]) -> str:
    """The text with words added at `at`: on a line of their own where the lines around them are so."""
    line = text.rfind("\n", 0, at) + 1
    begin, end = command
    inside = begin <= at <= end
    continued = list(_CONTINUATION.finditer(text, begin, end)) if inside else []
    if continued:
        return text[:at] + " \\\n" + continued[-1].group(1) + words + text[at:]
    indent = re.match(r"[ \t]*", text[line:at])
    starts_line = bool(re.match(r"[ \t]*-", text[line:at])) and "\n" in text[begin if inside else 0 : at]
    if starts_line:
        return text[:at] + "\n" + (indent.group() if indent else "") + words + text[at:]
    return text[:at] + " " + words + text[at:]


def flag_words(flag: str, value: Value, *, switch: bool, equals: bool, underscores: bool) -> str:
    """A flag and its value as words to add."""
    if underscores:
        head, dot, rest = flag.partition(".")
        flag = "--" + head.lstrip("-").replace("-", "_") + dot + rest
    if switch:
        return flag
    return f"{flag}{'=' if equals else ' '}{quoted(shown(value))}"
