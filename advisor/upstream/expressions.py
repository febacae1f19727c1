"""Expressions of parser-building code -> the value each has in a fresh process with an empty environment, or Unknown.

This is a reader, not an interpreter: it knows literals, names followed across the release's own files, class defaults,
enums, and the few builtins that command-line definitions use. Whatever else it meets is ``Unknown`` and stays Unknown
in everything computed from it, so a default that depends on the machine is never given a value here.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from advisor.upstream.python_code import Class, Code, External, Function, Imported, Module, Reference, imports_of


@dataclass(eq=False)
class Unknown(Reference):
    """A value that only a running process has; ``variable`` names the environment variable it follows, when that is known."""

    variable: str | None = None

    def __bool__(self) -> bool:
        raise Undecided


class Undecided(Exception):
    """A condition hangs on something Unknown."""


@dataclass(eq=False)
class Member(Reference):
    """A member of an enum."""

    owner: Class
    name: str
    value: Any

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Member):
            return other.owner == self.owner and other.name == self.name
        return isinstance(self.value, str) and other == self.value

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(eq=False)
class Choices(Reference):
    """A ``Literal[...]`` with its options."""

    options: tuple[Any, ...]


@dataclass(eq=False)
class Instance(Reference):
    """An object of one of the release's classes, as built with these arguments."""

    of: Class
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Parser(Reference):
    """A command-line parser or one of its groups; every argument added to any of them lands in one list."""

    added: list[tuple[list[Any], dict[str, Any]]] = field(default_factory=list)


@dataclass
class Scope:
    """Names at hand while reading an expression."""

    module: Module
    names: dict[str, Any] = field(default_factory=dict)
    owner: Class | None = None
    depth: int = 0


Hook = Callable[["Expressions", list[Any], dict[str, Any]], Any]

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
    "os.getenv": lambda _, default=None: default,
    "os.environ.get": lambda _, default=None: default,
    "sys.modules.get": lambda *_: None,
}
_CONSTANTS = {"ssl.CERT_NONE": 0, "ssl.CERT_OPTIONAL": 1, "ssl.CERT_REQUIRED": 2, "sys.maxsize": 2**63 - 1}
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda a, b: a**b if abs(b) < 128 else Unknown(),
    ast.LShift: lambda a, b: a << b if b < 128 else Unknown(),
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b or (isinstance(a, (External, Class)) and a == b),
    ast.IsNot: lambda a, b: not (a is b or (isinstance(a, (External, Class)) and a == b)),
}
_PLAIN = (str, list, tuple, dict, int, float)
_PLAIN_METHODS = frozenset(
    ["lower", "upper", "replace", "strip", "lstrip", "rstrip", "split", "join", "format", "startswith", "endswith", "title", "capitalize", "removeprefix", "removesuffix", "keys", "values", "items", "get", "append", "extend", "insert", "update", "pop", "remove", "setdefault", "copy", "add", "union", "index", "count"]
)


