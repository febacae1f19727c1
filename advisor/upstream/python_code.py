"""Python sources of a release -> the names each module binds, followed across imports. Nothing is imported or executed.

``Code.lookup("vllm.config", "ModelConfig")`` finds the class in whichever file of the release defines it. Branches
under ``if TYPE_CHECKING:`` are skipped and their ``else:`` is read: that is what holds when a command line is parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream import syntax
from advisor.upstream.trees import Tree


class Reference:
    """A thing that stays one thing when values are copied."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Reference:
        return self

    def __copy__(self) -> Reference:
        return self


@dataclass(eq=False)
class External(Reference):
    """Something the release does not define itself: a builtin, the standard library, another package."""

    path: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)


@dataclass(eq=False)
class Imported:
    """A name bound by an import, not yet followed; an empty ``name`` is the module itself."""

    module: str
    name: str


@dataclass(eq=False)
class Module(Reference):
    """One file and what its top level binds: classes, functions, imports and value expressions, each as last bound."""

    dotted: str
    is_package: bool
    bindings: dict[str, ast.AST | Imported] = field(default_factory=dict, repr=False)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict, repr=False)
    body: list[ast.stmt] = field(default_factory=list, repr=False)
    stars: list[str] = field(default_factory=list, repr=False)


@dataclass(eq=False)
class Class(Reference):
    """A class statement and the module it stands in."""

    module: Module
    node: ast.ClassDef

    @property
    def name(self) -> str:
        """The class's name."""
        return self.node.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Class) and other.node is self.node

    def __hash__(self) -> int:
        return id(self.node)


@dataclass(eq=False)
class Function(Reference):
    """A function, method or lambda with the module and class it stands in, and the names its surroundings bound."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    owner: Class | None = None
    around: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Its name, "" for a lambda."""
        return "" if isinstance(self.node, ast.Lambda) else self.node.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other.node is self.node

    def __hash__(self) -> int:
        return id(self.node)


@dataclass(eq=False)
class Code:
    """The Python modules of one tree, parsed as they are asked for."""

    tree: Tree
    _modules: dict[str, Module | None] = field(default_factory=dict, repr=False)
    _names: frozenset[str] = frozenset()

    def module(self, dotted: str) -> Module | None:
        """A module of the release; None when the release holds no such file or it cannot be parsed."""
        if dotted not in self._modules:
            self._modules[dotted] = self._parse(dotted)
        return self._modules[dotted]

    def lookup(self, dotted: str, name: str) -> Module | Class | Function | External | tuple[Module, ast.expr] | None:
        """What ``name`` means in a module, imports followed; an expression comes with the module to read it in."""
        module = self.module(dotted)
        if module is None:
            return External(f"{dotted}.{name}")
        seen: set[tuple[str, str]] = set()
        while (module.dotted, name) not in seen:
            seen.add((module.dotted, name))
            bound = module.bindings.get(name) or self._starred(module, name)
            if isinstance(bound, Imported):
                target = self.module(bound.module)
                if not bound.name:
                    return target or External(bound.module)
                if target is None:
                    return External(f"{bound.module}.{bound.name}")
                module, name = target, bound.name
                continue
            return self._found(module, name, bound)
        return None

    def _starred(self, module: Module, name: str) -> Imported | None:
        """Where ``from x import *`` finds a name that the module itself does not bind."""
        for dotted in module.stars:
            source = self.module(dotted)
            if source is not None and (name in source.bindings or self._starred(source, name)):
                return Imported(dotted, name)
        return None

    def class_statement(self, dotted: str, name: str) -> Class | None:
        """A class as first written in a module, even when the name is bound to something built from it later."""
        module = self.module(dotted)
        node = module.classes.get(name) if module else None
        return Class(module, node) if module and node else None

    def _found(
        self, module: Module, name: str, bound: ast.AST | None
    ) -> Module | Class | Function | tuple[Module, ast.expr] | None:
        if isinstance(bound, ast.ClassDef):
            return Class(module, bound)
        if isinstance(bound, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return Function(module, bound)
        if isinstance(bound, ast.expr):
            return (module, bound)
        return self.module(f"{module.dotted}.{name}") if module.is_package else None

    def _parse(self, dotted: str) -> Module | None:
        self._names = self._names or frozenset(self.tree.names())
        stem = dotted.replace(".", "/")
        path = next((path for path in (f"{stem}.py", f"{stem}/__init__.py") if path in self._names), None)
        if path is None:
            return None
        try:
            parsed = syntax.module(self.tree.read(path))
        except (SyntaxError, UpstreamError):
            return None
        module = Module(dotted, path.endswith("/__init__.py"), body=parsed)
        for name, bound in bindings_of(parsed, module):
            if name == "*" and isinstance(bound, Imported):
                module.stars.append(bound.module)
                continue
            module.bindings[name] = bound
            if isinstance(bound, ast.ClassDef):
                module.classes.setdefault(name, bound)
        return module


def bindings_of(body: list[ast.stmt], module: Module) -> Iterator[tuple[str, ast.AST | Imported]]:
    """Each name a block binds, in order; of two branches that both might run, the first one's binding is given last."""
    for statement in body:
        if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield statement.name, statement
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from imports_of(statement, module)
        elif isinstance(statement, ast.Assign):
            yield from ((target.id, statement.value) for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement
        elif isinstance(statement, ast.If):
            yield from bindings_of(statement.orelse, module)
            if not is_type_checking(statement.test):
                yield from bindings_of(statement.body, module)
        elif isinstance(statement, ast.Try):
            for handler in statement.handlers:
                yield from bindings_of(handler.body, module)
            yield from bindings_of(statement.body, module)
        elif isinstance(statement, ast.With):
            yield from bindings_of(statement.body, module)


def imports_of(statement: ast.Import | ast.ImportFrom, module: Module) -> Iterator[tuple[str, Imported]]:
    """The names an import statement binds, relative imports resolved."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            yield (
                (alias.asname, Imported(alias.name, ""))
                if alias.asname
                else (
                    alias.name.partition(".")[0],
                    Imported(alias.name.partition(".")[0], ""),
                )
            )
        return
    source = statement.module or ""
    if statement.level:
        package = module.dotted.split(".") if module.is_package else module.dotted.split(".")[:-1]
        package = package[: len(package) - (statement.level - 1)]
        source = ".".join([*package, source] if source else package)
    for alias in statement.names:
        yield alias.asname or alias.name, Imported(source, alias.name)


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition is ``TYPE_CHECKING``, false whenever the program runs."""
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
