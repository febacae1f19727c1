"""SGLang's sources -> the arguments of ``python -m sglang.launch_server``.

Until 0.5.13 ``ServerArgs.add_cli_args`` adds every flag by hand. From 0.5.14 on a field annotated ``A[T, "help"]`` or
``A[T, Arg(...)]`` adds its own flag through ``add_cli_args_from_dataclass``; from 0.5.19 on those fields stand in the
namespace classes under ``arg_groups/fields``, listed in ``_INPUT_NAMESPACES``.

Source: https://github.com/sgl-project/sglang/blob/v0.5.23/python/sglang/srt/arg_groups/arg_utils.py
"""

from __future__ import annotations

import ast
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream import syntax
from advisor.upstream.call_shapes import text_in
from advisor.upstream.calls import Calls, Hook
from advisor.upstream.fields import Field, fields_of
from advisor.upstream.python_code import Class, Code, External, Function
from advisor.upstream.statements import Statements
from advisor.upstream.values import Choices, Unknown

SERVER_ARGS = "sglang.srt.server_args"


def input_fields(reader: Calls) -> list[Field]:
    """The fields of ``ServerArgs``, wherever this release declares them."""
    owner = reader.code.class_statement(SERVER_ARGS, "ServerArgs")
    own = fields_of(owner, reader) if owner else []
    module = reader.code.module(SERVER_ARGS)
    spaces = reader.named(module, "_INPUT_NAMESPACES") if module and "_INPUT_NAMESPACES" in module.bindings else []
    gathered = [field for space in spaces if isinstance(space, Class) for field in fields_of(space, reader)]
    return [*own, *gathered]


def add_from_fields(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``add_cli_args_from_dataclass(parser, ServerArgs)``: one argument for every annotated field."""
    for field in input_fields(reader):
        metadata = metadata_of(field, reader)
        if metadata is not None and not metadata.get("no_cli"):
            args[0].added.append(argument_of(field, metadata, reader))
    return None


def metadata_of(field: Field, reader: Calls) -> dict[str, Any] | None:
    """The keywords of a field's ``Arg(...)``; of a bare help text only that; None for a field without a flag."""
    note = field.annotation
    if not isinstance(note, ast.Subscript) or ast.unparse(note.value).rpartition(".")[2] not in ("A", "Annotated"):
        return None
    for part in note.slice.elts[1:] if isinstance(note.slice, ast.Tuple) else []:
        if isinstance(part, ast.Call) and ast.unparse(part.func).rpartition(".")[2] == "Arg":
            given = {"help": reader.value(part.args[0], field.scope)} if part.args else {}
            return given | {word.arg: reader.value(word.value, field.scope) for word in part.keywords if word.arg}
        if not isinstance(part, ast.Call):
            return {"help": reader.value(part, field.scope)}
    return None


def argument_of(field: Field, metadata: dict[str, Any], reader: Calls) -> tuple[list[Any], dict[str, Any]]:
    """The ``add_argument`` call SGLang makes for one field."""
    names = [metadata.get("cli_name") or "--" + field.name.replace("_", "-"), *(metadata.get("aliases") or [])]
    keywords = _keywords(field, metadata, reader)
    keywords.setdefault("help", metadata.get("help"))
    if field.default is not None:
        keywords.setdefault("default", reader.declared(field.default, field.scope))
    return names, keywords


def _keywords(field: Field, metadata: dict[str, Any], reader: Calls) -> dict[str, Any]:
    if metadata.get("action") is not None:
        return {"action": metadata["action"], **(metadata.get("action_kwargs") or {})}
    assert isinstance(field.annotation, ast.Subscript) and isinstance(field.annotation.slice, ast.Tuple)
    inner = _unwrapped(field.annotation.slice.elts[0])
    keywords = {key: metadata[key] for key in ("choices", "nargs") if metadata.get(key)}
    literal = reader.value(inner, field.scope) if isinstance(inner, (ast.Subscript, ast.Name)) else None
    if isinstance(literal, Choices):
        keywords.setdefault("choices", literal)
        keywords.pop("nargs", None)
        first = External(f"builtins.{type(literal.options[0]).__name__}")
        numeric = first.path in ("builtins.int", "builtins.float")
        return {**keywords, "type": metadata.get("type_parser") or (first if numeric else External("builtins.str"))}
    if (
        isinstance(inner, ast.Subscript)
        and ast.unparse(inner.value) in ("list", "List")
        and not metadata.get("type_parser")
    ):
        keywords.setdefault("nargs", "+")
        return {**keywords, "type": _scalar(inner.slice)}
    if isinstance(inner, ast.Name) and inner.id == "bool":
        return {"action": "store_true"}
    return {**keywords, "type": metadata.get("type_parser") or _scalar(inner)}


def _unwrapped(node: ast.expr) -> ast.expr:
    """T of ``Optional[T]`` and of ``T | None``."""
    if (text := text_in(node)) is not None:
        return _unwrapped(syntax.expression(text))
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("Optional", "typing.Optional"):
        return node.slice
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value is None:
        return node.left
    return node


def _scalar(node: ast.expr) -> External:
    name = ast.unparse(node)
    return External(f"builtins.{name}") if name in ("int", "float", "str") else External("builtins.str")


def declared_default(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``_declared_default("field")``: the default the field is declared with."""
    for field in input_fields(reader):
        if field.name == args[0]:
            return None if field.default is None else reader.declared(field.default, field.scope)
    return Unknown()


HOOKS: dict[str, Hook] = {"add_cli_args_from_dataclass": add_from_fields, "_declared_default": declared_default}


def arguments_of(code: Code) -> tuple[Statements, list[tuple[list[Any], dict[str, Any]]]]:
    """Every argument of SGLang's server."""
    reader = Statements(code, HOOKS)
    owner = code.class_statement(SERVER_ARGS, "ServerArgs")
    start = reader.attribute(owner, "add_cli_args") if owner else None
    if not isinstance(start, Function):
        raise UpstreamError("sglang/srt/server_args.py defines no ServerArgs.add_cli_args")
    return reader, reader.arguments(start)
