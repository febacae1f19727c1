"""Kubernetes manifests, compose files, Dockerfiles and systemd units -> the commands in them, read in part.

    image: vllm/vllm-openai:v0.28.0
    command: ["vllm", "serve"]                    -> `vllm serve m -pp 3`, with the image, and NCCL_DEBUG=INFO
    args:
      - m
      - -pp
      - "3"
    env: [{name: NCCL_DEBUG, value: INFO}]

    ENTRYPOINT ["vllm", "serve"]  CMD ["m"]       -> `vllm serve m`, with FROM's image and ENV's variables
    ExecStart=/usr/bin/vllm serve m               -> `vllm serve m`, with what Environment= sets

Only the lines about the command, its image and its environment are looked at, by their layout, so that fragments and
templates can be read as well. A list with a `|` block in it is a script: its text is left to the reader of shell. What
YAML folds (a `>` block, a scalar over several lines) is read as `folded` makes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from advisor.launches.syntax import Binding
from advisor.launches.words import Word, prepare, resolve
from advisor.model.late import dataclass
from advisor.model.shape import Shape

if TYPE_CHECKING:
    from advisor.launches.folded import Scripts

Words = list[Word]

_KEY = Shape(r"^([ \t]*+(?:- )?[ \t]*+)(args|command|entrypoint):(?=[ \t]|$)[ \t]*", re.M)
_SIBLING = Shape(r"([ \t]*+)((?:- )?[ \t]*+)[\"']?([\w.-]+)[\"']?:(?:[ \t]+(.*))?$")
_ITEM = Shape(r"([ \t]*)-(?:[ \t]+(.*))?$")
_BLOCK = Shape(r"[|>][+-]?\d?[ \t]*(?:#.*)?$")
_TOKEN = Shape(r"\s*(?:(\"(?:\\.|[^\"\\])*\")|'((?:''|[^'])*)'|([^,\[\]\"'\s](?:[^,\]\n]*[^,\]\s])?))\s*(?:(,)|(\]))")
_PAIR = Shape(
    r"name[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z_]\w*)[\"']?[ \t]*,?\s{1,80}[\"']?value[\"']?[ \t]*:[ \t]*"
    r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s,}]+)"
)  # - name: X  value: "15"
_LISTED = Shape(r"^[ \t]*-[ \t]+[\"']?([A-Za-z_]\w*)=([^\n]*?)(?:(?<![ \t])|(?=[\"']))[\"']?[ \t]*$", re.M)  # - X=15
_MAPPED = Shape(r"^[ \t]+[\"']?([A-Z_][A-Z0-9_]*)[\"']?:[ \t]+([^\n]+?)(?:(?<![ \t])|$)[ \t]*$", re.M)  # X: "15"
_TEMPLATE = Shape(r"\$\(|\{\{|\$\{?\w")
_EXEC = Shape(r"^ExecStart=[-@:+!]*((?:[^\n\\]|\\.)*)", re.M | re.S)
_ENVIRONMENT = Shape(r"^Environment=([^\n]*)", re.M)
_FROM = Shape(r"(?i)^FROM[ \t]+(?:--\S+[ \t]+)*(\S+)", re.M)
_INSTRUCTION = Shape(r"(?i)^(ENTRYPOINT|CMD)[ \t]+((?:[^\n\\]|\\.)*)", re.M | re.S)
_ENV = Shape(r"(?i)^ENV[ \t]+((?:[^\n\\]|\\.)*)", re.M | re.S)
_HINT = Shape(r"(?m)^[ \t]*+(?:- )?[ \t]*+(?:args|command|entrypoint):|^ExecStart=|^(?i:ENTRYPOINT|CMD)[ \t]")
MAX_CONTAINERS = 64
_MAX_LINES = 4000  # of one container


@dataclass
class Container:
    """One command of a manifest. `words` is None when its command is a script in the text, for the reader of shell.

    `start`..`end` are the characters of the whole; `taken` are those of the lines that were read. `scripts` tells of
    words that YAML folds where their characters stand, `hints` what is odd in them; not `whole`: some may be missing.
    """

    kind: str
    start: int
    end: int
    words: tuple[Word, ...] | None
    environment: tuple[Binding, ...] = ()
    image: str = ""
    taken: list[tuple[int, int]] = field(default_factory=list)
    scripts: Scripts = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    whole: bool = True


def read(text: str) -> list[Container]:
    """The commands of every manifest in the text, in order; empty when the text has none. Never raises."""
    if not _HINT.search(text):
        return []
    found = [*_units(text), *_dockerfiles(text), *_containers(text)]
    return sorted(found, key=lambda one: one.start)[:MAX_CONTAINERS]


# systemd


def _units(text: str) -> Iterator[Container]:
    variables = tuple(
        one
        for found in _ENVIRONMENT.finditer(text)
        for word in _shell_words(text, *found.span(1))
        if (one := _bound(word.text, found.start(1), found.end(1)))
    )
    places = [found.span() for found in _ENVIRONMENT.finditer(text)]
    for found in _EXEC.finditer(text):
        words = tuple(_shell_words(text, *found.span(1)))
        yield Container("systemd unit", *found.span(), words, variables, "", [found.span(), *places])


def _bound(text: str, start: int, end: int) -> Binding | None:
    name, equals, value = text.partition("=")
    return Binding(name, value, "manifest", start, start, end) if equals and name.isidentifier() else None


def _shell_words(text: str, start: int, end: int) -> Words:
    piece = re.sub(r"\\\r?\n", lambda found: " " * len(found.group()), text[start:end])
    return [_at(word, start) for first, last in prepare(piece).spans for word in resolve(piece, first, last, {})]


def _at(word: Word, offset: int) -> Word:
    place = (word.start + offset, word.end + offset) if word.start >= 0 else (-1, -1)
    return Word(word.text, *place, word.known and not _TEMPLATE.search(word.text), word.open)


# Dockerfile


def _dockerfiles(text: str) -> Iterator[Container]:
    """The last ENTRYPOINT and CMD of each stage; a CMD in exec form follows an ENTRYPOINT in exec form."""
    stages = [found.start() for found in _FROM.finditer(text)] or [0]
    for start, end in zip(stages, [*stages[1:], len(text)], strict=True):
        last = {found.group(1).upper(): found for found in _INSTRUCTION.finditer(text, start, end)}
        if not last:
            continue
        parts = {name: _form(text, *found.span(2)) for name, found in last.items()}
        words, is_list = parts.get("ENTRYPOINT") or ([], True)
        command, _ = parts.get("CMD") or ([], True)
        image = _FROM.search(text, start, end)
        places = [found.span() for found in last.values()] + [one.span() for one in _ENV.finditer(text, start, end)]
        taken = [(low, high) for low, high in places if high > low]
        whole = tuple([*words, *(command if is_list else [])])
        low, high = min(low for low, _ in taken), max(high for _, high in taken)
        variables = tuple(_env(text, start, end))
        yield Container("Dockerfile", low, high, whole, variables, image.group(1) if image else "", taken)


def _form(text: str, start: int, end: int) -> tuple[Words, bool]:
    """The words of an instruction, and whether it is in exec form."""
    piece = re.sub(r"\\\r?\n", lambda found: " " * len(found.group()), text[start:end])
    try:
        loaded = json.loads(piece) if piece.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        loaded = None
    if isinstance(loaded, list):
        return [Word(str(one), start, end, not _TEMPLATE.search(str(one))) for one in loaded], True
    return _shell_words(text, start, end), False


def _env(text: str, start: int, end: int) -> Iterator[Binding]:
    for found in _ENV.finditer(text, start, end):
        words = _shell_words(text, *found.span(1))
        if words and "=" not in words[0].text:
            yield Binding(words[0].text, " ".join(one.text for one in words[1:]), "manifest", *_thrice(found))
            continue
        yield from (one for word in words if (one := _bound(word.text, found.start(1), found.end(1))))


def _thrice(found: re.Match[str]) -> tuple[int, int, int]:
    return found.start(1), found.start(1), found.end(1)


# Kubernetes and compose


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    column: int  # where its key or item stands, its dashes apart
    dash: int  # where its dash stands, -1 without one


def _containers(text: str) -> Iterator[Container]:
    lines = [_line(start, end, text[start:end]) for start, end in _bounds(text)]
    number = {line.start: index for index, line in enumerate(lines)}
    past = -1
    made = 0
    for found in _KEY.finditer(text):
        if found.start() < past or made >= MAX_CONTAINERS:
            continue
        at = number[found.start()]
        first, last = _region(lines, at, lines[at].column)
        one = _container(text, lines, first, last, lines[at].column)
        past = lines[last - 1].end
        if one is not None:
            made += 1
            yield one


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        yield at, end
        at = end + 1


def _line(start: int, end: int, text: str) -> _Line:
    body = text.lstrip(" \t")
    column = dash = len(text) - len(body)
    while body.startswith("- "):
        body = body[2:].lstrip(" ")
        column = len(text) - len(body)
    return _Line(start, end, text, column, dash if column > dash or text.strip() == "-" else -1)


def _region(lines: list[_Line], at: int, column: int) -> tuple[int, int]:
    """The lines of the mapping that holds the key on line `at`, whose keys stand at `column`."""
    first = at
    while first > 0 and at - first < _MAX_LINES and not (lines[first].column == column and lines[first].dash >= 0):
        if lines[first - 1].text.strip() and lines[first - 1].column < column:
            break
        first -= 1
    last = at + 1
    while last < len(lines) and last - at < _MAX_LINES:
        below = lines[last]
        low = below.dash if below.dash >= 0 else below.column
        if below.text.strip() and low < column:
            break
        last += 1
    return first, last


def _container(text: str, lines: list[_Line], first: int, last: int, column: int) -> Container | None:
    told: dict[str, tuple[int, int]] = {}
    starts: list[tuple[str, int]] = []
    for index in range(first, last):
        line = lines[index]
        named = _SIBLING.match(line.text) if line.column == column and line.dash != column else None
        if named:
            starts.append((named.group(3), index))
    for (name, begin), (_, finish) in zip(starts, [*starts[1:], ("", last)], strict=True):
        told[name] = (begin, finish)
    words: Words = []
    script = False
    taken: list[tuple[int, int]] = []
    scripts: Scripts = {}
    hints: list[str] = []
    whole = True
    for name in ("entrypoint", "command", "args"):
        if name in told:
            from advisor.launches import folded  # the reader of YAML, which a command line needs not

            low, high = lines[told[name][0]].start, lines[told[name][1] - 1].end
            argv = folded.read(text, low, high)
            value = argv.words if argv is not None else _value(text, lines, *told[name])
            if argv is not None:
                scripts |= argv.scripts
                hints += [one.text for one in argv.notes]
                whole &= argv.whole
            if value is None:
                script = True
            else:
                words += value
                taken.append((low, high))
    if not words and not script:
        return None
    variables: list[Binding] = []
    for name in ("env", "environment"):
        if name in told:
            start, end = lines[told[name][0]].start, lines[told[name][1] - 1].end
            variables += _variables(text, start, end)
            taken.append((start, end))
    image = ""
    if "image" in told:
        image = lines[told["image"][0]].text.partition("image:")[2].split(" #")[0].strip().strip("\"'")
        taken.append((lines[told["image"][0]].start, lines[told["image"][0]].end))
    start, end = lines[first].start, lines[last - 1].end
    kind = "compose file" if "environment" in told or "entrypoint" in told else "manifest"
    if script:
        return Container(kind, start, end, None, tuple(variables), image, [])
    return Container(kind, start, end, tuple(words), tuple(variables), image, taken, scripts, hints, whole)


def _value(text: str, lines: list[_Line], first: int, last: int) -> Words | None:
    """The words of a key's value; None for a script in a block."""
    line = lines[first]
    after = line.start + line.text.index(":") + 1
    rest = text[after : line.end].strip()
    end = lines[last - 1].end
    if rest.startswith("["):
        return _flow(text, text.index("[", after) + 1, end)
    if _BLOCK.match(rest) and line.end < end:
        start = line.end + 1
        if rest.startswith("|") and re.search(r"\n[ \t]*(?![ \t#-])\S", text[start - 1 : end].replace("\\\n", " ")):
            return None
        return _shell_words(_folded(text, start, end), start, end)
    if rest:
        return _shell_words(text, after, line.end) if not rest.startswith("#") else _block(text, lines, first + 1, last)
    return _block(text, lines, first + 1, last)


