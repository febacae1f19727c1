"""A config dataclass that a JSON object is checked against -> the keys the object may have.

    @config
    class EplbConfig:
        dynamic_eplb: bool = False                                         # eplb_config.dynamic_eplb
        stair_config: StairConfig = field(default_factory=StairConfig)     # … .stair_config and what StairConfig has
        method_params: dict[str, Any] = field(default_factory=dict)        # … .method_params, and any key below it

Fields that begin with ``_`` or are declared ``init=False`` are not keys.

Source: https://pypi.org/project/vllm-ascend/0.30.0rc2/ (sdist), vllm_ascend/ascend_config.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.upstream.calls import Calls
from advisor.upstream.fields import Field, Hint, fields_of, hints_of
from advisor.upstream.python_code import Class
from advisor.upstream.values import Instance, Unknown

Path = tuple[str, ...]
ANY = "*"  # the last part of an object's path that takes any key
TYPES = ("int", "float", "bool", "str")
_MAX_DEPTH = 6


@dataclass(frozen=True)
class Key:
    """A key of the JSON object: its path, its default (Unknown when none can be read), type and choices.

    ``instead`` is the path that the code, warning about this one, asks for.
    """

    path: Path
    default: Any
    type: str | None = None
    choices: tuple[Any, ...] | None = None
    instead: Path | None = None


def is_config(owner: Class) -> bool:
    """Whether a class is declared as a dataclass and has no constructor of its own."""
    marks = {ast.unparse(mark).partition("(")[0].rpartition(".")[2] for mark in owner.node.decorator_list}
    built = any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in owner.node.body)
    return bool(marks & {"config", "dataclass"}) and not built


def keys_below(owner: Class, reader: Calls, path: Path = (), left_out: frozenset[str] = frozenset()) -> Iterator[Key]:
    """The keys of a config class and of those its fields hold; ``left_out`` are fields no user gives."""
    for field in fields_of(owner, reader) if len(path) < _MAX_DEPTH else []:
        if field.name not in left_out and not field.name.startswith("_") and not _is_derived(field):
            yield from _keys_of(field, reader, (*path, field.name))


def _keys_of(field: Field, reader: Calls, path: Path) -> Iterator[Key]:
    hints = [hint for hint in hints_of(field.annotation, field.scope.module, reader) if hint.kind != "none"]
    default = Unknown() if field.default is None else reader.declared(field.default, field.scope)
    inner = _held(field.annotation, field, reader)
    yield Key(path, {} if inner or isinstance(default, Instance) else default, _type_of(hints), _choices_of(hints))
    if inner is not None:
        yield from keys_below(inner, reader, path)
    elif any(hint.kind == "dict" for hint in hints):
        yield Key((*path, ANY), Unknown())


def _held(annotation: ast.expr, field: Field, reader: Calls) -> Class | None:
    """The config class a field holds, when its type is one."""
    found = reader.value(annotation, field.scope) if isinstance(annotation, ast.Name) else None
    return found if isinstance(found, Class) and is_config(found) else None


def _type_of(hints: list[Hint]) -> str | None:
    kinds = {hint.kind for hint in hints}
    if len(kinds) == 1 and kinds <= set(TYPES):
        return kinds.pop()
    options = {type(option).__name__ for hint in hints for option in hint.options}
    return options.pop() if kinds == {"literal"} and len(options) == 1 else None


def _choices_of(hints: list[Hint]) -> tuple[Any, ...] | None:
    return tuple(option for hint in hints for option in hint.options) or None


def _is_derived(field: Field) -> bool:
    """Whether a field is declared ``field(init=False)``."""
    words = field.default.keywords if isinstance(field.default, ast.Call) else []
    return any(word.arg == "init" and ast.unparse(word.value) == "False" for word in words)
