"""Sentences made in the rooms below, in English -> the same in the reader's language, as far as they are known.

A fact, a question or a statement about ranks reaches a renderer as English with its values in it. A language's table
has such sentences whole, or as templates: `{who} waits {where}` knows `rank 0 waits in a gloo broadcast` again. A
rule's own prose is looked up in the Chinese that the rule brings with it. What is not known stays English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from advisor.render.language import spoken

if TYPE_CHECKING:
    from advisor.patterns import Pattern

Noun = TypeVar("Noun")
_Prose = Mapping[str, str]

_NESTED = frozenset({"what", "why", "more"})
_PLACED = frozenset({"where", "group", "device"})
_LISTED = frozenset({"differences"})
_APART = re.compile(r"(?<=\)), |, (?=--?[a-z]|no --)")  # --a 1 (you give 2), no --b (you give 3)
_AND_MORE = re.compile(r"(?s)(.*) and (\d+) more")
_RANKS = frozenset({"who", "others", "peer"})
_SHAPES = {
    **dict.fromkeys(_RANKS, r"(?:ranks? [^\s,:;]*\d[^\s,:;]*(?:(?:, | and )[^\s,:;]*\d[^\s,:;]*)*|an unnamed rank)"),
    **dict.fromkeys(("name", "op", "seq", "first", "last", "near", "instead"), r"\S+"),
    **dict.fromkeys(("version", "until"), r"(?:v?\d\S*|main)"),
    **dict.fromkeys(("count", "numel", "number", "met", "total", "load"), r"[\d.]+"),
    "fact": r"(?:[a-z_]+(?:\.[a-z_0-9]+)+|--?[A-Za-z][\w.-]*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)",
    "value": r"(?:[\[{].*|\S+(?: \S+){0,2})",
    "component": r"[a-z][\w-]*",
    "vendor": r"[a-z]+",
    "flag": r"--?\S+",
    "fix": r"#?\S+(?: [0-9a-f]{7,40})?(?: \([^)]+\))?",
    "rule": r"[a-z-]+/\S+",
    "group": r"(?:group \S+|the default group|a group that is not named)",
}
"""How the value of that name looks, where it is not just any text: only a sentence of ours is to be taken for one."""

_KEPT = frozenset(
    (
        *("name", "quote", "place", "places", "value", "typed", "snippet", "file", "id", "reason", "label", "image"),
        *("diff", "run", "absent", "advancing", "commit", "where", "url", "rule", "rules", "aliases", "schema", "zh"),
        *("origin", "status", "state"),
    )
)
"""Fields that hold what the user gave, a code, or what a person copies: never told in other words."""


class _Template(NamedTuple):
    fragment: str
    pattern: str
    names: tuple[str, ...]
    said: str

    def match(self, text: str) -> dict[str, str] | None:
        found = _compiled(self.pattern).fullmatch(text) if self.fragment in text else None
        return dict(zip(self.names, cast("tuple[str, ...]", found.groups()), strict=True)) if found else None


def translated(noun: Noun, prose: _Prose | None = None) -> Noun:
    """The noun with every sentence in it told in the reader's language; the very same noun where that is English."""
    return noun if spoken() == "en" else cast("Noun", _walked(noun, prose or {}))


def told(english: str, prose: _Prose | None = None) -> str:
    """One sentence in the reader's language; itself where that has no word for it."""
    if spoken() == "en" or not english:
        return english
    return _told(english, prose or {})


def _walked(value: Any, prose: _Prose) -> Any:
    if isinstance(value, str):
        return _told(value, prose)
    if isinstance(value, tuple):
        return tuple(_walked(one, prose) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            one.name: new
            for one in fields(value)
            if one.name not in _KEPT
            for old in [getattr(value, one.name)]
            if (new := _walked(old, prose)) is not old
        }
        return replace(value, **changed) if changed else value
    return value


def _told(text: str, prose: _Prose) -> str:
    whole = _of_the_rule(text.strip(), prose) or _lines().below.get(text)
    return whole or _recognised(text, _lines().sentences, prose) or _in_parts(text, prose)


