"""Functions that build a command line -> the arguments they add, read statement by statement.

A condition that cannot be decided is read both ways: arguments of both branches are kept, and a name that the branches
leave with different values is Unknown afterwards.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import Any

from advisor.upstream.calls import Calls
from advisor.upstream.python_code import Function, imports_of
from advisor.upstream.values import Parser, Scope, Undecided, Unknown, same

MAX_DEPTH = 16


@dataclass
class Returned:
    """A block ended by returning a value."""

    value: Any


class Raised:
    """A block ended by raising."""


Ending = Returned | Raised | None


class Statements(Calls):
    """Reads function bodies of one tree's code."""

    def arguments(self, function: Function, *args: Any) -> list[tuple[list[Any], dict[str, Any]]]:
        """Every ``add_argument`` that calling ``function(*args, parser)`` leads to, as its arguments and keywords."""
        parser = Parser()
        self.call(function, [*args, parser], {}, 0)
        return parser.added

    def call(self, function: Function, args: list[Any], kwargs: dict[str, Any], depth: int) -> Any:
        """What a function returns when called; Unknown when that cannot be read."""
        if depth > MAX_DEPTH:
            return Unknown()
        scope = Scope(function.module, dict(function.around), function.owner, depth)
        self._bind_parameters(function.node.args, args, kwargs, scope)
        if isinstance(function.node, ast.Lambda):
            return self.value(function.node.body, scope)
        maybe: list[Any] = []
        ending = self._block(function.node.body, scope, maybe)
        maybe.append(ending.value if isinstance(ending, Returned) else None)
        return maybe[0] if all(same(maybe[0], other) for other in maybe[1:]) else Unknown()

    def _bind_parameters(self, wanted: ast.arguments, args: list[Any], kwargs: dict[str, Any], scope: Scope) -> None:
        names = [*wanted.posonlyargs, *wanted.args]
        defaults = dict(
            zip(
                [parameter.arg for parameter in names][len(names) - len(wanted.defaults) :],
                wanted.defaults,
                strict=True,
            )
        )
        defaults.update({p.arg: d for p, d in zip(wanted.kwonlyargs, wanted.kw_defaults, strict=True) if d is not None})
        for name, default in defaults.items():
            scope.names[name] = self.value(default, Scope(scope.module, depth=scope.depth))
        for parameter in [*names, *wanted.kwonlyargs]:
            scope.names.setdefault(parameter.arg, Unknown())
        scope.names.update(zip([parameter.arg for parameter in names], args, strict=False))
        scope.names.update(kwargs)
        if wanted.vararg:
            scope.names[wanted.vararg.arg] = list(args[len(names) :])

    def _block(self, body: list[ast.stmt], scope: Scope, maybe: list[Any]) -> Ending:
        for statement in body:
            ending = self._statement(statement, scope, maybe)
            if ending is not None:
                return ending
        return None

    def _statement(self, statement: ast.stmt, scope: Scope, maybe: list[Any]) -> Ending:
        if isinstance(statement, ast.Return):
            return Returned(self.value(statement.value, scope))
        if isinstance(statement, ast.Raise):
            return Raised()
        if isinstance(statement, ast.If):
            return self._if(statement, scope, maybe)
        if isinstance(statement, ast.For):
            return self._for(statement, scope, maybe)
        if isinstance(statement, (ast.With, ast.Try)):
            return self._block(statement.body, scope, maybe)
        self._simple(statement, scope)
        return None

    def _simple(self, statement: ast.stmt, scope: Scope) -> None:
        if isinstance(statement, ast.Expr):
            self.value(statement.value, scope)
        elif isinstance(statement, ast.Assign):
            value = self.value(statement.value, scope)
            for target in statement.targets:
                self._assign(target, value, scope)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, self.value(statement.value, scope), scope)
        elif isinstance(statement, ast.AugAssign):
            self._augment(statement, scope)
        elif isinstance(statement, ast.Delete):
            for target in statement.targets:
                self._delete(target, scope)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            scope.names[statement.name] = Function(scope.module, statement, None, scope.names)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            scope.names.update(imports_of(statement, scope.module))

    def _assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        try:
            self.bind(target, value, scope)
        except Undecided:
            return

    def _augment(self, statement: ast.AugAssign, scope: Scope) -> None:
        owner, more = self.value(statement.target, scope), self.value(statement.value, scope)
        grown = isinstance(owner, (list, str, int, float)) and isinstance(more, (list, tuple, str, int, float))
        value = (
            owner + (list(more) if isinstance(owner, list) else more)
            if grown and isinstance(statement.op, ast.Add)
            else Unknown()
        )
        self._assign(statement.target, value, scope)

    def _delete(self, target: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Subscript):
            owner = self.value(target.value, scope)
            if isinstance(owner, dict):
                owner.pop(self.value(target.slice, scope), None)

    def _if(self, statement: ast.If, scope: Scope, maybe: list[Any]) -> Ending:
        try:
            decided = self.truth(statement.test, scope)
        except Undecided:
            return self._both(statement, scope, maybe)
        return self._block(statement.body if decided else statement.orelse, scope, maybe)

    def _both(self, statement: ast.If, scope: Scope, maybe: list[Any]) -> Ending:
        names = [copy.deepcopy(scope.names) for _ in range(2)]
        ends = [
            self._block(body, Scope(scope.module, copied, scope.owner, scope.depth), maybe)
            for body, copied in zip((statement.body, statement.orelse), names, strict=True)
        ]
        if ends[0] is not None and ends[1] is not None:
            maybe.extend(end.value for end in ends if isinstance(end, Returned))
            return ends[0] if isinstance(ends[0], Returned) else ends[1]
        for end, other in ((ends[0], names[1]), (ends[1], names[0])):
            if end is not None:
                maybe.extend([end.value] if isinstance(end, Returned) else [])
                _replace(scope.names, other)
                return None
        _replace(scope.names, _merged(*names))
        return None

    def _for(self, statement: ast.For, scope: Scope, maybe: list[Any]) -> Ending:
        try:
            items = self.iterated(self.value(statement.iter, scope))
        except Undecided:
            return None
        for item in items:
            self._assign(statement.target, item, scope)
            ending = self._block(statement.body, scope, maybe)
            if ending is not None:
                return ending
        return None


def _replace(names: dict[str, Any], other: dict[str, Any]) -> None:
    """Change a dict in place: functions defined nearby look names up in this very one."""
    names.clear()
    names.update(other)


def _merged(first: dict[Any, Any], second: dict[Any, Any]) -> dict[Any, Any]:
    merged: dict[Any, Any] = {}
    for key in [*first, *(key for key in second if key not in first)]:
        one, two = first.get(key, Unknown()), second.get(key, Unknown())
        if isinstance(one, dict) and isinstance(two, dict):
            merged[key] = _merged(one, two)
        else:
            merged[key] = one if same(one, two) else Unknown()
    return merged
