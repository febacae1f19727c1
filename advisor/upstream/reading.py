"""Code that takes options out of a JSON object -> the keys it reads, with type and default.

    config = vllm_config.additional_config or {}
    self.eplb = EplbConfig(config.get("eplb_config", {}))       # eplb_config, and what EplbConfig reads of it
    self.interval = int(config.get("interval", 400))            # interval, an int, 400
    self.mode = self._get_config_value(config, "mode", "VLLM_ASCEND_MODE", envs.VLLM_ASCEND_MODE)

Objects are followed by name through assignments, calls, and constructors that spread them (``Config(**object)``), fill
a ``_defaults`` of their class, or copy every key. What is only written, or read under a computed key, is not a key.

Source: https://github.com/vllm-project/vllm-ascend/blob/v0.25.1rc1/vllm_ascend/ascend_config.py
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field, replace
from typing import Any

from advisor.upstream.arguments import plain_value
from advisor.upstream.call_shapes import bound_by, looked_up, text_in, warns
from advisor.upstream.config_keys import ANY, TYPES, Key, Path, is_config, keys_below
from advisor.upstream.python_code import Class, Function, imports_of
from advisor.upstream.statements import Statements
from advisor.upstream.values import Scope, Unknown, same

_MAX_DEPTH = 8


@dataclass
class Reading:
    """Collects the keys that functions read of ``additional_config``."""

    reader: Statements
    found: dict[Path, list[Key]] = field(default_factory=dict)
    places: list[list[Path]] = field(default_factory=list)  # where one and the same thing may be given
    moved: dict[Path, Path] = field(default_factory=dict)  # a place the code warns about -> the one it asks for
    _done: set[tuple[int, str]] = field(default_factory=set)

    def keys(self) -> dict[Path, Key]:
        """Every key once; a default is Unknown where two reads give different ones."""
        return {path: _merged(keys) for path, keys in self.found.items()}

    def note(self, path: Path, default: Any, type_name: str | None = None) -> None:
        """A key was read."""
        self.found.setdefault(path, []).append(Key(path, default, type_name))

    def mirrored(self, keys: dict[Path, Key]) -> dict[Path, Key]:
        """The keys of each object again in the other places that it may be given in."""
        found = dict(keys)
        for places in self.places:
            for one, other in itertools.permutations(places, 2):
                below = {path[len(one) :]: key for path, key in keys.items() if path[: len(one)] == one}
                for rest, key in below.items():
                    found.setdefault((*other, *rest), replace(key, path=(*other, *rest)))
        for old, new in self.moved.items():
            for path in [path for path in found if path[: len(old)] == old]:
                found[path] = replace(found[path], instead=(*new, *path[len(old) :]))
        return found

    def build(self, owner: Class, given: dict[str, Any], depth: int = 0) -> None:
        """Read a class's constructor; ``given`` holds its arguments by parameter, objects as their Path."""
        initialiser = self.reader.class_attribute(owner, "__init__")
        paths = [value for value in given.values() if isinstance(value, tuple)]
        defaults = self.reader.class_attribute(owner, "_defaults")
        if paths and isinstance(defaults, dict):
            for name, value in defaults.items():
                self.note((*paths[0], str(name)), value)
        if isinstance(initialiser, Function):
            self.follow(initialiser, given, depth, is_open=not isinstance(defaults, dict))

    def follow(self, function: Function, given: dict[str, Any], depth: int = 0, is_open: bool = True) -> None:
        """Read a function's body with some of its parameters known."""
        objects = {name: value for name, value in given.items() if isinstance(value, tuple)}
        mark = (id(function.node), repr(sorted(objects.items())))
        if mark not in self._done and depth < _MAX_DEPTH and not isinstance(function.node, ast.Lambda):
            self._done.add(mark)
            names = {name: value for name, value in given.items() if value is not None and name not in objects}
            scope = Scope(function.module, {"self": function.owner, "cls": function.owner, **names}, function.owner)
            body = _Body(self, scope, objects, depth, is_open)
            for statement in function.node.body:
                body.visit(statement)


