"""A text -> the same text with everything blanked that does not say what the user's deployment does now.

Sample: of `Is there any DeepEP timeout?`, `DeepEP timeout: 没有出现` and `we get "DeepEP error: timeout"` only the last
is left. A pattern found in what is left was stated, not asked, denied, quoted or looked for. Lines that a program
printed stay as they are, but for the requests that they repeat. Nothing left means that nothing is asserted.

**Source:** no tool prints this; see `speech`, `denial`, `exhibits`, `logged_requests` and `own_pages`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from advisor.evidence.denial import denials, refused_label
from advisor.evidence.exhibits import among_log_lines, exhibits
from advisor.evidence.flattened import Line, flatten
from advisor.evidence.logged_requests import bodies
from advisor.evidence.own_pages import own
from advisor.evidence.prose import blocks, readable, sentences, without_code
from advisor.evidence.speech import PAST, asides, cured, of_another_engine
from advisor.model.late import dataclass

DENIED, REQUEST, OWN = "a denial", "what a client asked", "a report or page of this advisor"
MAX_PASTE = 200_000  # characters; a longer log was not put together by hand

Part = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Asserted:
    """`text` has the length and the line breaks of what was read; `notes` say what was left out, one a reason."""

    text: str
    notes: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def asserted(text: str, *, engine: str | None = None) -> Asserted:
    """The text without what is asked, supposed, denied, past, quoted, searched for, programmed or our own."""
    shown = told(text, engine=engine)
    parts = list(_denied(text, shown.text))
    return Asserted(_blanked(shown.text, parts), shown.notes + _notes(parts))


@lru_cache(maxsize=16)
def told(text: str, *, engine: str | None = None) -> Asserted:
    """As `asserted`, with its denials left in: a reader that knows which lack is a symptom judges them itself."""
    shown, lines, parts = _told(readable(text))
    if engine:
        parts = [*parts, *(part for line in lines for part in _of_others(line, engine))]
    return Asserted(_blanked(shown.text, parts), shown.notes + _notes(parts))


@lru_cache(maxsize=16)
def _told(text: str) -> tuple[Asserted, list[Line], list[Part]]:
    """The text without exhibits, its lines, and its parts that do not tell of here and now, whatever the engine."""
    shown = without_exhibits(text)
    lines: list[Line] = []
    return shown, lines, list(_asides(shown.text, lines))


def _of_others(line: Line, engine: str) -> Iterator[Part]:
    return ((*line.span(left, right), why) for left, right, why in of_another_engine(line.words, engine))


def without_exhibits(text: str) -> Asserted:
    """The text without searches, source code, changes, quoted advice, requests and this advisor's own pages."""
    parts = [(start, end, OWN) for start, end in own(text)]
    clean = _blanked(text, parts)
    parts += [(start, end, REQUEST) for start, end in bodies(clean)]
    parts += exhibits(_blanked(text, parts))
    return Asserted(_blanked(text, parts), _notes(parts))


def without_own(text: str) -> Asserted:
    """A whole input, before it is cut into its kinds, without this advisor's own reports and pages."""
    parts = [(start, end, OWN) for start, end in own(text)]
    return Asserted(_blanked(text, parts), _notes(parts))


def printed(text: str, paste: bool = True) -> Asserted:
    """A log without what clients asked and were answered; in a paste, also without what no engine printed.

    `paste` is False for a part of a log that is too long to be one.
    """
    parts = [(start, end, REQUEST) for start, end in bodies(text)]
    if paste and len(text) <= MAX_PASTE:
        parts += [(start, end, OWN) for start, end in own(text)]
        parts += among_log_lines(text)
    return Asserted(_blanked(text, parts), _notes(parts))


def _asides(text: str, lines: list[Line]) -> Iterator[Part]:
    """The sentences, or parts of them, that do not tell of the deployment here and now; each is put into `lines`."""
    source = without_code(text)
    for block in blocks(source):
        before: list[tuple[int, int]] = []
        for start, end in sentences(source, block.start, block.end):
            line = flatten(source, start, end)
            lines.append(line)
            for left, right, why in asides(line.words):
                yield (*line.span(left, right), why)
            if before and cured(line.words):
                yield before[0][0], before[-1][1], PAST
            before.append((start, end))


def _denied(text: str, shown: str) -> Iterator[Part]:
    """`text` has the sentences, `shown` what is left of them."""
    source = without_code(readable(text))
    shown = without_code(shown)
    for block in blocks(source):
        for start, end in _rows(source, block.start, block.end):
            yield start, end, DENIED
        for start, end in sentences(source, block.start, block.end):
            line = flatten(shown, start, end)
            for left, right in denials(line.words):
                yield (*line.span(left, right), DENIED)


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    place = start
    for row in text[start:end].split("\n"):
        if len(row) < 300 and refused_label(row):
            yield place, place + len(row)
        place += len(row) + 1


def _blanked(text: str, parts: Sequence[Part]) -> str:
    """The text with the characters of the parts blanked, but for its line ends."""
    if not parts:
        return text
    kept, place = [], 0
    for start, end, _ in sorted(parts):
        if end > place:
            start = max(start, place)
            kept += [text[place:start], re.sub(r"[^\n\r]", " ", text[start:end])]
            place = end
    return "".join([*kept, text[place:]])


def _notes(parts: Sequence[Part]) -> tuple[str, ...]:
    if not parts:
        return ()
    count = Counter(why for _, _, why in sorted(set(parts)))
    return tuple(f"{number} × {why}" for why, number in count.items())
