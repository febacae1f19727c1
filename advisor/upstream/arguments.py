"""What was passed to ``add_argument`` -> a flag: its spellings, how it takes values, its type, choices and default.

``default`` is the value in force when the flag is absent. It is *known* only when reading the source gives one value
on every machine; a default object of one of the engine's config classes counts as ``{}``, nothing set beyond the
class's own.

kind: ``switch`` takes no value, ``pair`` is ``--x`` and ``--no-x``, ``value`` takes one (a ``value`` of type bool may
also stand bare), ``list`` takes several or is repeated, ``json`` takes a JSON object and, in vLLM, dotted keys; a
``json`` flag of type str takes plain text as well. ``negations`` are further spellings that turn a pair off;
``optional`` says that a value may be left out; ``keys`` are the keys of a JSON object that take only some values.

Source: https://docs.python.org/3/library/argparse.html#the-add-argument-method (read 2026-11-29)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from advisor.upstream.calls import Calls
from advisor.upstream.deprecations import deprecation_of
from advisor.upstream.python_code import Class, External, Function
from advisor.upstream.values import Choices, Instance, Member, Scope, Unknown

OBJECT = External("engine.config")  # the type of a flag whose JSON builds one of the engine's config classes
OBJECT_OR_TEXT = External("engine.config or text")
_BUILTIN_TYPES = {"builtins.int": "int", "builtins.float": "float", "builtins.str": "str", "builtins.bool": "bool"}
# Functions that engines pass as type=, by name -> (kind, type).
_KNOWN_TYPES = {
    "from_cli": ("json", None),  # vLLM <= 0.11: KVTransferConfig.from_cli
    "from_json": ("json", None),  # vLLM <= 0.8: PoolerConfig.from_json
    "json_list_type": ("json", None),  # SGLang
    "parse_cuda_graph_config_arg": ("json", None),  # SGLang >= 0.5.14
    "nullable_kvs": ("json", None),  # vLLM <= 0.8: --limit-mm-per-prompt image=4
    "union_dict_and_str": ("json", "str"),  # vLLM >= 0.9: --hf-overrides
    "nullable_str": ("value", "str"),
    "human_readable_int": ("value", "int"),
    "human_readable_int_or_auto": ("value", "int"),
    "str2bool": ("value", "bool"),
    "_str_to_bool": ("value", "bool"),
}


@dataclass(frozen=True)
class Flag:
    """One command-line flag of one release. ``env`` names a variable that its default follows.

    ``deprecated``: the release says so; ``instead`` is the setting it names in its place, None when it names none.
    """

    name: str
    aliases: tuple[str, ...] = ()
    kind: str = "value"
    type: str | None = None
    choices: tuple[Any, ...] | None = None
    default: Any = None
    default_known: bool = True
    env: str | None = None
    negations: tuple[str, ...] = ()
    deprecated: bool = False
    instead: str | None = None
    optional: bool = False
    keys: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def flag_of(args: list[Any], kwargs: dict[str, Any], reader: Calls) -> Flag | None:
    """The flag an ``add_argument`` call defines; None for positionals and for --help and --version."""
    spellings = [arg for arg in args if isinstance(arg, str) and arg.startswith("-")]
    name = next((spelling for spelling in spellings if spelling.startswith("--")), None)
    action = action_of(kwargs, reader)
    if name is None or action["name"] in ("help", "version"):
        return None
    kind, type_name = kind_of(action, kwargs)
    default, known, env = default_of(action, kwargs)
    if kind == "list" and isinstance(default, dict):
        default = []
    choices = choices_of(kwargs.get("choices"), reader)
    if kind == "value" and type_name is None and choices and all(isinstance(choice, str) for choice in choices):
        type_name = "str"
    deprecated, instead = deprecation_of(spellings, action["name"], kwargs)
    return Flag(
        name=name,
        aliases=tuple(dict.fromkeys(spelling for spelling in spellings if spelling != name)),
        kind=kind,
        type=type_name,
        choices=choices,
        default=default,
        default_known=known,
        env=env,
        negations=negations_of(spellings, reader.opposites) if kind == "pair" else (),
        deprecated=deprecated,
        instead=instead,
        optional=kind == "value" and kwargs.get("nargs", action.get("nargs")) == "?",
        keys=kwargs.get("keys") or {},
    )


def negations_of(spellings: list[str], opposites: dict[str, str]) -> tuple[str, ...]:
    """Spellings besides ``--no-x`` that turn a pair off: ``--disable-x`` for ``--enable-x`` if the parser adds it."""
    pairs = [(spelling, begin, other) for spelling in spellings for begin, other in opposites.items()]
    return tuple(other + spelling.removeprefix(begin) for spelling, begin, other in pairs if spelling.startswith(begin))


def action_of(kwargs: dict[str, Any], reader: Calls) -> dict[str, Any]:
    """The action's name, and the nargs and default that a custom action class fills in itself."""
    given = kwargs.get("action", "store")
    filled: dict[str, Any] = {"name": given if isinstance(given, str) else "?"}
    if isinstance(given, External):
        filled["name"] = given.path.rpartition(".")[2]
    if isinstance(given, Class):
        filled["name"] = given.name
        initialiser = reader.attribute(given, "__init__")
        if isinstance(initialiser, Function):
            filled.update(_parameter_defaults(initialiser, reader))
    return filled


