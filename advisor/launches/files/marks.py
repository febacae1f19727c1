"""YAML text -> small trees whose nodes know the characters of the file they stand in.

    a: &x [1, "é"]        -> one document: a map whose `a` is a list of two texts, `"é"` at characters 10..13
    b: *x                    `b` is that same list

Every document of a file is read by itself, so that an error in one costs that one alone. Tags are kept as text and
never acted upon, an anchor is one shared node (nothing is copied), merge keys are resolved when a key is asked for and
within a budget.

**Source:** YAML 1.2.2, chapters 7 and 8; marks, nodes and the limit on nesting are those of PyYAML's parser (libyaml).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from advisor.model.late import dataclass
from advisor.model.shape import Shape

MAX_NODES = 200_000
MAX_DEPTH = 100
_MARKER = Shape(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.M)
_DIRECTIVES = Shape(r"\A(?:\ufeff?[ \t]*(?:[#%][^\n]*)?(?:\n|\Z))*\Z")
_PROPERTIES = Shape(r"(?:[&!]\S*(?:\s+|\Z))+")  # &anchor !!str, before a scalar


@dataclass(slots=True, eq=False)
class Node:
    """`text` of a scalar, `pairs` of a map (merge keys among them), `items` of a list. `start`..`end` are characters of
    the file, quotes included, blank ends of blocks not. `style` is '"', "'", "|", ">" or "" of a scalar, "flow" or
    "block" of a collection."""

    kind: Literal["map", "list", "text"]
    start: int
    end: int
    style: str = ""
    text: str = ""
    tag: str = ""
    pairs: Sequence[tuple[Node, Node]] = ()
    items: Sequence[Node] = ()
    keys: dict[str, tuple[Node, Node]] | None = None

    def get(self, *path: str) -> Node | None:
        """The node under these keys, merged ones included; None when there is none."""
        here: Node | None = self
        for key in path:
            found = here.mapping().get(key) if here is not None and here.kind == "map" else None
            here = found[1] if found else None
        return here

    def mapping(self) -> dict[str, tuple[Node, Node]]:
        """Key and value by the key's text: of two equal keys the last; the map's own before merged ones."""
        if self.keys is None:
            self.keys = {}  # set first: a map that merges itself ends here
            own = {key.text: (key, value) for key, value in self.pairs if key.text != "<<" or key.style}
            merged: dict[str, tuple[Node, Node]] = {}
            for key, value in self.pairs if len(own) < len(self.pairs) else ():
                for one in value.items or [value] if key.text == "<<" and not key.style else ():
                    merged = {**one.mapping(), **merged}
            self.keys = {**merged, **own} if merged else own
        return self.keys

    def said(self, *path: str) -> str:
        """The text under these keys; "" when there is none."""
        found = self.get(*path)
        return found.text if found is not None and found.kind == "text" and not found.null else ""

    @property
    def null(self) -> bool:
        """Whether a scalar says nothing: empty, `~` or `null` without quotes."""
        return self.kind == "text" and not self.style and self.text in ("", "~", "null", "Null", "NULL")

    @property
    def true(self) -> bool | None:
        """The truth of a plain scalar; None of anything else."""
        word = self.text.lower() if self.kind == "text" else ""
        return True if word in ("true", "yes", "on") else False if word in ("false", "no", "off") else None


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its tree, or None with the `error` that stopped the parser at character `at`."""

    start: int
    end: int
    root: Node | None
    error: str = ""
    at: int = -1
    twice: tuple[Node, ...] = ()
    tags: tuple[Node, ...] = ()


def documents(text: str) -> Iterator[Document]:
    """The documents of a file in order, those that hold nothing left out. Never raises."""
    budget = [MAX_NODES]
    start = 1 if text.startswith("\ufeff") else 0
    for found in _MARKER.finditer(text):
        yield from _document(text, start, found.start(), budget)
        start = found.end()
    yield from _document(text, start, len(text), budget)


def _document(text: str, start: int, end: int, budget: list[int]) -> Iterator[Document]:
    piece = text[start:end]
    if _DIRECTIVES.match(piece):
        return
    from yaml import YAMLError

    try:
        raw = _composer(piece)
    except (YAMLError, ValueError, RecursionError) as error:
        yield _failed(error, start, end)
        return
    if raw is None:
        return
    tree = _Tree(text, start, end, budget)
    root = tree.node(raw, 0)
    if tree.bitten:
        yield Document(start, end, None, f"more than {MAX_NODES} nodes, or nested deeper than {MAX_DEPTH}", start)
    else:
        yield Document(start, end, root, twice=tuple(tree.twice), tags=tuple(tree.tags))


