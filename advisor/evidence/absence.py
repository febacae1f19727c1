"""A line that must stay away × evidence -> where it is there after all, also where a terminal or a fault broke it up.

    ... Watchdog ca\\0ught collective ...        a byte that is no text inside it
    ... Observed flight recorder. Watchdog cau   a terminal of 80 columns cut it in two; copied, it is two rows
    ght collective operation timeout: WorkNC

A row as long as the longest of its file (or one less: a blank at its end is lost in the copy) may be cut there, and the
next belongs to it unless a logger's prefix begins it. Rows that were cut are put together only here: everywhere else a
line is what stands in the file. Empty means that no line is there, as far as the text was read: `cut_short` tells of
what was not.

**Source:** no tool prints this; terminals of a fixed width break rows so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.evidence.denial import denials
from advisor.evidence.flattened import flatten
from advisor.evidence.lines import head_length, line_around
from advisor.model.fact import Artifact, Note, Span
from advisor.patterns import Match, compile_pattern

PRINTED = ("log", "stack", "machine", "metrics", "health")
"""What a machine printed; in words a line may be quoted, or denied."""

_NO_TEXT = "\ufffd"
_NARROWEST, _WIDEST = 40, 400
_LOOKED_AT = 100  # places of one text, of which the first that was printed counts
_ROUND = 60  # characters shown before and after what was found


@dataclass(frozen=True, slots=True)
class Sighting:
    """A line that must stay away. `printed` is False where someone's words tell it, or may only quote it."""

    quote: str
    span: Span
    printed: bool


def sightings(artifacts: Sequence[Artifact], pattern: str) -> Iterator[Sighting]:
    """Where each text has the pattern: as a machine printed it, also in pieces, before what someone says of it."""
    wanted = compile_pattern(pattern)
    worded = {one.name for one in artifacts if one.kind == "text"}
    for artifact in artifacts:
        if artifact.kind not in (*PRINTED, "text"):
            continue
        for text, rows in _forms(artifact):
            found = [_sighting(artifact, text, rows, one, worded) for one in islice(wanted.finditer(text), _LOOKED_AT)]
            told = sorted(filter(None, found), key=lambda one: not one.printed)  # stable: the first of each kind
            if told:
                yield told[0]
                break


def _sighting(
    artifact: Artifact, text: str, rows: Sequence[int], found: Match, worded: Collection[str]
) -> Sighting | None:
    """The match as a sighting; None where someone's words deny it."""
    at, end = found.start(), found.end()
    row = line_around(text, at)
    bare = head_length(row.text) == 0  # a logger's prefix is not quoted by accident
    denied = bare and _denied(row.text, at - row.start)
    if denied and artifact.kind == "text":
        return None
    span = Span(artifact.name, artifact.number_of(rows[text.count("\n", 0, at)]))
    quoted = bare and (denied or artifact.name in worded)
    printed = artifact.kind != "text" and not quoted
    return Sighting(_quoted(row.text, at - row.start, end - row.start), span, printed)


def _denied(row: str, at: int) -> bool:
    said = flatten(row[:_WIDEST], 0, _WIDEST)
    places = [said.span(start, end) for start, end in denials(said.words)]
    return any(start <= at < end for start, end in places)


def cut_short(artifacts: Sequence[Artifact], notes: Iterable[Note]) -> Iterator[Note]:
    """The notes on logs, and on the folders and archives that they came in, of which not everything could be read."""
    logs = [one.name for one in artifacts if one.kind == "log"]
    for note in notes:
        place = note.span.artifact if note.span else ""
        if note.kind == "limit" and any(name == place or name.startswith((f"{place}!", f"{place}/")) for name in logs):
            yield note


def _forms(artifact: Artifact) -> Iterator[tuple[str, Sequence[int]]]:
    """The text as it stands, then mended; beside each, in which row of the file each of its rows begins."""
    text = artifact.text
    yield text, range(text.count("\n") + 1)
    if artifact.kind in PRINTED:
        whole = text.replace(_NO_TEXT, "")
        yield from [(whole, range(whole.count("\n") + 1))] if whole != text else []
        yield from _rejoined(whole)


def _rejoined(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    rows = text.split("\n")
    width = max(map(len, rows))
    if not _NARROWEST <= width <= _WIDEST:
        return
    made: list[str] = []
    begins: list[int] = []
    for number, row in enumerate(rows):
        before = len(rows[number - 1]) if number else 0
        if before >= width - 1 and row and not head_length(row):
            made[-1] += f"{' ' * (width - before)}{row}"
        else:
            made.append(row)
            begins.append(number)
    if len(made) < len(rows):
        yield "\n".join(made), begins


def _quoted(row: str, start: int, end: int) -> str:
    left, right = max(0, start - _ROUND), min(end + _ROUND, start + 3 * _ROUND)
    return ("…" if left else "") + row[left:right].strip() + ("…" if right < len(row) else "")