def _parameter_defaults(initialiser: Function, reader: Calls) -> dict[str, Any]:
    wanted = initialiser.node.args
    names = [parameter.arg for parameter in wanted.args]
    values = [reader.value(default, Scope(initialiser.module)) for default in wanted.defaults]
    found = dict(zip(names[len(names) - len(values) :], values, strict=True))
    fixed = _fixed_above(initialiser)
    return {key: value for key, value in {**found, **fixed}.items() if key in ("nargs", "default", "const")}


def _fixed_above(initialiser: Function) -> dict[str, Any]:
    """Constants passed on to ``super().__init__(..., nargs=0, ...)``."""
    calls = [
        node
        for node in ast.walk(initialiser.node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__"
    ]
    keywords = [keyword for call in calls for keyword in call.keywords]
    return {
        keyword.arg: keyword.value.value
        for keyword in keywords
        if keyword.arg and isinstance(keyword.value, ast.Constant)
    }


def kind_of(action: dict[str, Any], kwargs: dict[str, Any]) -> tuple[str, str | None]:
    """How a flag takes its values, and their type."""
    if action["name"] == "BooleanOptionalAction":
        return "pair", "bool"
    nargs = kwargs.get("nargs", action.get("nargs"))
    if action["name"] in ("store_true", "store_false", "store_const", "count") or nargs == 0:
        return "switch", "bool"
    kind, type_name = type_of(kwargs.get("type"))
    if action["name"] == "StoreBoolean":  # vLLM: bare, or followed by true or false
        return "value", "bool"
    if nargs in ("+", "*") or (isinstance(nargs, int) and nargs > 1) or action["name"] in ("append", "extend"):
        return "list", type_name
    return kind, type_name


def type_of(given: Any) -> tuple[str, str | None]:
    """Kind and type name of what ``type=`` names; a type that cannot be named is None."""
    if given is None:
        return "value", "str"
    if given in (OBJECT, OBJECT_OR_TEXT, External("json.loads")):
        return "json", "str" if given == OBJECT_OR_TEXT else None
    if isinstance(given, External):
        return "value", _BUILTIN_TYPES.get(given.path)
    if isinstance(given, Function):
        return _KNOWN_TYPES.get(given.name, ("value", _returned(given)))
    return "value", None


def _returned(function: Function) -> str | None:
    """The builtin type a parsing function is annotated to return."""
    returns = getattr(function.node, "returns", None)
    return _BUILTIN_TYPES.get(f"builtins.{returns.id}") if isinstance(returns, ast.Name) else None


def default_of(action: dict[str, Any], kwargs: dict[str, Any]) -> tuple[Any, bool, str | None]:
    """The default, whether it is known, and the environment variable it follows."""
    fallback = {"store_true": False, "store_false": True}.get(action["name"], action.get("default"))
    given = kwargs.get("default", fallback)
    if isinstance(given, Unknown):
        return None, False, given.variable
    if "**" in kwargs and "default" not in kwargs:
        return None, False, None
    plain = plain_value(given)
    return (None, False, None) if isinstance(plain, Unknown) else (plain, True, None)


def plain_value(value: Any) -> Any:
    """A value as JSON would hold it; Unknown when it has no such form."""
    if isinstance(value, Member):
        return plain_value(value.value)
    if isinstance(value, Instance):
        return {key: plain_value(item) for key, item in value.arguments.items()}
    if isinstance(value, (list, tuple)):
        items = [plain_value(item) for item in value]
        return Unknown() if any(isinstance(item, Unknown) for item in items) else items
    if isinstance(value, dict):
        entries = {str(key): plain_value(item) for key, item in value.items()}
        return Unknown() if any(isinstance(item, Unknown) for item in entries.values()) else entries
    return value if value is None or isinstance(value, (str, int, float, bool)) else Unknown()


def choices_of(given: Any, reader: Calls) -> tuple[Any, ...] | None:
    """The values a flag accepts, sorted; None when any value is accepted or the list cannot be read."""
    if isinstance(given, Choices):
        given = given.options
    if isinstance(given, Class) and reader.is_enum(given):
        given = [member.value for member in reader.members(given)]
    plain = plain_value(given) if isinstance(given, (list, tuple, dict)) else None
    if not isinstance(plain, list | dict) or not plain:  # an empty registry fills up as modules register themselves
        return None
    distinct = dict.fromkeys(item for item in plain if item not in (None, "None"))
    return tuple(sorted(distinct, key=lambda item: (str(type(item)), item)))