def _merged(keys: list[Key]) -> Key:
    """One key of several reads; a read that gives no default says nothing against one that does."""
    telling = [key for key in keys if not isinstance(key.default, Unknown) or key.default.variable] or keys
    types = [key.type for key in keys if key.type]
    one = telling[0].default
    alike = all(_same_default(one, key.default) for key in telling)
    return Key(keys[0].path, one if alike else Unknown(), types[0] if types else None)


def _same_default(one: Any, two: Any) -> bool:
    if isinstance(one, Unknown) and isinstance(two, Unknown):
        return one.variable == two.variable
    return same(plain_value(one), plain_value(two))


class _Body(ast.NodeVisitor):
    """Walks one function body in order."""

    def __init__(self, reading: Reading, scope: Scope, objects: dict[str, Path], depth: int, is_open: bool) -> None:
        self.reading, self.scope, self.depth, self.is_open = reading, scope, depth, is_open
        self.objects = dict(objects)
        self.types: dict[int, str] = {}  # by id of the call whose value is converted or annotated
        self.closures: set[ast.AST] = set()

    def path(self, node: ast.AST) -> Path | None:
        """The path of the object an expression stands for; None when it is no part of the configuration."""
        if isinstance(node, ast.Attribute) and node.attr == "additional_config":
            return ()
        if isinstance(node, ast.Name | ast.Attribute):
            return self.objects.get(ast.unparse(node))
        if isinstance(node, ast.IfExp):
            return self._first([node.body, node.orelse])
        if isinstance(node, ast.BoolOp):
            return self._first(node.values)
        if isinstance(node, ast.NamedExpr):
            return self.path(node.value)
        if isinstance(node, ast.Subscript):
            return self._below(node.value, node.slice)
        return self._called_path(node) if isinstance(node, ast.Call) else None

    def _first(self, nodes: list[ast.expr]) -> Path | None:
        return next((path for path in map(self.path, nodes) if path is not None), None)

    def _below(self, owner: ast.AST, key: ast.AST) -> Path | None:
        path, name = self.path(owner), text_in(key)
        return (*path, name) if path is not None and name is not None else None

    def _called_path(self, node: ast.Call) -> Path | None:
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            return () if text_in(node.args[1]) == "additional_config" else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "setdefault") and node.args:
            return self._below(node.func.value, node.args[0])
        chosen = self._chosen(node)
        return chosen[0][0] if chosen else None

    def _chosen(self, node: ast.Call) -> tuple[list[Path], Any] | None:
        """The places and the default of ``_get_config_value(object, …, config_key, …, default)`` or a like closure."""
        called = self._value(node.func)
        if not isinstance(called, Function) or isinstance(called.node, ast.Lambda):
            return None
        given = bound_by(called, node)
        key = text_in(given.get("config_key"))
        objects = {**self.objects} if called.node in self.closures else {}
        objects.update({name: path for name, each in given.items() if (path := self.path(each)) is not None})
        places = dict.fromkeys(objects[name] for name in looked_up(called.node) if name in objects)
        if not places or key is None:
            return None
        return [(*path, key) for path in places], self._value(given.get("env_value", given.get("default")))

    def _value(self, node: ast.AST | None) -> Any:
        return Unknown() if node is None else self.reading.reader.value(node, self.scope)

    def visit_Import(self, node: ast.Import) -> None:
        """Names bound by an import inside the function."""
        self.scope.names.update(imports_of(node, self.scope.module))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """The same."""
        self.scope.names.update(imports_of(node, self.scope.module))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function defined inside, which sees the names around it."""
        self.closures.add(node)
        self.scope.names[node.name] = Function(self.scope.module, node, None, self.scope.names)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """A name given to an object."""
        self.visit(node.value)
        path = self.path(node.value)
        for target in node.targets:
            self.objects.update({ast.unparse(target): path} if path is not None else {})

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The same; ``self.enabled: bool = …`` also says the type."""
        if node.value is not None:
            if isinstance(node.annotation, ast.Name) and node.annotation.id in TYPES:
                self.types[id(node.value)] = node.annotation.id
            self.visit_Assign(ast.Assign([node.target], node.value))

    def visit_For(self, node: ast.For) -> None:
        """A loop over every item of an object copies keys this code does not name."""
        called = node.iter.func if isinstance(node.iter, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "items" and self.is_open:
            path = self.path(called.value)
            if path:
                self.reading.note((*path, ANY), Unknown())
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """``"key" in object``."""
        if isinstance(node.ops[0], ast.In):
            path = self._below(node.comparators[0], node.left)
            if path:
                self.reading.note(path, Unknown())
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """``object["key"]``, when it is read."""
        path = self.path(node)
        if path and isinstance(node.ctx, ast.Load):
            self.reading.note(path, Unknown())
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """``object.get("key", default)``, or an object handed on."""
        if isinstance(node.func, ast.Name) and node.func.id in TYPES and node.args:
            self.types[id(node.args[0])] = node.func.id
        chosen = self._chosen(node)
        if chosen:
            self.reading.places.append(chosen[0])
            if warns(self._value(node.func)):
                self.reading.moved.update(dict.fromkeys(chosen[0][1:], chosen[0][0]))
            for place in chosen[0]:
                self.reading.note(place, chosen[1], self.types.get(id(node)))
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            path = self._called_path(node)
            if path:
                default = self._value(node.args[1]) if len(node.args) > 1 else None
                self.reading.note(path, default, self.types.get(id(node)))
        else:
            self._hand_on(node)
        self.generic_visit(node)

    def _hand_on(self, node: ast.Call) -> None:
        """Follow a call that is given an object."""
        handed = [*node.args, *(word.value for word in node.keywords)]
        if all(self.path(each) is None for each in handed):
            return
        called = self._value(node.func)
        spread = next((self.path(word.value) for word in node.keywords if word.arg is None), None)
        target = self.reading.reader.class_attribute(called, "__init__") if isinstance(called, Class) else called
        if isinstance(target, Function):
            self._follow(called, target, node, spread)
        elif isinstance(called, Class) and is_config(called) and spread is not None:
            for key in keys_below(called, self.reading.reader, spread):
                self.reading.note(key.path, key.default, key.type)

    def _follow(self, called: Class | Function, target: Function, node: ast.Call, spread: Path | None) -> None:
        bound = bound_by(target, node, isinstance(called, Class))
        plain = {name: self._value(each) for name, each in bound.items() if self.path(each) is None}
        plain = {name: value for name, value in plain.items() if not isinstance(value, tuple)}
        objects = {name: self._places(each) for name, each in bound.items() if self.path(each) is not None}
        if spread is not None:
            self._spread(target, spread)
            kwarg = target.node.args.kwarg
            objects.update({kwarg.arg: [spread]} if kwarg else {})
        for places in itertools.product(*objects.values()):
            given = {**plain, **dict(zip(objects, places, strict=True))}
            if isinstance(called, Class):
                self.reading.build(called, given, self.depth + 1)
            else:
                self.reading.follow(target, given, self.depth + 1)

    def _places(self, node: ast.expr) -> list[Path]:
        """Every place an object may be taken from; more than one when it moved and its old place is still read."""
        chosen = self._chosen(node) if isinstance(node, ast.Call) else None
        path = self.path(node)
        return chosen[0] if chosen else [path] if path is not None else []

    def _spread(self, target: Function, path: Path) -> None:
        """The parameters of a function called with ``**object`` are its keys."""
        wanted = target.node.args
        named = [each for each in (*wanted.args, *wanted.kwonlyargs) if each.arg not in ("self", "cls")]
        defaults = dict(zip([each.arg for each in wanted.args[::-1]], wanted.defaults[::-1], strict=False))
        defaults.update({p.arg: d for p, d in zip(wanted.kwonlyargs, wanted.kw_defaults, strict=True) if d is not None})
        for each in named:
            hint = each.annotation.id if isinstance(each.annotation, ast.Name) else None
            self.reading.note((*path, each.arg), self._value(defaults.get(each.arg)), hint if hint in TYPES else None)
