"""The ways people write an environment variable -> name and value.

    NAME=15    NAME = 15    NAME: "15"    NAME set to 15    NAME 设为 15
    - name: NAME
      value: "15"                              -> as in a manifest, also {"name": "NAME", "value": "15"}
    SGLANG_REQ_WAITING_TIMEOUT=15s             -> 15: the engine counts this one in seconds, and the text says so

Only what stands beside `=`, a colon or "set to" counts; with a colon or in words it must be a number, a switch word
or quoted, since prose explains variables too.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.late import dataclass
from advisor.model.shape import Shape

_NAME = r"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"
_UNIT = r"\s?(?:ms|milliseconds?|毫秒|s|secs?|seconds?|秒)(?![A-Za-z0-9_])"
_PLAIN = rf"(?:-?\d+(?:\.\d+)?(?:{_UNIT})?|true|false|True|False|on|off|ON|OFF)(?![A-Za-z0-9_.]\w)"
_QUOTED = r"\"[^\"\n]*\"|'[^'\n]*'"
_ASSIGNED = Shape(
    rf"(?<![A-Za-z0-9_$-]){_NAME}[`\"'*]{{0,3}}(?:"
    rf"=({_QUOTED}|-?\d+(?:\.\d+)?{_UNIT}|[^\s,;，。；、)）`*\"']+)"
    rf"|[ \t]{{1,3}}=[ \t]{{0,3}}`?({_QUOTED}|{_PLAIN}|[^\s,;，。；、)）`*\"'=]+)"
    rf"|[ \t]{{0,3}}[:：][ \t]{{0,3}}`?({_QUOTED}|{_PLAIN})"
    r"|[ \t]{0,3}(?:(?:is|was|are)[ \t])?(?:set (?:to|at|as)|at|of|设置?为|设置?成|设到|配成|是)"
    rf"[ \t]{{0,3}}`?({_QUOTED}|{_PLAIN}))"
)  # NCCL_PROTO=Simple, X_TIMEOUT: 15, X_TIMEOUT is set to 15
_MANIFEST = Shape(
    rf"\bname[\"']?[ \t]*:[ \t]*[\"']?{_NAME}[\"']?[ \t]*,?\s{{1,80}}"
    rf"[\"']?value[\"']?[ \t]*:[ \t]*({_QUOTED}|[^\s,}}]+)"
)  # - name: X  value: "15"
_TIMED = Shape(rf"(\d+(?:\.\d+)?)({_UNIT})\Z")
_SECONDS = Shape(r"_(?:TIMEOUT|INTERVAL|SEC|SECS|SECONDS)(?:_S|_SEC|_SECONDS)?\Z")


@dataclass(frozen=True, slots=True)
class Assigned:
    """A variable as written: its value, and the characters of name and value."""

    name: str
    value: str
    start: int
    end: int


def read(text: str) -> Iterator[Assigned]:
    """Every variable that the text gives a value, in order for each way of writing."""
    if "_" not in text:  # it is in every name
        return
    for pattern in (_MANIFEST, _ASSIGNED) if "value" in text else (_ASSIGNED,):
        for found in pattern.finditer(text):
            said = next(one for one in found.groups()[1:] if one is not None)
            value = said.strip("\"'").rstrip(".:") if said[0] in "\"'" else said.rstrip(".:")
            yield Assigned(found.group(1), in_its_unit(found.group(1), value), *found.span())


def in_its_unit(name: str, value: str) -> str:
    """`15s` as the variable counts it: 15 for one in seconds, 15000 for one in milliseconds; else as it stands."""
    timed = _TIMED.match(value.strip())
    if not timed:
        return value
    number, milli = float(timed.group(1)), timed.group(2).strip().startswith(("m", "毫"))
    if name.endswith("_MS"):
        return f"{number if milli else number * 1000:g}"
    if _SECONDS.search(name):
        return f"{number / 1000 if milli else number:g}"
    return value