def _of_the_rule(text: str, prose: _Prose) -> str:
    """The rule's own Chinese; a sentence is known without its stop as well, and then told without."""
    return prose.get(text) or prose.get(f"{text}.", "").removesuffix("。")


def _recognised(text: str, templates: tuple[_Template, ...], prose: _Prose) -> str:
    for template in templates:
        values = template.match(text)
        if values is not None:
            return template.said.format_map({name: _value(name, one, prose) for name, one in values.items()})
    return ""


def _value(name: str, text: str, prose: _Prose) -> str:
    if name in _RANKS:
        bare = text.removeprefix("ranks ").removeprefix("rank ")
        return _lines().unnamed if bare == text else "rank " + bare.replace(" and ", "、").replace(", ", "、")
    if name in _PLACED:
        return _lines().places.get(text) or _recognised(text, _lines().standing, prose) or text
    if name in _LISTED:
        return _differences(text, prose)
    if name == "how":
        return "、".join(_lines().known_by.get(one, one) for one in text.split(", "))
    return _told(text, prose) if name in _NESTED else text


def _differences(text: str, prose: _Prose) -> str:
    """What two sources have otherwise, one after the other, and how many more there are."""
    more = _AND_MORE.fullmatch(text)
    parts = _APART.split(more[1] if more else text)
    said = "、".join(_recognised(one, _lines().differing, prose) or one for one in parts)
    return _lines().more.format(named=said, count=more[2]) if more else said


def _in_parts(text: str, prose: _Prose) -> str:
    """Reasons joined by semicolons, all of them known; or what stands before a colon and behind it, each if known."""
    reasons = text.split("; ")
    told_ = [_told(one, prose) for one in reasons] if len(reasons) > 1 else []
    if told_ and all(new != old for new, old in zip(told_, reasons, strict=True)):
        return "；".join(told_)
    head, found, rest = text.partition(": ")
    parts = (_lines().below.get(head, head), _told(rest, prose)) if found else (head, rest)
    return "：".join(parts) if parts != (head, rest) else text


class _Lines(NamedTuple):
    below: Mapping[str, str]
    sentences: tuple[_Template, ...]
    places: Mapping[str, str]
    standing: tuple[_Template, ...]
    differing: tuple[_Template, ...]
    more: str
    known_by: Mapping[str, str]
    unnamed: str


@cache
def _lines() -> _Lines:
    """The tables of the one language there is beside English."""
    from advisor.render.chinese import CHINESE
    from advisor.render.chinese_below import BELOW, KNOWN_BY, PLACES, UNNAMED
    from advisor.render.chinese_conflicts import DIFFERENCES

    placed, differing = _templates(PLACES), _templates(DIFFERENCES)
    more = CHINESE["{named} and {count} more"]
    return _Lines(BELOW, _templates(BELOW), PLACES, placed, differing, more, KNOWN_BY, UNNAMED)


def _templates(table: Mapping[str, str]) -> tuple[_Template, ...]:
    """The most literal first, so that the more particular of two that fit is taken."""
    made = [_template(english, said) for english, said in table.items() if "{" in english]
    return tuple(one for _, one in sorted(made, key=lambda pair: -pair[0]))


def _template(english: str, said: str) -> tuple[int, _Template]:
    from string import Formatter  # not in English

    parts = list(Formatter().parse(english))
    literals = [literal for literal, _, _, _ in parts]
    names = tuple(dict.fromkeys(name for _, name, _, _ in parts if name is not None))
    pattern, seen = "(?s)", set[str]()
    for literal, name, _, _ in parts:
        pattern += re.escape(literal)
        if name is not None:
            shape = _SHAPES.get(name, ".+?")
            pattern += f"({shape})" if name not in seen else f"(?:{shape})"
            seen.add(name)
    return sum(map(len, literals)), _Template(max(literals, key=len), pattern, names, said)


@cache
def _compiled(pattern: str) -> Pattern:
    from advisor.patterns import compile_pattern  # English needs no pattern

    return compile_pattern(pattern)
