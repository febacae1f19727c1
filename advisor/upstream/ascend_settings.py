"""vllm-ascend's sources -> the keys of ``--additional-config``, and the choices it adds to vLLM's own flags.

The plugin has no command line: it takes its options out of the JSON given to vLLM's ``--additional-config``. Each key
is given as if it were a flag, ``--additional-config.eplb_config.dynamic_eplb``, with the type and default it is read
with. From 0.9.0rc1 on ``AscendConfig`` reads nearly all of them, and from 0.27.1rc1 on it is a dataclass that refuses
any other; a key read elsewhere as well has ``AscendConfig``'s default. A key ``….*`` stands for an object that takes
any key, such as ``ascend_scheduler_config`` until 0.11.0, which is laid over vLLM's own scheduler settings. A key may
be given in two places: 0.25.1rc1 moved some below ``scheduler_config`` and still reads the old ones.

``--quantization`` with the choice ``ascend`` means that the plugin adds this choice to those vLLM has.

Source: https://github.com/vllm-project/vllm-ascend/blob/v0.25.1rc1/vllm_ascend/ascend_config.py and platform.py, and
those files in the sdist of https://pypi.org/project/vllm-ascend/0.30.0rc2/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream.arguments import OBJECT, plain_value
from advisor.upstream.config_keys import Key, Path, is_config, keys_below
from advisor.upstream.environment import ascend_value
from advisor.upstream.python_code import Class, Code, External, Function, Module
from advisor.upstream.reading import Reading
from advisor.upstream.statements import Statements
from advisor.upstream.values import Scope, Unknown

Added = tuple[list[Any], dict[str, Any]]

PACKAGE = "vllm_ascend"
CONFIG, PLATFORM = f"{PACKAGE}.ascend_config", f"{PACKAGE}.platform"


def arguments_of(code: Code) -> tuple[Statements, list[Added]]:
    """Every key and added choice as ``add_argument`` would be given it. UpstreamError for what is no vllm-ascend."""
    if code.module(PLATFORM) is None:
        raise UpstreamError(f"there is no {PLATFORM.replace('.', '/')}.py")
    reader = Statements(code)
    keys = keys_of(code, reader)
    parents = {path[:length] for path in keys for length in range(1, len(path))}
    added = [_argument(key, path in parents, code) for path, key in sorted(keys.items())]
    return reader, [*added, *choices_added(code, reader)]


def keys_of(code: Code, reader: Statements) -> dict[Path, Key]:
    """Every key of ``--additional-config`` by its path."""
    first, rest = Reading(reader), Reading(reader)
    config = code.class_statement(CONFIG, "AscendConfig")
    fields: dict[Path, Key] = {}
    if config is not None and is_config(config):
        fields = _checked_against(config, code, first)
    elif config is not None:
        first.build(config, {})
    for function in functions_of(code):
        rest.follow(function, {})
    return first.mirrored({**rest.keys(), **first.keys(), **fields})


def _checked_against(config: Class, code: Code, first: Reading) -> dict[Path, Key]:
    """The keys of the config class, but for those that ``init_ascend_config`` takes away and does not read itself."""
    start = code.lookup(CONFIG, "init_ascend_config")
    if not isinstance(start, Function):
        return {}
    first.follow(start, {})
    read = first.keys()
    taken = {name for name in _taken_away(start, first.reader) if (name,) not in read}
    found = {key.path: key for key in keys_below(config, first.reader, (), frozenset(taken))}
    return {path: key for path, key in found.items() if not isinstance(key.default, Unknown) or path not in read}


def _taken_away(start: Function, reader: Statements) -> list[str]:
    """The names in ``_NON_USER_INPUT_KEYS``."""
    for node in ast.walk(start.node):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_NON_USER_INPUT_KEYS":
            names = reader.value(node.value, Scope(start.module))
            return [str(name) for name in names] if isinstance(names, list) else []
    return []


def functions_of(code: Code) -> Iterator[Function]:
    """The functions and methods of every file that mentions ``additional_config``."""
    for path in sorted(code.tree.names()):
        if path.startswith(f"{PACKAGE}/") and path.endswith(".py") and "additional_config" in code.tree.read(path):
            dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            module = code.module(dotted)
            yield from _functions(module.body, module, None) if module else ()


def _functions(body: list[ast.stmt], module: Module, owner: Class | None) -> Iterator[Function]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(module, statement, owner)
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, module, Class(module, statement))


def _argument(key: Key, is_parent: bool, code: Code) -> Added:
    """The ``add_argument`` call that describes a key."""
    default = key.default
    keywords: dict[str, Any] = {"default": default, "type": External(f"builtins.{_type_name(key, code)}")}
    if key.choices:
        keywords["choices"] = list(key.choices)
    if is_parent or isinstance(default, dict):
        keywords["type"] = OBJECT
    elif isinstance(default, list):
        keywords["nargs"] = "*"
    if key.instead:
        keywords.update(deprecated=True, help=f"Use {_spelled(key.instead)} instead")
    return [_spelled(key.path)], keywords


def _spelled(path: Path) -> str:
    return ".".join(("--additional-config", *path))


def _type_name(key: Key, code: Code) -> str:
    """The builtin type a key's value has; another name where the source does not say."""
    if key.type:
        return key.type
    value = key.default
    if isinstance(value, Unknown):
        value = ascend_value(code, value.variable) if value.variable else None
    plain = plain_value(value)
    return type(plain).__name__ if isinstance(plain, bool | int | float | str) else "object"


def choices_added(code: Code, reader: Statements) -> Iterator[Added]:
    """The choices that ``pre_register_and_update`` appends to flags of vLLM's parser, where it names them itself."""
    module = code.module(PLATFORM)
    nodes = ast.walk(ast.Module(module.body if module else [], []))
    for function in (node for node in nodes if isinstance(node, ast.FunctionDef)):
        actions = dict(_actions(function)) if function.name == "pre_register_and_update" else {}
        for call in ast.walk(function):
            # quant_action.choices.append(ASCEND_QUANTIZATION_METHOD)
            if module and isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".choices.append"):
                flag = actions.get(ast.unparse(call.func).removesuffix(".choices.append"))
                choice = reader.value(call.args[0], Scope(module))
                if flag and isinstance(choice, str):
                    yield [flag], {"choices": [choice], "default": Unknown(), "type": External("builtins.str")}


def _actions(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """``quant_action = parser._option_string_actions.get("--quantization")`` -> the name and the flag."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
            flag = node.value.args[0]
            if ast.unparse(node.value.func).endswith("_option_string_actions.get") and isinstance(flag, ast.Constant):
                yield ast.unparse(node.targets[0]), str(flag.value)
