"""Calls in parser-building code -> what they give: an argument added, a builtin's value, a function's return.

``hooks`` give the meaning of functions that are known by name, where reading their body would not do.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Any

from advisor.upstream.expressions import Expressions
from advisor.upstream.python_code import Class, Code, External, Function, Reference
from advisor.upstream.values import Choices, Instance, Parser, Scope, Unknown

Hook = Callable[["Calls", list[Any], dict[str, Any]], Any]

_BUILTINS: dict[str, Callable[..., Any]] = {
    "list": list,
    "tuple": tuple,
    "set": lambda *a: list(dict.fromkeys(*a)),
    "frozenset": lambda *a: list(dict.fromkeys(*a)),
    "sorted": sorted,
    "dict": dict,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "len": len,
    "max": max,
    "min": min,
    "sum": sum,
    "abs": abs,
    "range": lambda *a: list(range(*a))[:10_000],
    "enumerate": lambda *a: list(enumerate(*a)),
    "zip": lambda *a: list(zip(*a, strict=False)),
    "reversed": lambda a: list(reversed(a)),
    "any": any,
    "all": all,
}
_EXTERNAL: dict[str, Callable[..., Any]] = {
    "itertools.permutations": lambda *a, **k: list(itertools.permutations(*a, **k))[:1000],
    "itertools.chain": lambda *a: list(itertools.chain(*a)),
    "copy.deepcopy": lambda a: a,
    "typing.cast": lambda _, value: value,
    "sys.modules.get": lambda *_: None,
}
_PLAIN = (str, list, tuple, dict, int, float)
# Methods of plain values that are read; a set is kept as a list.
# fmt: off
_PLAIN_METHODS = frozenset({
    "lower", "upper", "replace", "strip", "lstrip", "rstrip", "split", "join", "format", "startswith",
    "endswith", "title", "capitalize", "removeprefix", "removesuffix", "keys", "values", "items", "get",
    "append", "extend", "insert", "update", "pop", "remove", "setdefault", "copy", "add", "union",
    "index", "count",
})
# fmt: on


class Calls(Expressions):
    """Reads calls. ``opposites`` are spelling prefixes that an on/off flag also negates by, such as --enable-."""

    def __init__(self, code: Code, hooks: dict[str, Hook] | None = None) -> None:
        super().__init__(code)
        self.hooks = hooks or {}
        self.opposites: dict[str, str] = {}

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value, scope)
            if isinstance(owner, Parser):
                return self._parser_call(owner, node.func.attr, node, scope)
            if isinstance(owner, _PLAIN) and node.func.attr in _PLAIN_METHODS:
                return self._plain_call(owner, node, scope)
            if self._is_super(node.func.value) and scope.owner:
                callee = self._above(scope, node.func.attr)
            else:
                callee = self.attribute(owner, node.func.attr)
        else:
            callee = self.value(node.func, scope)
        args, kwargs = self.items(node.args, scope), self._keywords(node, scope)
        return self.called(callee, args, kwargs, scope)

    def called(self, callee: Any, args: list[Any], kwargs: dict[str, Any], scope: Scope) -> Any:
        """The value of a call, once what is called and its arguments are known."""
        name = callee.path.rpartition(".")[2] if isinstance(callee, External) else getattr(callee, "name", "")
        if name in self.hooks:
            return self.hooks[name](self, args, kwargs)
        if isinstance(callee, Class):
            return Parser() if name.endswith("ArgumentParser") else Instance(callee, kwargs)
        if isinstance(callee, Function):
            bound = [callee.owner, *args] if is_classmethod(callee) else args
            return self.call(callee, bound, kwargs, scope.depth + 1)
        if isinstance(callee, External):
            return self._external_call(callee.path, args, kwargs)
        return Unknown()

    def _external_call(self, path: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if path.endswith("ArgumentParser"):
            return Parser()
        if path.endswith(".get_args") and isinstance(args[0], Choices):
            return args[0].options
        if path in ("os.getenv", "os.environ.get"):
            return self.environment.get(args[0], args[1] if len(args) > 1 else kwargs.get("default"))
        if path == "builtins.getattr":
            return self.attribute(args[0], args[1])
        known = _BUILTINS.get(path.removeprefix("builtins.")) or _EXTERNAL.get(path)
        if known is None:
            return Unknown()
        args = [self.members(arg) if isinstance(arg, Class) and self.is_enum(arg) else arg for arg in args]
        if any(isinstance(arg, Reference) for arg in args) and path not in (
            "copy.deepcopy",
            "typing.cast",
            "os.getenv",
        ):
            return Unknown()
        return known(*args, **{key: value for key, value in kwargs.items() if not isinstance(value, Reference)})

    def _parser_call(self, parser: Parser, method: str, node: ast.Call, scope: Scope) -> Any:
        if method == "add_argument":
            parser.added.append((self.items(node.args, scope), self._keywords(node, scope)))
            return Unknown()
        return parser if method.startswith("add_") else Unknown()

    def _plain_call(self, owner: Any, node: ast.Call, scope: Scope) -> Any:
        args, kwargs = self.items(node.args, scope), self._keywords(node, scope)
        assert isinstance(node.func, ast.Attribute)
        method = node.func.attr
        if method == "add" and isinstance(owner, list):  # a set, kept as a list
            return owner.append(args[0]) if args[0] not in owner else None
        found = getattr(owner, method)(*args, **kwargs)
        return list(found) if method in ("keys", "values", "items") else found

    def _keywords(self, node: ast.Call, scope: Scope) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                given[keyword.arg] = value
            elif isinstance(value, dict):
                given.update(value)
            else:
                given["**"] = Unknown()
        return given

    @staticmethod
    def _is_super(node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"

    def _above(self, scope: Scope, name: str) -> Any:
        assert scope.owner is not None
        defining = scope.names.get("__class__", scope.owner)
        for base in self.bases(defining):
            if isinstance(base, Class):
                found = self.class_attribute(base, name)
                if isinstance(found, Function):
                    return Function(found.module, found.node, scope.owner)
        return Unknown()


def is_classmethod(function: Function) -> bool:
    """Whether a function takes its class as its first argument."""
    marks = getattr(function.node, "decorator_list", [])
    return function.owner is not None and any(isinstance(mark, ast.Name) and mark.id == "classmethod" for mark in marks)
