"""vLLM's sources -> what ``get_kwargs(SomeConfig)`` holds when ``vllm serve`` builds its command line.

Since 0.8.4 most of vLLM's flags take their type, choices and default from the fields of its config classes. The rules
below are those of ``get_kwargs`` from 0.8.5 on, whose outcome for a type did not change since; 0.8.4 had plainer ones.

Source: https://github.com/vllm-project/vllm/blob/v0.20.0/vllm/engine/arg_utils.py, and that file of every release read
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream.arguments import OBJECT, OBJECT_OR_TEXT
from advisor.upstream.calls import Calls, Hook
from advisor.upstream.python_code import Class, Code, External, Function, Module
from advisor.upstream.statements import Statements
from advisor.upstream.values import Choices, Scope, Unknown

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
_BUILTIN = External("builtins.str")


@dataclass(frozen=True)
class Hint:
    """One alternative of a field's type: ``kind``; a literal's options; a collection's element type and choices."""

    kind: str
    options: tuple[Any, ...] = ()
    element: str = "str"
    length: int = 0
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Field:
    """A field of a config class: its annotation, and its default node when it has one."""

    name: str
    annotation: ast.expr
    default: ast.expr | None
    scope: Scope

    def __hash__(self) -> int:
        return hash(self.name)


def fields_of(owner: Class, reader: Calls) -> list[Field]:
    """A dataclass's fields, those of its bases first; a redeclared field keeps its first place."""
    found: dict[str, Field] = {}
    for cls in reversed(list(reader.lineage(owner))):
        for statement in cls.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name, scope = statement.target.id, Scope(cls.module, owner=cls)
                found[name] = Field(name, statement.annotation, statement.value, scope)
    no_field = {name for name, field in found.items() if ast.unparse(field.annotation).startswith(_NO_FIELD)}
    return [field for name, field in found.items() if name not in no_field]


def get_kwargs(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """For each field of a config class, the ``add_argument`` keywords vLLM derives from it."""
    owner = args[0] if args else kwargs.get("cls")
    if not isinstance(owner, Class):
        return Unknown()
    return {field.name: keywords_of(field, reader) for field in fields_of(owner, reader)}


def keywords_of(field: Field, reader: Calls) -> dict[str, Any]:
    """The keywords for one field; an annotation that cannot be read leaves the type Unknown."""
    hints = set(hints_of(field.annotation, field.scope.module, reader))
    given: dict[str, Any] = {"default": None, "type": _type_keyword(hints)}
    if field.default is not None:
        given["default"] = reader.declared(field.default, field.scope)
    given.update(_shape_keywords(hints))
    if "action" in given:
        given.pop("type")
    return given


def _type_keyword(hints: set[Hint]) -> Any:
    kinds = {hint.kind for hint in hints}
    if "config" in kinds:
        return OBJECT
    for kind in ("int", "float"):
        if kind in kinds:
            return External(f"builtins.{kind}")
    if "dict" in kinds:
        mixed = kinds & {"str", "other"}
        return OBJECT_OR_TEXT if mixed else External("json.loads")
    return External("builtins.str")


def _shape_keywords(hints: set[Hint]) -> dict[str, Any]:
    kinds = {hint.kind for hint in hints}
    if "config" in kinds:
        return {}
    if kinds == {"bool", "str", "none"}:
        return {"type": External("builtins.str"), "nargs": "?"}
    if "bool" in kinds:
        return {"action": External("argparse.BooleanOptionalAction")}
    literal = next((hint for hint in hints if hint.kind == "literal"), None)
    if literal is not None:
        type_name = type(literal.options[0]).__name__
        shape: dict[str, Any] = {"type": External(f"builtins.{type_name}")}
        return shape if "str" in kinds else {**shape, "choices": list(literal.options)}
    for kind in ("tuple", "list", "set"):
        collection = next((hint for hint in hints if hint.kind == kind), None)
        if collection is not None:
            shape = {"type": External(f"builtins.{collection.element}"), "nargs": collection.length or "+"}
            return {**shape, "choices": list(collection.choices)} if collection.choices else shape
    return {}


def hints_of(node: ast.expr, module: Module, reader: Calls, depth: int = 0) -> Iterator[Hint]:
    """The alternatives of an annotation, aliases followed, Optional, Union and Annotated flattened."""
    if depth > 12:
        yield Hint("other")
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield from hints_of(ast.parse(node.value, mode="eval").body, module, reader, depth + 1)
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
            yield Hint(_class_kind(found, reader))
            return
    yield Hint("other")


def _class_kind(owner: Class, reader: Calls) -> str:
    for cls in reader.lineage(owner):
        marks = [ast.unparse(mark).partition("(")[0].rpartition(".")[2] for mark in cls.node.decorator_list]
        if any(mark in ("dataclass", "config") for mark in marks):
            return "config"
        if any(ast.unparse(base).rpartition(".")[2] in ("TypedDict", "dict", "UserDict") for base in cls.node.bases):
            return "dict"
    return "other"


def inner_type(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``optional_type(int)`` and ``parse_type(int)`` parse as ``int`` does."""
    return args[0] if args else kwargs.get("return_type", Unknown())


def get_field(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``get_field(SomeConfig, "name")``: the field's default."""
    return reader.attribute(args[0], args[1])


def _untouched(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Unknown()


HOOKS: dict[str, Hook] = {
    "get_kwargs": get_kwargs,
    "optional_type": inner_type,
    "parse_type": inner_type,
    "get_field": get_field,
    "load_general_plugins": _untouched,
    "pre_register_and_update": _untouched,
}


def arguments_of(code: Code) -> tuple[Statements, list[tuple[list[Any], dict[str, Any]]]]:
    """Every argument of ``vllm serve``, from its subcommand's own parser down."""
    reader = Statements(code, HOOKS)
    both_ways = code.class_statement("vllm.utils.argparse_utils", "EnableDisableAction")  # from 0.33.0 on
    opposites = reader.attribute(both_ways, "_inverse_prefixes") if both_ways else {}
    reader.opposites = opposites if isinstance(opposites, dict) else {}
    serve = code.lookup("vllm.entrypoints.cli.serve", "ServeSubcommand")
    start = reader.attribute(serve, "subparser_init") if isinstance(serve, Class) else None
    if not isinstance(start, Function):
        raise UpstreamError("vllm/entrypoints/cli/serve.py defines no ServeSubcommand.subparser_init")
    return reader, reader.arguments(start, Unknown())
