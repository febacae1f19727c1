"""vLLM's sources -> what ``get_kwargs(SomeConfig)`` holds when ``vllm serve`` builds its command line.

Since 0.8.4 most of vLLM's flags take their type, choices and default from the fields of its config classes. The rules
below are those of ``get_kwargs`` from 0.8.5 on, whose outcome for a type did not change since; 0.8.4 had plainer ones.

Source: https://github.com/vllm-project/vllm/blob/v0.20.0/vllm/engine/arg_utils.py, and that file of every release read
"""

from __future__ import annotations

from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream.arguments import OBJECT, OBJECT_OR_TEXT
from advisor.upstream.calls import Calls, Hook
from advisor.upstream.config_choices import choices_in
from advisor.upstream.fields import Field, Hint, fields_of, hints_of
from advisor.upstream.python_code import Class, Code, External, Function
from advisor.upstream.statements import Statements
from advisor.upstream.values import Unknown


def get_kwargs(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """For each field of a config class, the ``add_argument`` keywords vLLM derives from it."""
    owner = args[0] if args else kwargs.get("cls")
    if not isinstance(owner, Class):
        return Unknown()
    return {field.name: keywords_of(field, reader) for field in fields_of(owner, reader)}


def early_get_kwargs(reader: Calls, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The same in 0.8.4, where ``get_kwargs`` stands inside ``add_cli_args`` and leaves actions and choices to it."""
    if not args or not isinstance(args[0], Class):
        return Unknown()
    return {field.name: _early_keywords(field, reader) for field in fields_of(args[0], reader)}


def _early_keywords(field: Field, reader: Calls) -> dict[str, Any]:
    hints = list(hints_of(field.annotation, field.scope.module, reader))
    kinds = {hint.kind for hint in hints}
    default = reader.declared(field.default, field.scope) if field.default else None
    given: dict[str, Any] = {"default": default, "help": field.text}
    if kinds & {"none", "str"}:
        given["type"] = External("builtins.str")
    elif kinds != {"bool"}:
        given["type"] = _type_keyword(hints)
    return given


def keywords_of(field: Field, reader: Calls) -> dict[str, Any]:
    """The keywords for one field; an annotation that cannot be read leaves the type Unknown."""
    hints = list(hints_of(field.annotation, field.scope.module, reader))
    given: dict[str, Any] = {"default": None, "type": _type_keyword(hints), "help": field.text}
    if field.default is not None:
        given["default"] = reader.declared(field.default, field.scope)
    given.update(_shape_keywords(hints))
    given["keys"] = {key: chosen for hint in hints if hint.owner for key, chosen in choices_in(hint.owner, reader)}
    if "action" in given:
        given.pop("type")
    return given


def _type_keyword(hints: list[Hint]) -> Any:
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


def _shape_keywords(hints: list[Hint]) -> dict[str, Any]:
    kinds = {hint.kind for hint in hints}
    if "config" in kinds:
        return {}
    if kinds == {"bool", "str", "none"}:
        return {"type": External("builtins.str"), "nargs": "?"}
    if "bool" in kinds:
        return {"action": External("argparse.BooleanOptionalAction")}
    options = [option for hint in hints if hint.kind == "literal" for option in hint.options]
    if options:  # of several literals vLLM takes one, whichever its set yields first: any of them may be accepted
        type_name = type(options[0]).__name__
        shape: dict[str, Any] = {"type": External(f"builtins.{type_name}")}
        return shape if "str" in kinds else {**shape, "choices": options}
    for kind in ("tuple", "list", "set"):
        collection = next((hint for hint in hints if hint.kind == kind), None)
        if collection is not None:
            shape = {"type": External(f"builtins.{collection.element}"), "nargs": collection.length or "+"}
            return {**shape, "choices": list(collection.choices)} if collection.choices else shape
    return {}


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
    early = code.lookup("vllm.engine.arg_utils", "get_kwargs") is None
    reader = Statements(code, {**HOOKS, "get_kwargs": early_get_kwargs} if early else HOOKS)
    both_ways = code.class_statement("vllm.utils.argparse_utils", "EnableDisableAction")  # from 0.33.0 on
    opposites = reader.attribute(both_ways, "_inverse_prefixes") if both_ways else {}
    reader.opposites = opposites if isinstance(opposites, dict) else {}
    serve = code.lookup("vllm.entrypoints.cli.serve", "ServeSubcommand")
    start = reader.attribute(serve, "subparser_init") if isinstance(serve, Class) else None
    if not isinstance(start, Function):
        raise UpstreamError("vllm/entrypoints/cli/serve.py defines no ServeSubcommand.subparser_init")
    return reader, reader.arguments(start, Unknown())
