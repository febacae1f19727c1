"""Statements of Python source followed in order: which names hold what, and which variables are set, at each place.

    cmd = ["vllm", "serve"]; cmd += ["m"]; cmd.append("--x")    -> one list of four values
    os.environ["A"] = "1"; os.environ.setdefault("B", "2")      -> variables of what is started after them
    if FAST: …                                                  -> followed where FAST is known, else as a maybe

Function bodies are followed after the module's own statements. Nothing runs.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from advisor.launches.files.around import Around
from advisor.launches.files.python_values import ENVIRON, Known, Made, Scope, Source, Values, dotted
from advisor.launches.syntax import Binding


@dataclass
class Frame:
    """What holds at a statement."""

    scope: Scope = field(default_factory=Scope)
    environment: list[Binding] = field(default_factory=list)
    around: Around = field(default_factory=Around)
    conditions: tuple[str, ...] = ()
    name: str = ""

    def inner(self, **changes: object) -> Frame:
        """For a body whose assignments stay its own."""
        kept = Frame(self.scope.copy(), list(self.environment), replace(self.around), self.conditions, self.name)
        return replace(kept, **changes)  # type: ignore[arg-type]


class Follower:
    """Follows statements; what is called, and what decorates a function, is for those who take it on."""

    def __init__(self, source: Source) -> None:
        self.source, self.values = source, Values(source)
        self.later: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, Frame]] = []

    def calls(self, node: ast.AST, frame: Frame) -> None:
        """Look at every call within."""
        raise NotImplementedError

    def decorated(self, one: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, frame: Frame) -> None:
        """Look at the decorators of a definition whose body has this frame."""
        raise NotImplementedError

    def module(self, tree: ast.Module) -> None:
        """Follow a module, then the functions in it."""
        frame = Frame()
        self.body(tree.body, frame)
        while self.later:
            function, outer = self.later.pop(0)
            inner = outer.inner(name=function.name)
            inner.scope.names = {**frame.scope.names, **inner.scope.names}
            inner.environment = list({id(one): one for one in (*frame.environment, *inner.environment)}.values())
            for argument in (*function.args.args, *function.args.kwonlyargs):
                inner.scope.names.pop(argument.arg, None)
            self.decorated(function, inner)
            self.body(function.body, inner)

    def body(self, body: list[ast.stmt], frame: Frame) -> None:
        for one in body:
            self._statement(one, frame)

    def _statement(self, one: ast.stmt, frame: Frame) -> None:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            self.later.append((one, frame.inner()))
        elif isinstance(one, ast.ClassDef):
            inner = frame.inner(name=one.name)
            self.decorated(one, inner)
            self.body(one.body, inner)
        elif isinstance(one, ast.If):
            self._if(one, frame)
        elif isinstance(one, ast.For | ast.AsyncFor | ast.While):
            self.calls(one.iter if not isinstance(one, ast.While) else one.test, frame)
            if not isinstance(one, ast.While) and isinstance(one.target, ast.Name):
                frame.scope.names.pop(one.target.id, None)
            self._maybe(one.body, frame, f"once per turn of `{self.source.of(one).split(':')[0][:80]}`")
        elif isinstance(one, ast.With | ast.AsyncWith):
            for item in one.items:
                self.calls(item.context_expr, frame)
            self.body(one.body, frame)
        elif isinstance(one, ast.Try):
            for body in (one.body, *(each.body for each in one.handlers), one.orelse, one.finalbody):
                self.body(body, frame)
        else:
            self.calls(one, frame)
            self.bind(one, frame)

    def _if(self, one: ast.If, frame: Frame) -> None:
        self.calls(one.test, frame)
        test = self.values.of(one.test, frame.scope)
        if test.known:
            self.body(one.body if test.plain() else one.orelse, frame)
            return
        said = self.source.of(one.test)[:80]
        self._maybe(one.body, frame, f"only where `{said}` holds")
        self._maybe(one.orelse, frame, f"only where `{said}` does not hold")

    def _maybe(self, body: list[ast.stmt], frame: Frame, said: str) -> None:
        """A body that may not run: what it assigns is not known afterwards, what it adds to a list may be there."""
        inner = frame.inner(conditions=(*frame.conditions, said))
        touched = {one.id for statement in body for one in ast.walk(statement) if isinstance(one, ast.Name)}
        inner.scope.names.update({key: _copied(one) for key, one in frame.scope.names.items() if key in touched})
        self.body(body, inner)
        for key in touched:
            before, one = frame.scope.names.get(key), inner.scope.names.get(key)
            if before is None or (one is not None and _same(before, one)):
                continue
            if one is None:
                frame.scope.names.pop(key)
                continue
            if before is not None and isinstance(before.value, list) and isinstance(one.value, list):
                extra = Known("${added " + said + "}", one.start, one.end, False, open=True)
                frame.scope.names[key] = Known([*before.value, extra], before.start, before.end)
            elif before is not None and isinstance(before.value, dict) and isinstance(one.value, dict):
                frame.scope.names[key] = Known(dict(before.value), before.start, before.end, open=True)
            else:
                frame.scope.names.pop(key, None)

    def bind(self, one: ast.stmt, frame: Frame) -> None:
        names = frame.scope.names
        if isinstance(one, ast.Import | ast.ImportFrom):
            prefix = f"{one.module}." if isinstance(one, ast.ImportFrom) and one.module else ""
            for alias in one.names:
                full = prefix + alias.name if prefix else alias.name if alias.asname else alias.name.partition(".")[0]
                frame.scope.imports[alias.asname or alias.name.partition(".")[0]] = full
        elif isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None:
            value = self.values.of(one.value, frame.scope)
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                self._assign(target, value, one, frame)
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name) and isinstance(one.op, ast.Add):
            self._extend(one.target.id, self.values.of(one.value, frame.scope), frame)
        elif (
            isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute)
        ):
            self._method(one.value, one.value.func, one, frame)
        elif isinstance(one, ast.Delete):
            for target in one.targets:
                names.pop(target.id, None) if isinstance(target, ast.Name) else None

    def _assign(self, target: ast.expr, value: Known, one: ast.stmt, frame: Frame) -> None:
        if isinstance(target, ast.Name):
            if value.known or isinstance(value.value, Made):
                frame.scope.names[target.id] = value
            else:
                frame.scope.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            key = self.values.of(target.slice, frame.scope)
            if dotted(target.value, frame.scope) in ENVIRON:
                self.set(str(key.value), value, one, frame)
                return
            owner = self.values.of(target.value, frame.scope).value
            if isinstance(owner, dict) and key.known:
                value.key = self.source.place(one)[0]
                owner[str(key.value)] = value

    def _extend(self, name: str, value: Known, frame: Frame) -> None:
        before = frame.scope.names.get(name)
        if before is None:
            return
        if isinstance(before.value, list):
            more = value.value if isinstance(value.value, list) else [replace(value, known=False, open=True)]
            frame.scope.names[name] = Known([*before.value, *more], before.start, before.end)
        elif isinstance(before.value, str) and isinstance(value.value, str):
            frame.scope.names[name] = Known(before.value + value.value, known=before.known and value.known)
        else:
            frame.scope.names.pop(name)

    def _method(self, call: ast.Call, function: ast.Attribute, one: ast.stmt, frame: Frame) -> None:
        owner, made = dotted(function.value, frame.scope), self.values.made(call, frame.scope)
        if owner in ENVIRON:
            self._environ(function.attr, made, one, frame)
        elif isinstance(function.value, ast.Name) and function.value.id in frame.scope.names and made.positional:
            held = frame.scope.names[function.value.id]
            if function.attr == "extend":
                self._extend(function.value.id, made.positional[0], frame)
            elif function.attr == "append" and isinstance(held.value, list):
                self._extend(function.value.id, Known([made.positional[0]]), frame)
            elif function.attr == "insert" and isinstance(held.value, list) and len(made.positional) > 1:
                frame.scope.names[function.value.id] = replace(held, value=[*held.value, made.positional[1]])
            elif function.attr == "update" and isinstance(held.value, dict):
                given = made.positional[0].value
                held.value.update(given if isinstance(given, dict) else {})
                held.open |= not isinstance(given, dict)

    def _environ(self, how: str, made: Made, one: ast.stmt, frame: Frame) -> None:
        if how == "setdefault" and len(made.positional) > 1:
            self.set(str(made.positional[0].value), made.positional[1], one, frame)
        elif how == "update":
            told = made.positional[0].value if made.positional else {}
            for name, value in {**(told if isinstance(told, dict) else {}), **made.keywords}.items():
                self.set(name, value, None, frame)
        elif how == "pop" and made.positional:
            frame.environment = [each for each in frame.environment if each.name != made.positional[0].value]

    def set(self, name: str, value: Known, one: ast.stmt | None, frame: Frame) -> None:
        start = self.source.place(one)[0] if one is not None else value.key if value.key >= 0 else value.start
        frame.environment = [each for each in frame.environment if each.name != name]
        frame.environment.append(binding(name, value, start))


def binding(name: str, value: Known, start: int) -> Binding:
    said = value.value if isinstance(value.value, str) else str(value.plain())
    return Binding(name, said, "python", start, value.start, value.end)


def _copied(one: Known) -> Known:
    value = (
        list(one.value)
        if isinstance(one.value, list)
        else dict(one.value)
        if isinstance(one.value, dict)
        else one.value
    )
    return replace(one, value=value)


def _same(one: Known, other: Known) -> bool:
    return type(one.value) is type(other.value) and one.plain() == other.plain()
