"""Scalars and lists of a YAML file -> words of a command line and variables, with their places.

args: ["--tp", '8']                  -> `--tp`, `8`: flow items, quotes within their places
command: >-                          -> the words of a shell, each where it stands in the folded block
  vllm serve m
  --tp 8
env: [{name: TP, value: "8"}]        -> TP=8; `valueFrom` is a variable whose value is unknown
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from advisor.launches.files.marks import Node
from advisor.launches.files.origins import Origins, Run, origins
from advisor.launches.files.templates import HOLE
from advisor.launches.files.typed import File
from advisor.launches.shell import Word
from advisor.launches.spelling import looks_like_flag
from advisor.launches.words import prepare, resolve
from advisor.model.deployment import Assignment, Form, Place
from advisor.model.fact import Note
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_EXPANDS = Shape(r"\$\(|\$\{?\w")
_NAME = Shape(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_ESCAPED = Shape(r"\\[ \t]")  # what folding makes of a `\` at the end of a line
_LINE_END = Shape(r"[ \t]*\r?\n")
_BROKEN = Shape(r"[^\\\s][ \t]*\n[ \t]+(--?[A-Za-z][\w.-]*)")  # a line that begins with a flag, in a folded block


@dataclass
class Argv:
    """Words with the forms of their places and, for those that may be scripts, where their characters stand."""

    words: list[Word] = field(default_factory=list)
    forms: dict[tuple[int, int], Form] = field(default_factory=dict)
    scripts: dict[tuple[int, int], Origins] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    whole: bool = True


def argv(nodes: list[Node | None], file: File) -> Argv:
    """The words of `command` and `args`, in that order: lists, or strings that a shell would split."""
    out = Argv()
    for node in nodes:
        if node is None:
            continue
        if node.kind == "list":
            for item in node.items:
                _item(item, "flow item" if node.style == "flow" else "block item", file, out)
        elif node.kind == "text" and not node.null:
            out.words += split(node, file, out)
        elif node.kind == "map":
            out.whole = False
    return out


def _item(item: Node, form: Form, file: File, out: Argv) -> None:
    text, place = item.text, (item.start, item.end)
    if item.kind != "text":
        out.whole = False
        out.notes.append(Note("unreadable", "an item of a command that is no text", file.span(*place)))
        return
    out.forms[place] = form
    if any(char.isspace() for char in text):
        text = _meant(item, file, out)
        _ends_early(item, text, file, out)
        out.scripts[place] = origins(item, file.seen)
        if words := glued(text):
            shown = file.filled(" ".join(text.split())[:80], *place)
            said = f"`{shown}` is one item, so the engine gets it as one word; read as several"
            out.notes.append(Note("hint", said, file.span(*place)))
            out.words += [Word(one.text, *place, _known(one.text), one.open) for one in words]
            return
    hollow = text.strip(HOLE) == "" and bool(text)
    out.words.append(Word(text, *place, _known(text), hollow))


def _meant(node: Node, file: File, out: Argv) -> str:
    """The value of a scalar as its writer meant it for a shell, of the same length; what folding broke is noted.

    A `\\` at the end of a folded line stands before a blank then, so that the shell joins the two words around it.
    """
    map_ = origins(node, file.seen) if "\\" in node.text and node.style in (">", "'", "") else None

    def blank(found: re.Match[str]) -> str:
        continues = map_ is not None and _LINE_END.match(file.seen, map_.at(found.start()) + 1)
        return "  " if continues else found.group()

    text = _ESCAPED.sub(blank, node.text) if map_ is not None else node.text
    if text != node.text:
        said = "YAML folds these lines into one, where a `\\` joins two words: read without it; a `|` block keeps lines"
        out.notes.append(Note("hint", said, file.span(node.start, node.end)))
    return text


def _ends_early(item: Node, text: str, file: File, out: Argv) -> None:
    """Say of a script in a folded block that its lines indented further are commands of their own to a shell."""
    if item.style == ">" and (found := _BROKEN.search(text)):
        said = f"`>` keeps the ends of lines indented further: a shell does not give `{found[1]}` to the command before"
        out.notes.append(Note("hint", said, file.span(item.start, item.end)))
        out.whole = False


def glued(text: str) -> list[Word]:
    """The words of an item that is a flag with its value behind a blank; none of any other item.

    `--dtype auto` is one argument to the engine. It is read as the two that are meant, so that both can be judged.
    """
    if not text.startswith("-") or not any(map(str.isspace, text)) or not looks_like_flag(text.split(None, 1)[0]):
        return []
    return [one for low, high in prepare(text).spans for one in resolve(text, low, high, {})]


def _known(text: str) -> bool:
    return HOLE not in text and not ("$" in text and _EXPANDS.search(text))


def split(node: Node, file: File, out: Argv) -> list[Word]:
    """The words that a shell makes of a scalar."""
    map_ = origins(node, file.seen)
    text = _meant(node, file, out)
    flat = text.replace("\n", " ") if "\\\n" not in text else text
    found = [one for low, high in prepare(flat).spans for one in resolve(flat, low, high, {})]
    words = []
    for one in found:
        place = map_.place(one.start, one.end) if one.start >= 0 else (-1, -1)
        words.append(Word(one.text, *place, one.known and HOLE not in one.text, one.open))
        out.forms[place] = "shell word"
        if place[0] >= 0 and any(char.isspace() for char in one.text):
            at = flat.find(one.text, one.start, one.end)
            places = [map_.place(at + i, at + i + 1) for i in range(len(one.text))] if at >= 0 else []
            out.scripts[place] = Origins(tuple(Run(i, low, 1, high - low) for i, (low, high) in enumerate(places)))
    return words


# variables


def variables(node: Node | None, file: File) -> list[Assignment]:
    """The entries of `env`, `environment` or `envs`, as a list or a map; what is set twice stays twice."""
    if node is None:
        return []
    if node.kind == "list":
        return [found for item in node.items if (found := _entry(item, file)) is not None]
    return [_pair(key, value, file) for key, value in node.mapping().values() if _NAME.match(key.text)]


def _entry(item: Node, file: File) -> Assignment | None:
    """`{name: X, value: y}`, `X=y`, or `X` alone, which passes on what the host has."""
    if item.kind == "text":
        name, equals, value = item.text.partition("=")
        if not _NAME.match(name):
            return None
        form: Form = "block item"
        whole = file.place(item.start, item.end, form)
        map_ = origins(item, file.seen)
        low, high = map_.place(len(name) + 1, len(item.text)) if value else (item.end, item.end)
        inner = file.place(low, high, form) if equals else None
        return Assignment(name, file.filled(value, item.start, item.end), whole, inner, bool(equals) and _known(value))
    named = item.mapping().get("name") if item.kind == "map" else None
    if named is None or named[1].kind != "text" or not _NAME.match(named[1].text):
        return None
    form = "flow item" if item.style == "flow" else "block item"
    given = item.mapping().get("value")
    whole = file.place(item.start, item.end, form)
    if given is None or given[1].kind != "text":
        return Assignment(named[1].text, "", whole, None, "valueFrom" not in item.mapping() and given is None)
    return Assignment(named[1].text, *_value(given[1], file, whole))


def _value(node: Node, file: File, whole: object) -> tuple:  # type: ignore[type-arg]
    text = "" if node.null else node.text
    inner = file.place(node.start, node.end, "mapping value")
    return file.filled(text, node.start, node.end), whole, inner, _known(text)


def _pair(key: Node, value: Node, file: File) -> Assignment:
    whole = file.place(key.start, max(key.end, value.end if value.start >= key.start else key.end), "mapping value")
    if value.kind != "text" or value.null:  # `X:` alone passes on what the caller has
        return Assignment(key.text, "", whole, None, False)
    return Assignment(key.text, *_value(value, file, whole))


def labels(node: Node | None, file: File) -> Iterator[tuple[str, str, Place]]:
    """The entries of `labels` or `annotations`: name, value, and where the pair stands."""
    if node is not None and node.kind == "list":
        for item in node.items:
            name, _, value = item.text.partition("=")
            yield name, value, file.place(item.start, item.end, "block item")
    for name, (key, each) in node.mapping().items() if node is not None and node.kind == "map" else ():
        yield name, each.text, file.place(key.start, max(key.end, each.end), "mapping value")


def resolved(given: list[Assignment]) -> list[Assignment]:
    """The entries with `$(NAME)` filled in from entries before them, as the kubelet does."""
    known: dict[str, str] = {}
    out = []
    for one in given:
        value = re.sub(r"\$\(([\w.-]+)\)", lambda found: known.get(found.group(1), found.group()), one.value)
        if value != one.value and not _EXPANDS.search(value):
            one = Assignment(one.name, value, one.place, one.value_place, True)
        if one.known:
            known[one.name] = one.value
        out.append(one)
    return out


def texts(node: Node | None) -> Iterator[str]:
    """The scalars of a list, or the scalar itself."""
    if node is not None:
        yield from (one.text for one in (node.items if node.kind == "list" else [node]) if one.kind == "text")
