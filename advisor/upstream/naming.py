"""Names in a release's source -> what they stand for: across imports, through class bodies, bases and enums."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from advisor.upstream.python_code import Class, Code, External, Function, Imported, Module
from advisor.upstream.values import Instance, Member, Scope, Undecided, Unknown

_CONSTANTS = {"ssl.CERT_NONE": 0, "ssl.CERT_OPTIONAL": 1, "ssl.CERT_REQUIRED": 2, "sys.maxsize": 2**63 - 1}
_MAX_BASES = 12


class Naming:
    """Follows names and attributes in one tree's code; the classes built on it say what expressions and calls give."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.environment: dict[str, str] = {}  # what os.environ is taken to hold
        self._reading: set[int] = set()

    def value(self, node: ast.AST | None, scope: Scope) -> Any:
        """The value of an expression."""
        raise NotImplementedError

    def call(self, function: Function, args: list[Any], kwargs: dict[str, Any], depth: int) -> Any:
        """The value a call returns."""
        raise NotImplementedError

    def named(self, module: Module, name: str) -> Any:
        """What a module-level name stands for; None when nothing in the release binds it."""
        found = self.code.lookup(module.dotted, name)
        if not isinstance(found, tuple):
            return found
        where, node = found
        if id(node) in self._reading:
            return Unknown()
        self._reading.add(id(node))
        try:
            return self.value(node, Scope(where))
        finally:
            self._reading.discard(id(node))

    def imported(self, bound: Imported) -> Any:
        """What a name stands for that an import inside a function bound."""
        module = self.code.module(bound.module)
        if module is None:
            return External(f"{bound.module}.{bound.name}" if bound.name else bound.module)
        return self.attribute(module, bound.name) if bound.name else module

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
            return self.class_attribute(owner, name)
        if isinstance(owner, Member):
            return {"name": owner.name, "value": owner.value}.get(name, Unknown())
        if isinstance(owner, Instance):
            return owner.arguments.get(name, Unknown())
        return Unknown()

    def class_attribute(self, owner: Class, name: str) -> Any:
        """An enum's member, a method, or the default a class body or one of its bases declares."""
        if name == "__name__":
            return owner.name
        if self.is_enum(owner):
            members = {member.name: member for member in self.members(owner)}
            if name in members or name == "__members__":
                return members.get(name, members)
        for cls in self.lineage(owner):
            for statement in reversed(cls.node.body):
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name:
                    return Function(cls.module, statement, owner)
                value = _assigned(statement, name)
                if value is not None:
                    return self.declared(value, Scope(cls.module, owner=cls))
        return Unknown()

    def bases(self, owner: Class) -> list[Any]:
        """The classes a class derives from, as far as they can be named."""
        return [self.value(base, Scope(owner.module)) for base in owner.node.bases]

    def lineage(self, owner: Class, depth: int = 0) -> Iterator[Class]:
        """A class and those of its bases that the release defines, nearest first."""
        yield owner
        for base in self.bases(owner) if depth < _MAX_BASES else []:
            if isinstance(base, Class):
                yield from self.lineage(base, depth + 1)

    def is_enum(self, owner: Class) -> bool:
        """Whether a class is an enum."""
        ends = [base.path for cls in self.lineage(owner) for base in self.bases(cls) if isinstance(base, External)]
        return any(path.startswith("enum.") or path.endswith(("Enum", "Flag")) for path in ends)

    def members(self, owner: Class) -> list[Member]:
        """The members of an enum, in order; ``auto()`` gives the lower-cased name, as in a StrEnum."""
        found = []
        for statement in owner.node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                value = self.value(statement.value, Scope(owner.module))
                found.append(Member(owner, name, name.lower() if isinstance(value, Unknown) else value))
        return [member for member in found if not member.name.startswith("_")]

    def declared(self, node: ast.expr, scope: Scope) -> Any:
        """The default a class-body value declares: a plain value, or what ``field(default_factory=...)`` makes."""
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
        if isinstance(factory, External) and factory.path in ("builtins.list", "builtins.set", "builtins.tuple"):
            return []
        return {} if factory == External("builtins.dict") else Unknown()

    def iterated(self, value: Any) -> list[Any]:
        """The items a loop would see; raises Undecided when they cannot be read."""
        if isinstance(value, Class) and self.is_enum(value):
            return list(self.members(value))
        if isinstance(value, (list, tuple, dict, str)):
            return list(value)
        raise Undecided


def body_names(owner: Class) -> set[str]:
    """Plain names a class body assigns: later values in the body may use them."""
    assigned = [statement.targets for statement in owner.node.body if isinstance(statement, ast.Assign)]
    return {target.id for targets in assigned for target in targets if isinstance(target, ast.Name)}


def _assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    """The value a statement gives to ``name``."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return None
    return statement.value if any(isinstance(target, ast.Name) and target.id == name for target in targets) else None
