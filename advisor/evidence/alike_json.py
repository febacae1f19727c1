"""A JSON text's list of objects that differ in numbers alone -> the numbers of each, without decoding each.

    {"collective_seq_id":124000,...,"state":"completed",...},{"collective_seq_id":124001,...

What `alike` does with a pickle. The first object of each shape is decoded; what follows is matched as a whole with its
text, in which every number that is an integer may be another. What fits no shape is decoded as ever.

**Source:** PyTorch 2.11 `torch/csrc/distributed/c10d/FlightRecorderDetail.hpp` (`dump_json`).
"""

from __future__ import annotations

import json
import re
from typing import Any

from advisor.evidence.alike import PATIENCE, Path, Run, Shape, Wanted, forward, numbers_of

MAX_SHAPES = 64
_TRIES = 4
_LEAST = 65_536  # characters; a shorter text is decoded whole
_MOST = 8_192  # of one object
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?')  # a string, or a number
_INTEGER = r"(0|-?[1-9]\d{0,18})"
_UNWANTED = r"(?:0|-?[1-9]\d{0,18})"
_FLOAT = r"-?\d+\.\d+(?:[eE][-+]?\d+)?"
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_STAND_IN = "\x00 the list that was read \x00"


class _JsonShape(Shape):
    """An object of which other integers make another; a number with a fraction stays the first's."""

    def __init__(self, text: str, value: dict[str, Any], paths: list[Path | None], wanted: Wanted) -> None:
        super().__init__(value, paths, wanted)
        told, pattern, at = iter(paths), "", 0
        for token in _TOKEN.finditer(text):
            pattern += re.escape(text[at : token.start()])
            said, at = token[0], token.end()
            if said.lstrip("-").isdigit():
                path = next(told)
                other = _INTEGER if path and self.wants(path[0]) else _UNWANTED
                pattern += re.escape(said) if path is None else other
            else:
                pattern += re.escape(said) if said[0] == '"' else _FLOAT
        self.match = re.compile(pattern + re.escape(text[at:])).match


def loads(text: str, key: str, wanted: Wanted = None) -> Any:
    """What `json.loads` makes of the text, with a `Run` for objects of the list at `key` that are alike.

    `wanted` is as in `alike.load`. Raises as `json.loads` does.
    """
    opening = re.search(rf'"{key}"\s*:\s*\[\s*(?=\{{)', text) if len(text) >= _LEAST else None
    if opening is None:
        return json.loads(text)
    reader = _Reader(text, wanted)
    try:
        end = reader.run(opening.end())
        opened = text[: opening.end()].rstrip()
        whole = json.loads(opened + json.dumps(_STAND_IN) + text[end:])
    except ValueError:
        return json.loads(text)  # which says what is wrong
    if not isinstance(whole, dict) or whole.get(key) != [_STAND_IN]:
        return json.loads(text)
    whole[key] = reader.found
    return whole


class _Reader:
    def __init__(self, text: str, wanted: Wanted) -> None:
        self.text, self.wanted = text, wanted
        self.found: list[Any] = []
        self.shapes: list[_JsonShape] = []
        self.open: Run | None = None
        self.left = PATIENCE * len(text)

    def run(self, at: int) -> int:
        """Read the objects from `at` on, and return where their list ends. Raises ValueError where it does not."""
        text = self.text
        shape: _JsonShape | None = None
        last: _JsonShape | None = None
        followers: list[_JsonShape] = []
        while True:
            for shape in followers:
                if found := shape.match(text, at):
                    break
            else:
                shape, found = self.fitting(at, last)
            if shape and found:
                if followers and followers[0] is not shape:
                    forward(followers, shape)
                if self.open is None:
                    self.open = Run()
                    self.found.append(self.open)
                self.open.rows.append((shape, found.groups()))
                at, last, followers = found.end(), shape, shape.followers
            else:
                at, last, followers = self.decode(at), None, []
            if text[at : at + 2] == ",{":
                at += 1
                continue
            at = self.after_space(at)
            if text[at : at + 1] == "]":
                return at
            if text[at : at + 1] != ",":
                raise ValueError("neither another nor the end")
            at = self.after_space(at + 1)

    def after_space(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def fitting(self, at: int, last: _JsonShape | None) -> tuple[_JsonShape | None, re.Match[str] | None]:
        """The shape of what begins at `at`, and how it matches."""
        for shape in self.shapes:
            if found := shape.match(self.text, at):
                if last is not None:
                    last.followers = [shape, *last.followers][:_TRIES]
                return shape, found
        return None, None

    def decode(self, at: int) -> int:
        """Decode one object, and make a shape of it; not where hardly any was like another. Where it ends."""
        value, end = _DECODER.raw_decode(self.text, at)
        self.found.append(value)
        self.open = None
        self.left -= (end - at) * len(self.shapes)
        if self.left < 0:
            self.shapes.clear()
        elif isinstance(value, dict) and len(self.shapes) < MAX_SHAPES and end - at <= _MOST:
            self.learn(value, at, end)
        return end

    def learn(self, value: dict[str, Any], start: int, end: int) -> None:
        """Make a shape of the object that was just decoded, where its integers are told apart from all else."""
        told = list(numbers_of(value))
        written = [one[0] for one in _TOKEN.finditer(self.text, start, end) if one[0].lstrip("-").isdigit()]
        if [str(number) for _, number in told] == written:
            self.shapes.append(_JsonShape(self.text[start:end], value, [path for path, _ in told], self.wanted))