def _failed(error: Exception, start: int, end: int) -> Document:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if "flow" in str(getattr(error, "context", "")) or "quoted" in str(getattr(error, "context", "")):
        mark = getattr(error, "context_mark", None) or mark  # where the bracket or quote is opened that never closes
    said = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read as YAML")
    at = mark.index if mark is not None and mark.index is not None else getattr(error, "position", 0) or 0
    return Document(start, end, None, " ".join(said.split()), min(start + at, max(start, end - 1)))


_made: list[Any] = []


def _composer(piece: str) -> Any:
    """The raw nodes of one document, tags unresolved: only whether a scalar is quoted matters here."""
    if not _made:
        _made.append(_parser())
    parser = _made[0](piece)
    try:
        return parser.get_single_node()
    finally:
        parser.dispose()


def _parser() -> Any:
    """PyYAML's parser in C; the slow one in Python where PyYAML was built without libyaml."""
    try:
        from yaml.cyaml import CParser as Base  # type: ignore[attr-defined]
    except ImportError:
        from yaml import composer, parser, reader, scanner

        class Base(reader.Reader, scanner.Scanner, parser.Parser, composer.Composer):  # type: ignore[no-redef]
            def __init__(self, stream: str) -> None:
                for part in (reader.Reader, scanner.Scanner, parser.Parser, composer.Composer):
                    part.__init__(self, *([stream] if part is reader.Reader else []))

    class Composer(Base):
        resolve = descend_resolver = ascend_resolver = "".format  # answers "", and is no call of Python's at every node

    return Composer


class _Tree:
    """Raw nodes -> ours, each once, however many aliases name it."""

    def __init__(self, text: str, start: int, end: int, budget: list[int]) -> None:
        self.text, self.start, self.budget = text, start, budget
        self.aliases = text.find("*", start, end) >= 0
        self.properties = any(text.find(one, start, end) >= 0 for one in "&!")
        self.known: dict[int, Node] = {}
        self.twice: list[Node] = []
        self.tags: list[Node] = []
        self.bitten = False

    def node(self, raw: Any, depth: int) -> Node:
        if self.aliases and (seen := self.known.get(id(raw))) is not None:
            return seen
        self.budget[0] -= 1
        start, end, value = self.start + raw.start_mark.index, self.start + raw.end_mark.index, raw.value
        if value.__class__ is str:
            style = raw.style or ""
            if self.properties and self.text[start : start + 1] in ("&", "!"):
                past = _PROPERTIES.match(self.text, start, end)
                start = past.end() if past else start
            if style in ("|", ">"):
                end = start + len(self.text[start:end].rstrip())
            one = Node("text", start, end, style, value)
        else:
            one = Node("list", start, end, "flow" if raw.flow_style else "block")
        if self.aliases:
            self.known[id(raw)] = one
        if raw.tag:
            one.tag = raw.tag
            self.tags.append(one)
        if self.budget[0] < 0 or depth > MAX_DEPTH:
            self.bitten = True
        elif value.__class__ is not str and value:
            self._collection(one, value, depth + 1)
        return one

    def _collection(self, one: Node, value: Any, depth: int) -> None:
        if value[0].__class__ is tuple:
            one.kind, one.pairs = "map", self._pairs(value, depth)
            key, last = one.pairs[-1]
            low = key.end + 1
        else:
            one.items = [self.node(each, depth) for each in value]
            low, last = one.start, one.items[-1]
        if one.style == "block":
            one.end = max(low, last.end if last.start >= one.start else low)

    def _pairs(self, value: Sequence[tuple[Any, Any]], depth: int) -> list[tuple[Node, Node]]:
        """Keys and values, keys that the map has already noted."""
        node = self.node
        if _are_apart(value):
            return [(node(key, depth), node(each, depth)) for key, each in value]
        pairs: list[tuple[Node, Node]] = []
        seen: set[str] = set()
        for raw_key, raw_value in value:
            key = node(raw_key, depth)
            pairs.append((key, node(raw_value, depth)))
            if key.text in seen and key.text != "<<":
                self.twice.append(key)
            seen.add(key.text)
        return pairs


def _are_apart(value: Sequence[tuple[Any, Any]]) -> bool:
    """Whether all keys are texts, no two the same."""
    keys = [key.value for key, _ in value]
    return all(key.__class__ is str for key in keys) and len(set(keys)) == len(keys)
