"""A report and the inputs as given -> the lines around what the report quotes, so that it can be read in its place.

Few and short on purpose: of the findings that were seen, of what nothing explains and of what is going on; two lines
on either side, long lines cut around the quote, at most `MOST` places. Places near each other are one excerpt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.model.fact import Artifact
from advisor.model.late import dataclass
from advisor.model.report import ExcerptOut, FactOut, Report
from advisor.model.shape import Shape
from advisor.redaction import redact

MOST, AROUND, HITS, WIDTH = 24, 2, 6, 240

_PLACE = Shape(r"(.+):(\d+)(?:-(\d+))?$", re.DOTALL)
_SHOWN = frozenset({"log", "stack", "text", "launch", "collect_env", "machine", "metrics", "health"})


@dataclass(frozen=True)
class _Quoted:
    """A quoted place: `index` of its input, its first and last line there, and the quote."""

    place: str
    index: int
    first: int
    last: int
    quote: str


class _Input:
    """One input by its lines, whichever of its parts they went to: prose has blanks where a log was cut out of it."""

    def __init__(self, name: str, parts: Sequence[Artifact]) -> None:
        self.name = name
        self.parts = [(one, _ends(one)) for one in parts]
        self.last = max(one.number_of(len(ends) - 1) for one, ends in self.parts)

    def line(self, number: int) -> str:
        """The line of this number; "" for one that is blank, or that is in no part."""
        for one, ends in self.parts:
            index = one.index_of(number)
            if index is not None and index < len(ends):
                line = one.text[ends[index - 1] + 1 if index else 0 : ends[index]].rstrip("\r")
                if line.strip():
                    return line
        return ""


def excerpts(report: Report, given: Sequence[Artifact]) -> tuple[ExcerptOut, ...]:
    """The excerpts in the order of the inputs. None for what is not text of the user's own, such as a dump."""
    wanted = list(dict.fromkeys(_wanted(report))) if given else []
    shown = [one for one in given if one.kind in _SHOWN] if wanted else []
    names = dict.fromkeys(one.name for one in shown)
    inputs = [_Input(name, [one for one in shown if one.name == name]) for name in names]
    found = [one for place, quote in wanted if (one := _located(place, quote, inputs))][:MOST]
    return tuple(
        excerpt
        for index in sorted({one.index for one in found})
        for excerpt in _of(inputs[index], [one for one in found if one.index == index])
    )


def _wanted(report: Report) -> Iterator[tuple[str, str]]:
    """Places with their quotes, the most telling first."""
    seen = [one for one in report.findings if one.status in ("matched", "likely")]
    lists: list[tuple[FactOut, ...]] = [facts for one in seen[:1] for facts in (one.because, one.against)]
    lists += [report.unexplained, *(one.echoes for one in seen[:1]), *(one.because for one in seen[1:])]
    yield from ((fact.place, fact.quote) for facts in lists for fact in facts if fact.place and fact.quote)
    yield from ((place, "") for one in report.situation for place in one.places[:2])


def _located(place: str, quote: str, inputs: Sequence[_Input]) -> _Quoted | None:
    found = _PLACE.match(place)
    if found is None:
        return None
    first = int(found[2])
    for index, one in enumerate(inputs):
        last = min(int(found[3] or first), first + HITS - 1, one.last)
        if one.name == found[1] and any(one.line(number) for number in range(first, last + 1)):
            return _Quoted(place, index, first, last, quote)
    return None


def _ends(artifact: Artifact) -> Sequence[int]:
    """Where its lines end, the last one's end included."""
    from advisor.evidence.sighting import line_ends  # where an artifact is, its reader is loaded already

    ends = line_ends(artifact.text)
    return ends if artifact.text.endswith("\n") else [*ends, len(artifact.text)]


def _of(given: _Input, quoted: list[_Quoted]) -> Iterator[ExcerptOut]:
    """The excerpts of one input: places whose lines touch are shown together."""
    runs: list[list[_Quoted]] = []
    for one in sorted(quoted, key=lambda one: (one.first, one.last)):
        if runs and one.first - AROUND <= max(other.last for other in runs[-1]) + AROUND + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    for run in runs:
        first = max(1, run[0].first - AROUND)
        last = min(given.last, max(one.last for one in run) + AROUND)
        hits = sorted({line for one in run for line in range(one.first, one.last + 1) if given.line(line)})
        whole = redact("\n".join(given.line(number) for number in range(first, last + 1))).split("\n")
        lines = tuple(_line(line, number, run) for number, line in enumerate(whole, first))
        yield ExcerptOut(given.name, first, lines, tuple(hits), tuple(dict.fromkeys(one.place for one in run)))


def _line(line: str, number: int, run: Iterable[_Quoted]) -> str:
    """The line; a long one cut around what is quoted of it."""
    if len(line) <= WIDTH:
        return line
    quotes = (one.quote.strip("…").strip() for one in run if one.first <= number <= one.last)
    at = next((found for quote in quotes if quote and (found := line.find(quote)) >= 0), 0)
    start = max(0, min(at, len(line) - WIDTH))
    return ("…" if start else "") + line[start : start + WIDTH] + ("…" if start + WIDTH < len(line) else "")