class Expressions:
    """Reads expressions of one tree's code. ``hooks`` give the meaning of functions that are known by name."""

    def __init__(self, code: Code, hooks: dict[str, Hook] | None = None) -> None:
        self.code = code
        self.hooks = hooks or {}
        self._reading: set[int] = set()

    def call(self, function: Function, args: list[Any], kwargs: dict[str, Any], depth: int) -> Any:
        """The value a call returns; reading function bodies is the business of the class below."""
        raise NotImplementedError

    def value(self, node: ast.AST | None, scope: Scope) -> Any:
        """The value of an expression, Unknown when it cannot be read."""
        if node is None:
            return None
        read = getattr(self, f"_{type(node).__name__.lower()}", None)
        if read is None:
            return Unknown()
        try:
            return read(node, scope)
        except (
            Undecided,
            TypeError,
            ValueError,
            KeyError,
            IndexError,
            AttributeError,
            ZeroDivisionError,
            OverflowError,
        ):
            return Unknown()

    def truth(self, node: ast.expr, scope: Scope) -> bool:
        """The truth of a condition; raises Undecided when it cannot be read."""
        return decided(self.value(node, scope))

    def named(self, module: Module, name: str) -> Any:
        """What a module-level name stands for."""
        found = self.code.lookup(module.dotted, name)
        if isinstance(found, tuple):
            where, node = found
            if id(node) in self._reading:
                return Unknown()
            self._reading.add(id(node))
            try:
                return self.value(node, Scope(where))
            finally:
                self._reading.discard(id(node))
        return found

    def attribute(self, owner: Any, name: str) -> Any:
        """``owner.name`` for the kinds of owner that definitions use."""
        if isinstance(owner, Module):
            found = self.named(owner, name)
            follows = owner.dotted.endswith("envs") and name.isupper()
            return (Unknown(name) if follows else Unknown()) if found is None else found
        if isinstance(owner, External):
            path = f"{owner.path}.{name}"
            return _CONSTANTS.get(path, External(path))
        if isinstance(owner, Class):
            return self._class_attribute(owner, name)
        if isinstance(owner, Member):
            return {"name": owner.name, "value": owner.value}.get(name, Unknown())
        if isinstance(owner, Instance):
            return owner.arguments.get(name, Unknown())
        return Unknown()

    def bases(self, owner: Class) -> list[Any]:
        """The classes a class derives from, as far as they can be named."""
        return [self.value(base, Scope(owner.module)) for base in owner.node.bases]

    def lineage(self, owner: Class, depth: int = 0) -> Iterator[Class]:
        """A class and those of its bases that the release defines, nearest first."""
        yield owner
        for base in self.bases(owner) if depth < 12 else []:
            if isinstance(base, Class):
                yield from self.lineage(base, depth + 1)

    def is_enum(self, owner: Class) -> bool:
        """Whether a class is an enum."""
        ends = [base.path for cls in self.lineage(owner) for base in self.bases(cls) if isinstance(base, External)]
        return any(path.startswith("enum.") or path.endswith(("Enum", "Flag")) for path in ends)

    def members(self, owner: Class) -> list[Member]:
        """The members of an enum, in order."""
        found = []
        for statement in owner.node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                value = self.value(statement.value, Scope(owner.module))
                found.append(Member(owner, name, name.lower() if isinstance(value, Unknown) else value))
        return [member for member in found if not member.name.startswith("_")]

    def _class_attribute(self, owner: Class, name: str) -> Any:
        if self.is_enum(owner):
            if name == "__members__":
                return {member.name: member for member in self.members(owner)}
            for member in self.members(owner):
                if member.name == name:
                    return member
        if name == "__name__":
            return owner.name
        for cls in self.lineage(owner):
            for statement in reversed(cls.node.body):
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name:
                    return Function(cls.module, statement, owner)
                targets = (
                    statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
                )
                if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                    if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                        return self.declared(statement.value, Scope(cls.module, owner=cls))
        return Unknown()

    def declared(self, node: ast.expr, scope: Scope) -> Any:
        """The default a class-body value declares: a plain value, or what ``field(default=..., default_factory=...)`` holds."""
        name = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or name not in ("field", "Field"):
            return self.value(node, scope)
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if "default_factory" in given:
            return self._made(self.value(given["default_factory"], scope), scope)
        if "default" in given:
            return self.value(given["default"], scope)
        return self.value(node.args[0], scope) if node.args and name == "Field" else Unknown()

    def _made(self, factory: Any, scope: Scope) -> Any:
        if isinstance(factory, Class):
            return Instance(factory)
        if isinstance(factory, Function):
            return self.call(factory, [], {}, scope.depth + 1)
        if isinstance(factory, External) and factory.path.removeprefix("builtins.") in ("list", "dict", "set", "tuple"):
            return {} if factory.path.endswith("dict") else []
        return Unknown()

    def iterated(self, value: Any) -> list[Any]:
        """The items a loop would see; raises Undecided when they cannot be read."""
        if isinstance(value, Class) and self.is_enum(value):
            return list(self.members(value))
        if isinstance(value, (list, tuple, dict, str)):
            return list(value)
        raise Undecided

    # One method per kind of expression, named after its ast class.

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        if node.id in scope.names:
            bound = scope.names[node.id]
            return self._followed(bound) if isinstance(bound, Imported) else bound
        found = self.named(scope.module, node.id)
        if found is not None:
            return found
        if node.id in scope.module.bindings:
            return None if isinstance(scope.module.bindings[node.id], ast.expr) else Unknown()
        return External(f"builtins.{node.id}")

    def _followed(self, bound: Imported) -> Any:
        if not bound.name:
            return self.code.module(bound.module) or External(bound.module)
        module = self.code.module(bound.module)
        if module is None:
            return External(f"{bound.module}.{bound.name}")
        found = self.named(module, bound.name)
        return Unknown() if found is None and bound.name not in module.bindings else found

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        return self.attribute(self.value(node.value, scope), node.attr)

    def _list(self, node: ast.List, scope: Scope) -> Any:
        return self._items(node.elts, scope)

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._items(node.elts, scope))

    def _set(self, node: ast.Set, scope: Scope) -> Any:
        return list(dict.fromkeys(self._items(node.elts, scope)))

    def _items(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items.extend(self.iterated(self.value(node.value, scope)))
            else:
                items.append(self.value(node, scope))
        return items

    def _dict(self, node: ast.Dict, scope: Scope) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.value(value, scope))
            else:
                made[self.value(key, scope)] = self.value(value, scope)
        return made

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown()
        return _OPERATORS[type(node.op)](left, right)

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        value: Any = None
        for part in node.values:
            value = self.value(part, scope)
            if decided(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        if isinstance(node.op, ast.Not):
            return not self.truth(node.operand, scope)
        value = self.value(node.operand, scope)
        return -value if isinstance(node.op, ast.USub) else Unknown()

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        left = self.value(node.left, scope)
        for sign, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, scope)
            if isinstance(right, External) and right.path == "os.environ" and isinstance(sign, (ast.In, ast.NotIn)):
                right = []
            if (
                isinstance(left, Unknown)
                or isinstance(right, Unknown)
                or isinstance(left, External) is not isinstance(right, External)
            ):
                return Unknown()
            if not _OPERATORS[type(sign)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.value(node.body if self.truth(node.test, scope) else node.orelse, scope)

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts = [
            self.value(part.value if isinstance(part, ast.FormattedValue) else part, scope) for part in node.values
        ]
        return Unknown() if any(isinstance(part, Reference) for part in parts) else "".join(map(str, parts))

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return Function(scope.module, node, scope.owner, scope.names)

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope) -> Any:
        scope.names[node.target.id] = self.value(node.value, scope)
        return scope.names[node.target.id]

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        owner = self.value(node.value, scope)
        if isinstance(owner, External) and owner.path.endswith(".Literal"):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            read = [self.value(part, scope) for part in parts]
            return Choices(
                tuple(itertools.chain.from_iterable(r.options if isinstance(r, Choices) else (r,) for r in read))
            )
        if isinstance(node.slice, ast.Slice):
            low, high = (self.value(end, scope) for end in (node.slice.lower, node.slice.upper))
            return owner[low:high]
        key = self.value(node.slice, scope)
        if isinstance(owner, Class) and self.is_enum(owner):
            return self.attribute(owner, key)
        return owner[key] if isinstance(owner, (list, tuple, dict, str)) else Unknown()

    def _listcomp(self, node: ast.ListComp, scope: Scope) -> Any:
        return list(self._generated(node.elt, node.generators, scope))

    _setcomp = _generatorexp = _listcomp

    def _dictcomp(self, node: ast.DictComp, scope: Scope) -> Any:
        return dict(self._generated(ast.Tuple([node.key, node.value], ast.Load()), node.generators, scope))

    def _generated(self, made: ast.expr, generators: list[ast.comprehension], scope: Scope) -> Iterator[Any]:
        first, rest = generators[0], generators[1:]
        for item in self.iterated(self.value(first.iter, scope)):
            inner = Scope(scope.module, dict(scope.names), scope.owner, scope.depth)
            self.bind(first.target, item, inner)
            if all(self.truth(test, inner) for test in first.ifs):
                if rest:
                    yield from self._generated(made, rest, inner)
                else:
                    yield self.value(made, inner)

    def bind(self, target: ast.AST, value: Any, scope: Scope) -> None:
        """Assign to a name, a tuple of names, or an item of a dict or list."""
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = self.iterated(value) if not isinstance(value, Unknown) else [Unknown()] * len(target.elts)
            for part, item in zip(target.elts, parts, strict=False):
                self.bind(part, item, scope)
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value, scope)
            if isinstance(owner, (dict, list)):
                owner[self.value(target.slice, scope)] = value

    # Calls.

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
        args, kwargs = self._items(node.args, scope), self._keywords(node, scope)
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
            parser.added.append((self._items(node.args, scope), self._keywords(node, scope)))
            return Unknown()
        return parser if method.startswith("add_") else Unknown()

    def _plain_call(self, owner: Any, node: ast.Call, scope: Scope) -> Any:
        args, kwargs = self._items(node.args, scope), self._keywords(node, scope)
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
                found = self._class_attribute(base, name)
                if isinstance(found, Function):
                    return Function(found.module, found.node, scope.owner)
        return Unknown()


def decided(value: Any) -> bool:
    """The truth of a value; raises Undecided for one that only a running process has."""
    if isinstance(value, (Unknown, External)):
        raise Undecided
    return True if isinstance(value, Reference) else bool(value)


def is_classmethod(function: Function) -> bool:
    """Whether a function takes its class as its first argument."""
    marks = getattr(function.node, "decorator_list", [])
    return function.owner is not None and any(isinstance(mark, ast.Name) and mark.id == "classmethod" for mark in marks)


def local_imports(statement: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    """Bind what an import inside a function binds."""
    for name, bound in imports_of(statement, scope.module):
        scope.names[name] = bound
