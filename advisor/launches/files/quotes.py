"""Quotes in shell text: where the characters of a quoted script stand, and which quote it is that never closes.

bash -c "vllm serve m \\          each character of the script that bash gets, with its place in the file
  --tp 8"

vllm serve "m --tp 8             one quote too many: the one whose removal leaves the least text inside quotes that
echo "done"                      span lines is taken for the slip
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from advisor.launches.words import Word, expansion_end, prepare

MAX_TRIED = 60

Places = list[tuple[int, int]]
Piece = tuple[str, tuple[int, int], "tuple[int, int] | None"]


def inner_places(text: str, word: Word) -> Places | None:
    """For each character of the word where it stands in `text`, escapes included; None where it is not typed so.

    What a variable within it holds stands where the variable is typed.
    """
    if word.start < 0:
        return None
    pieces = list(_pieces(text, word.start, word.end))
    return _typed(pieces, text, word) or _aligned(pieces, word.text) or _as_json(text, word)


def _aligned(pieces: list[Piece], said: str) -> Places | None:
    """The places where expansions have their values: each ends where the plain characters after it are found next."""
    places: Places = []
    at = 0
    while at < len(pieces):
        expansion, run = pieces[at][2], at + (pieces[at][2] is not None)
        stop = next((index for index in range(run, len(pieces)) if pieces[index][2] is not None), len(pieces))
        plain = "".join(char for char, _, _ in pieces[run:stop])
        if expansion is not None:
            found = len(said) - len(plain) if stop == len(pieces) else said.find(plain, len(places))
            if found < len(places):
                return None
            places += [expansion] * (found - len(places))
        if not said.startswith(plain, len(places)):
            return None
        places += [stands for _, stands, _ in pieces[run:stop]]
        at = stop
    return places if len(places) == len(said) and places else None


def _typed(pieces: list[Piece], text: str, word: Word) -> Places | None:
    """The places where every expansion is kept as typed, each of its characters in its own place."""
    said: list[tuple[str, tuple[int, int]]] = []
    for char, stands, expansion in pieces:
        low, high = expansion or (0, 0)
        said += [(char, stands)] if expansion is None else [(text[at], (at, at + 1)) for at in range(low, high)]
    return [place for _, place in said] if "".join(char for char, _ in said) == word.text else None


def _pieces(text: str, at: int, end: int) -> Iterator[Piece]:
    """The characters of a typed word, quotes left out: each with its place, an expansion as one piece with its own."""
    quote = ""
    while at < end:
        char, following = text[at], text[at + 1 : at + 2]
        if char == quote or (char in "'\"" and not quote):
            quote = "" if quote else char
            at += 1
        elif char == "\\" and quote != "'" and (not quote or following in ("\\", '"', "$", "`", "\n")):
            if following != "\n":
                yield following, (at, at + 2), None
            at += 2
        elif char in "$`" and quote != "'" and (stop := min(expansion_end(text, at, end), end)) > at + 1:
            yield "", (at, stop), (at, stop)
            at = stop
        else:
            yield char, (at, at + 1), None
            at += 1


def _as_json(text: str, word: Word) -> Places | None:
    found = _json_string(text, word.start + 1, word.end - 1) if text[word.start] == '"' else []
    if found and "".join(char for char, _ in found) == word.text:
        return [place for _, place in found]
    offset = text.find(word.text, word.start, word.end) if word.text else -1
    return [(at, at + 1) for at in range(offset, offset + len(word.text))] if offset >= 0 else None


def _json_string(text: str, at: int, end: int) -> list[tuple[str, tuple[int, int]]]:
    """As in a Dockerfile's exec form: `["sh", "-c", "vllm serve m\\n"]`."""
    found: list[tuple[str, tuple[int, int]]] = []
    while at < end:
        stop = at + (6 if text.startswith("\\u", at) else 2 if text[at] == "\\" else 1)
        try:
            char = str(json.loads(f'"{text[at:stop]}"', strict=False))
        except ValueError:
            return []
        found.append((char, (at, stop)))
        at = stop
    return found


def mended(script: str) -> tuple[str, tuple[int, ...]]:
    """The script with its unclosed quotes blanked, and their places; the script itself when every quote closes."""
    cut, end = len(script) - len(script.lstrip()), len(script.rstrip())
    if not prepare(script[cut:end]).unclosed:
        return script, ()
    unclosed = prepare(script).unclosed
    if not unclosed:
        return script, ()
    best = min(_candidates(script, unclosed[0]), key=lambda one: one[0], default=None)
    if best is None:
        return script, unclosed
    return best[1], (best[2],)


def _candidates(script: str, last: int) -> list[tuple[int, str, int]]:
    """Scripts with one quote blanked in which every quote closes: how much stands in long quotes, and where it was."""
    quote, found = script[last], []
    places = [at for at in _line_slips(script, quote) if at <= last] or [last]
    for at in [*places[:MAX_TRIED], last]:
        tried = script[:at] + " " + script[at + 1 :]
        prepared = prepare(tried)
        if not prepared.unclosed:
            long = sum(high - low for low, high in prepared.spans if _spans_lines(tried[low:high]))
            found.append((long, tried, at))
    return found


def _spans_lines(piece: str) -> bool:
    return "\n" in piece.replace("\\\r\n", "").replace("\\\n", "")


def _line_slips(script: str, quote: str) -> list[int]:
    """The last quote of this kind on each line that holds an odd number of them."""
    found, start = [], 0
    for line in script.splitlines(keepends=True):
        at = [index for index, char in enumerate(line) if char == quote and line[index - 1 : index] != "\\"]
        if len(at) % 2:
            found += [start + index for index in at]
        start += len(line)
    return found