def _folded(text: str, start: int, end: int) -> str:
    """The text with the line ends of a folded block as blanks, in their places."""
    return text[:start] + text[start:end].replace("\n", " ") + text[end:]


def _flow(text: str, at: int, end: int) -> Words:
    words: Words = []
    while at < end and (found := _TOKEN.match(text, at, end)):
        double, single, bare, _, closed = found.groups()
        if double is not None:
            value, place = _decoded(double), found.span(1)
        elif single is not None:
            value, place = single.replace("''", "'"), (found.start(2) - 1, found.end(2) + 1)
        else:
            value, place = bare, found.span(3)
        words.append(Word(value, *place, not _TEMPLATE.search(value)))
        at = found.end()
        if closed:
            break
    return words


def _decoded(typed: str) -> str:
    try:
        return str(json.loads(typed, strict=False))
    except ValueError:
        return typed[1:-1]


def _block(text: str, lines: list[_Line], first: int, last: int) -> Words | None:
    """The items of a list, one to a line."""
    words: Words = []
    for index in range(first, last):
        line = lines[index]
        item = _ITEM.match(line.text)
        if not item or not item.group(2):
            continue
        value, start = item.group(2).strip(), line.start + item.start(2)
        if _BLOCK.match(value):
            return None
        if value.startswith("#"):
            continue
        if value[0] == '"' and (closed := re.match(r'"(?:\\.|[^"\\])*"', value)):
            shown = _decoded(closed.group())
        elif value[0] == "'" and (closed := re.match(r"'(?:''|[^'])*'", value)):
            shown = closed.group()[1:-1].replace("''", "'")
        else:
            shown = value.split(" #")[0].strip()
        templated = bool(_TEMPLATE.search(shown))
        words.append(Word(shown, start, start + len(value), not templated, templated and shown.startswith("{{")))
    return words


def _variables(text: str, start: int, end: int) -> Iterator[Binding]:
    piece = text[start:end]
    for pattern in (_PAIR, _LISTED, _MAPPED):
        for found in pattern.finditer(piece):
            low, high = start + found.start(1), start + found.end(2)
            yield Binding(found.group(1), found.group(2).strip("\"'"), "manifest", low, start + found.start(2), high)
