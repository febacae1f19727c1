"""Fields of dataclasses in a release's source -> their defaults' expressions and the alternatives of their types.

``Optional[Annotated[Literal["a", "b"], ...]]`` becomes a literal with two options and none: aliases are followed across
files, Optional, Union and Annotated are flattened.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.upstream.call_shapes import text_in
from advisor.upstream.calls import Calls
from advisor.upstream.python_code import Class, Module
from advisor.upstream.values import Choices, Scope

_NO_FIELD = ("ClassVar", "InitVar")
_CONTAINERS = {
    "list": "list",
    "List": "list",
    "Sequence": "list",
    "set": "set",
    "Set": "set",
    "tuple": "tuple",
    "Tuple": "tuple",
}
_DICTS = ("dict", "Dict", "Mapping")
_MAX_DEPTH = 12


@dataclass(frozen=True)
class Hint:
    """One alternative of a field's type: ``kind``; a literal's options; a collection's element type and choices.

    ``owner`` is the class of the release that the type names, if it names one.
    """

    kind: str
    options: tuple[Any, ...] = ()
    element: str = "str"
    length: int = 0
    choices: tuple[Any, ...] = ()
    owner: Class | None = None


@dataclass(frozen=True)
class Field:
    """A field of a config class: its annotation, its default node when it has one, the text that stands below it."""

    name: str
    annotation: ast.expr
    default: ast.expr | None
    scope: Scope
    text: str = ""

    def __hash__(self) -> int:
        return hash(self.name)


def fields_of(owner: Class, reader: Calls) -> list[Field]:
    """A dataclass's fields, those of its bases first; a redeclared field keeps its first place."""
    found: dict[str, Field] = {}
    for cls in reversed(list(reader.lineage(owner))):
        for statement, below in zip(cls.node.body, [*cls.node.body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name, scope = statement.target.id, Scope(cls.module, owner=cls)
                found[name] = Field(name, statement.annotation, statement.value, scope, _text(below))
    no_field = {name for name, field in found.items() if ast.unparse(field.annotation).startswith(_NO_FIELD)}
    return [field for name, field in found.items() if name not in no_field]


def _text(statement: ast.stmt | None) -> str:
    literal = statement.value if isinstance(statement, ast.Expr) else None
    return text_in(literal) or ""


def hints_of(node: ast.expr, module: Module, reader: Calls, depth: int = 0) -> Iterator[Hint]:
    """The alternatives of an annotation, aliases followed, Optional, Union and Annotated flattened."""
    if depth > _MAX_DEPTH:
        yield Hint("other")
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):  # vLLM does not resolve a quoted name: to it that is no class it knows
            yield Hint("other")
        else:
            yield Hint("none" if node.value is None else "other")
    elif isinstance(node, ast.BinOp):
        yield from hints_of(node.left, module, reader, depth + 1)
        yield from hints_of(node.right, module, reader, depth + 1)
    elif isinstance(node, ast.Subscript):
        yield from _subscripted(node, module, reader, depth)
    else:
        yield from _named(node, module, reader, depth)


def _subscripted(node: ast.Subscript, module: Module, reader: Calls, depth: int) -> Iterator[Hint]:
    name = ast.unparse(node.value).rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        chosen = reader.value(node, Scope(module))
        yield Hint("literal", chosen.options) if isinstance(chosen, Choices) else Hint("other")
    elif name in ("Union", "Optional"):
        for part in parts:
            yield from hints_of(part, module, reader, depth + 1)
        if name == "Optional":
            yield Hint("none")
    elif name in _CONTAINERS:
        yield _collection(_CONTAINERS[name], parts, module, reader)
    elif name in _DICTS:
        yield Hint("dict")
    elif name in ("type", "Type", "Callable"):
        yield Hint("other" if name == "Callable" else "type")
    else:  # Annotated[T, ...], SkipValidation[T]
        yield from hints_of(parts[0], module, reader, depth + 1)


def _collection(kind: str, parts: list[ast.expr], module: Module, reader: Calls) -> Hint:
    inner = list(hints_of(parts[0], module, reader, 1))
    literal = next((hint for hint in inner if hint.kind == "literal"), None)
    plain = [hint.kind for hint in inner if hint.kind in ("int", "float", "str")]
    element = "str" if literal or len(inner) != 1 or not plain else plain[0]
    fixed = kind == "tuple" and not any(isinstance(part, ast.Constant) and part.value is Ellipsis for part in parts)
    return Hint(kind, element=element, length=len(parts) if fixed else 0, choices=literal.options if literal else ())


def _named(node: ast.expr, module: Module, reader: Calls, depth: int) -> Iterator[Hint]:
    if isinstance(node, ast.Name):
        found = reader.code.lookup(module.dotted, node.id)
        if isinstance(found, tuple):
            yield from hints_of(found[1], found[0], reader, depth + 1)
            return
        if found is None and node.id in ("bool", "int", "float", "str", "dict"):
            yield Hint(node.id)
            return
        if found is None and node.id in _CONTAINERS:
            yield Hint(_CONTAINERS[node.id])
            return
        if isinstance(found, Class):
            yield Hint(_class_kind(found, reader), owner=found)
            return
    yield Hint("other")


def _class_kind(owner: Class, reader: Calls) -> str:
    for cls in reader.lineage(owner):
        marks = [ast.unparse(mark).partition("(")[0].rpartition(".")[2] for mark in cls.node.decorator_list]
        if any(mark in ("dataclass", "config") for mark in marks):
            return "config"
        if any(
            ast.unparse(base).partition("[")[0].rpartition(".")[2] in ("TypedDict", "dict", "UserDict")
            for base in cls.node.bases
        ):
            return "dict"
    return "other"
