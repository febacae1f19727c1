"""Facts and excerpts -> cards: what a finding stands on, each with the lines that say so, marked in their place.

Facts that are read off the same lines share a card. A fact without an excerpt of its own is a row of the list below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from advisor.model.report import ExcerptOut, FactOut
from advisor.render.quoting import many_lines

_FRAME = re.compile(r"([\w:~<>.]+)(?: \([^)]*\))?$")  # ncclLocalOpAppend (proxy.cc)
_LINE = re.compile(r":(\d+(?:-\d+)?)$")  # engine.log:6-7
_WORD = re.compile(r"\w+")
_MOSTLY = 0.8  # what is nearly the whole line needs no mark beside the line's own


@dataclass(frozen=True)
class Row:
    """A line with its number; `hit` where it is quoted."""

    number: int
    text: Markup
    hit: bool


@dataclass
class Card:
    """Some facts, and the lines of `file` that they were read off; a quote alone where the lines are not at hand."""

    file: str
    facts: list[FactOut] = field(default_factory=list)
    rows: tuple[Row, ...] = ()
    quote: Markup = field(default_factory=Markup)

    @property
    def read_off(self) -> list[tuple[str, list[FactOut]]]:
        """The facts by the line they were read off, in the order of the lines; "" where no line is known."""
        found: dict[str, list[FactOut]] = {}
        for fact in self.facts:
            found.setdefault(_line_of(fact.place), []).append(fact)
        return sorted(found.items(), key=lambda one: int(one[0].partition("-")[0] or 0))


@dataclass(frozen=True)
class Evidence:
    """Cards with their lines, and the facts that have none."""

    cards: tuple[Card, ...]
    others: tuple[FactOut, ...]


def evidence(facts: Iterable[FactOut], excerpts: Sequence[ExcerptOut]) -> Evidence:
    """The facts, the first quoted ones first."""
    facts = list(facts)
    by_place = {place: one for one in excerpts for place in one.places}
    cards: dict[object, Card] = {}
    others: list[FactOut] = []
    for fact in facts:
        excerpt = by_place.get(fact.place) if fact.place else None
        if excerpt is not None:
            cards.setdefault(id(excerpt), Card(excerpt.file)).facts.append(fact)
        elif _quotable(fact):
            card = Card(_file_of(fact.place), quote=escape(many_lines(fact.quote)))
            cards.setdefault((fact.place, fact.quote), card).facts.append(fact)
        else:
            others.append(fact)
    for key, card in cards.items():
        card.rows = _rows(next(one for one in excerpts if id(one) == key), card.facts) if isinstance(key, int) else ()
    return Evidence(tuple(cards.values()), tuple(others))


def _file_of(place: str) -> str:
    line = _line_of(place)
    return place.removesuffix(f":{line}") if line else place


def _line_of(place: str) -> str:
    found = _LINE.search(place)
    return found[1] if found else ""


def _quotable(fact: FactOut) -> bool:
    """Whether the quote says more than the fact itself."""
    return fact.origin == "observed" and not set(_WORD.findall(fact.quote)) <= set(_WORD.findall(fact.says))


def _rows(excerpt: ExcerptOut, facts: Sequence[FactOut]) -> tuple[Row, ...]:
    hits = set(excerpt.hits)
    return tuple(
        Row(number, marked(line, facts) if number in hits else escape(many_lines(line)), number in hits)
        for number, line in enumerate(excerpt.lines, excerpt.first_line)
    )


def marked(line: str, facts: Iterable[FactOut]) -> Markup:
    """The line with the parts marked that the facts were read off."""
    spans = sorted({span for fact in facts for part in _telling(fact) for span in _found(line, part)})
    out, at = [], 0
    for start, end in spans:
        if end > at:
            start = max(start, at)
            out += [escape(many_lines(line[at:start])), Markup("<mark>{}</mark>").format(many_lines(line[start:end]))]
            at = end
    return Markup("").join([*out, escape(many_lines(line[at:]))])


def _telling(fact: FactOut) -> list[str]:
    """The texts in a quote that matter: what a pattern found, the functions of a stack, a setting as typed."""
    if fact.name.startswith("stack:"):
        frames = (_FRAME.match(frame.strip()) for frame in fact.quote.split(" < "))
        return [found[1] for found in frames if found]
    value = fact.value if isinstance(fact.value, str) else ""
    if value and value in fact.quote:
        return [value]
    return [fact.quote.strip("…").strip()]


def _found(line: str, part: str) -> list[tuple[int, int]]:
    """Where the part stands first in the line; nowhere when it is nearly all of it."""
    at = line.find(part) if part else -1
    return [(at, at + len(part))] if at >= 0 and len(part) < _MOSTLY * len(line.strip()) else []
