"""An engine's registry of environment variables -> each variable and the text it counts as having when it is not set.

vLLM keeps them in ``vllm/envs.py``, vllm-ascend (from 0.7.3rc2 on) in ``vllm_ascend/envs.py``, SGLang (from 0.5.3 on)
in ``sglang/srt/environ.py``, LMDeploy in ``lmdeploy/pytorch/envs.py``. A default is given as one would write it in a
shell: ``1`` and ``0`` for booleans, commas between the items of a list. Variables read elsewhere in an engine's code
are not listed.

Source: https://github.com/vllm-project/vllm/blob/v0.20.0/vllm/envs.py,
https://github.com/sgl-project/sglang/blob/v0.5.23/python/sglang/srt/environ.py,
https://github.com/InternLM/lmdeploy/blob/v0.18.0/lmdeploy/pytorch/envs.py,
https://github.com/vllm-project/vllm-ascend/blob/v0.25.1rc1/vllm_ascend/envs.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.upstream.arguments import plain_value
from advisor.upstream.call_shapes import text_in
from advisor.upstream.python_code import Code, Function, Module
from advisor.upstream.statements import Statements
from advisor.upstream.values import Instance, Scope, Unknown, same

_GETENV = ("os.getenv", "os.environ.get")
_NAME = re.compile(r"[A-Z][A-Z0-9_]+")  # VLLM_PORT, HCCL_IF_IP


@dataclass(frozen=True)
class Variable:
    """One environment variable; ``default`` None: no text acts as leaving it unset does."""

    name: str
    default: str | None = None
    default_known: bool = True


def variable_of(name: str, value: Any) -> Variable:
    """A variable with a default as read."""
    plain = plain_value(value)
    known = not isinstance(plain, Unknown)
    return Variable(name, text_of(plain) if known else None, known)


def text_of(plain: Any) -> str | None:
    """A plain value as one would write it in a shell."""
    if plain is None:
        return None
    if isinstance(plain, bool):
        return "1" if plain else "0"
    return ",".join(str(text_of(item)) for item in plain) if isinstance(plain, list) else str(plain)


def vllm_variables(code: Code) -> list[Variable]:
    """The entries of ``environment_variables``."""
    return _registered(code, "vllm.envs", "environment_variables")


def ascend_variables(code: Code) -> list[Variable]:
    """The entries of vllm-ascend's ``env_variables``; those for building the package are among them."""
    return _registered(code, "vllm_ascend.envs", "env_variables")


def ascend_value(code: Code, name: str) -> Any:
    """What a variable of vllm-ascend's registry reads as when it is not set; Unknown when it is not registered."""
    for key, node, module in _entries(code, "vllm_ascend.envs", "env_variables"):
        if key == name:
            return _yield(node, module, Statements(code))
    return Unknown()


def _registered(code: Code, dotted: str, registry: str) -> list[Variable]:
    reader = Statements(code)
    return [_entry(name, node, module, reader) for name, node, module in _entries(code, dotted, registry)]


def _entries(code: Code, dotted: str, registry: str) -> Iterator[tuple[str, ast.expr, Module]]:
    """Name, function and module of each entry of a registry written as a dict."""
    found = code.lookup(dotted, registry)
    if isinstance(found, tuple) and isinstance(found[1], ast.Dict):
        for key, node in zip(found[1].keys, found[1].values, strict=True):
            if (name := text_in(key)) is not None:
                yield name, node, found[0]


def _entry(name: str, node: ast.expr, module: Module, reader: Statements) -> Variable:
    """A variable with the text that acts as its absence does; None when no text does, or when absence is None."""
    absent = _yield(node, module, reader)
    if isinstance(plain_value(absent), Unknown):
        return Variable(name, None, False)
    texts = [text for text in (_fallback(name, node, module, reader), text_of(plain_value(absent))) if text is not None]
    for text in texts:
        reader.environment = {name: text}
        set_to_it = _yield(node, module, reader)
        reader.environment = {}
        if same(plain_value(set_to_it), plain_value(absent)):
            return Variable(name, text)
    return Variable(name, None)


def _yield(node: ast.expr, module: Module, reader: Statements) -> Any:
    """What an entry gives in the reader's environment."""
    entry = reader.value(node, Scope(module))
    return reader.call(entry, [], {}, 0) if isinstance(entry, Function) else Unknown()


def _fallback(name: str, node: ast.expr, module: Module, reader: Statements) -> str | None:
    """The text of ``os.getenv(name, text)`` in an entry."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in _GETENV and len(call.args) == 2:
            text = reader.value(call.args[1], Scope(module))
            if ast.unparse(call.args[0]) == repr(name) and isinstance(text, str):
                return text
    return None


def sglang_variables(code: Code) -> list[Variable]:
    """The ``EnvBool(False)`` and the like in the body of ``Envs``."""
    owner = code.class_statement("sglang.srt.environ", "Envs")
    if owner is None:
        return []
    reader, scope = Statements(code), Scope(owner.module, owner=owner)
    found: dict[str, Variable] = {}
    for statement in owner.node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            for name in filter(_NAME.fullmatch, names):
                found[name] = variable_of(name, _field_default(statement.value, reader, scope))
            for former in _former_names(statement.value):
                found.setdefault(former, Variable(former))
    return list(found.values())


def _former_names(call: ast.Call) -> list[str]:
    """The older variable that is still read when the new one is not set."""
    given = [word.value for word in call.keywords if word.arg == "deprecated_name"]
    return [text for node in given if (text := text_in(node)) is not None]


def _field_default(call: ast.Call, reader: Statements, scope: Scope) -> Any:
    named = [word.value for word in call.keywords if word.arg == "default"]
    given = [*call.args, *named]
    value = reader.value(given[0], scope) if given else Unknown()
    value = reader.call(value, [], {}, 0) if isinstance(value, Function) else value
    return Unknown() if isinstance(value, Instance) else value


def lmdeploy_variables(code: Code) -> list[Variable]:
    """The calls of ``env_to_bool("NAME", default)``, ``os.getenv("NAME", default)`` and the like outside functions."""
    module = code.module("lmdeploy.pytorch.envs")
    if module is None:
        return []
    reader, found = Statements(code), {}
    for call in _calls(module.body):
        name = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        if isinstance(name, str) and _NAME.fullmatch(name):
            found[name] = variable_of(name, reader.value(call, Scope(module)))
    return list(found.values())


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))
