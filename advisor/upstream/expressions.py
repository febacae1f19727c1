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
from typing import Any

from advisor.upstream.naming import Naming, body_names
from advisor.upstream.python_code import Class, External, Function, Imported, Reference
from advisor.upstream.values import Choices, Scope, Undecided, Unknown, decided

_FAILURES = (Undecided, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
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


class Expressions(Naming):
    """Reads expressions of one tree's code."""

    def value(self, node: ast.AST | None, scope: Scope) -> Any:
        """The value of an expression, Unknown when it cannot be read."""
        if node is None:
            return None
        read = getattr(self, f"_{type(node).__name__.lower()}", None)
        if read is None:
            return Unknown()
        try:
            return read(node, scope)
        except _FAILURES:
            return Unknown()

    def truth(self, node: ast.expr, scope: Scope) -> bool:
        """The truth of a condition; raises Undecided when it cannot be read."""
        return decided(self.value(node, scope))

    # One method per kind of expression, named after its ast class.

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        if node.id in scope.names:
            bound = scope.names[node.id]
            return self.imported(bound) if isinstance(bound, Imported) else bound
        if scope.owner is not None and not scope.names and node.id in body_names(scope.owner):
            return self.class_attribute(scope.owner, node.id)
        found = self.named(scope.module, node.id)
        if found is not None:
            return found
        if node.id in scope.module.bindings:
            return None if isinstance(scope.module.bindings[node.id], ast.expr) else Unknown()
        return External(f"builtins.{node.id}")

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        return self.attribute(self.value(node.value, scope), node.attr)

    def _list(self, node: ast.List, scope: Scope) -> Any:
        return self.items(node.elts, scope)

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self.items(node.elts, scope))

    def _set(self, node: ast.Set, scope: Scope) -> Any:
        return list(dict.fromkeys(self.items(node.elts, scope)))

    def items(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        """The values of several expressions, starred ones spread out."""
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
                right = self.environment
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
        if owner == External("os.environ"):
            return self.environment[key]
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
