"""Expressions of Python source -> the values they have as far as the file says, each with its characters. Nothing runs.

    TP = int(os.environ.get("TP", "8"))       -> 8: the default stands, as with `${TP:-8}` in shell
    cmd = ["vllm", "serve", MODEL] + EXTRA    -> a list of values, each in its place
    f"--port={args.port}"                     -> `--port=${args.port}`, not known

A value that depends on anything else is kept as its source, `${…}`, and marked as not known.
"""

from __future__ import annotations

import ast
import json
import operator
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

_DEPTH = 40
_LINE_END = re.compile(r"\r\n|\r|\n")
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Gt: operator.gt, ast.Lt: operator.lt, ast.GtE: operator.ge,
    ast.LtE: operator.le, ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda one, other: one in other,
}  # fmt: skip
ENVIRON = {"os.environ", "environ"}


def _spoken(items: list[Known]) -> list[Known]:
    """The words that a shell makes of items joined by blanks, each in its item's place."""
    words = []
    for one in items:
        said = one.value if one.known and isinstance(one.value, str) else ""
        try:
            split = shlex.split(said)
        except ValueError:  # a quote that another item closes
            split = []
        words += [replace(one, value=word) for word in split] or [one]
    return words


@dataclass
class Known:
    """A value: a plain one, a list of `Known`, a dict of name to `Known`, or a `Made`. `key` is where its key begins.

    `open` says that it may stand for any number of items.
    """

    value: Any
    start: int = -1
    end: int = -1
    known: bool = True
    key: int = -1
    open: bool = False
    parts: list[Known] | None = None
    literal: ast.expr | None = None

    def plain(self) -> Any:
        """The value without its places."""
        if isinstance(self.value, list):
            return [one.plain() for one in self.value]
        if isinstance(self.value, dict):
            return {name: one.plain() for name, one in self.value.items()}
        return f"${{{self.value.name}(…)}}" if isinstance(self.value, Made) else self.value

    def whole(self) -> bool:
        """Whether it, and all within it, is known."""
        inner = (
            self.value if isinstance(self.value, list) else self.value.values() if isinstance(self.value, dict) else ()
        )
        return self.known and not self.open and not isinstance(self.value, Made) and all(one.whole() for one in inner)


@dataclass
class Made:
    """What a call gives: its dotted name, its positional and keyword arguments. `open` means that more may be given."""

    name: str
    positional: list[Known]
    keywords: dict[str, Known]
    open: bool = False


@dataclass
class Scope:
    """Names in force: values, and what imports call them."""

    names: dict[str, Known] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(dict(self.names), dict(self.imports))


class Source:
    """The text with the places of its syntax tree's nodes, as characters."""

    def __init__(self, text: str, shift: int = 0) -> None:
        """`shift` characters at the front (a byte order mark) are none of the tree's."""
        self.text = text
        ends = [found.end() for found in _LINE_END.finditer(text)]
        self._starts = [shift, *ends]

    def at(self, line: int, column: int) -> int:
        """The character of a line (from 1) and a column in bytes of UTF-8."""
        start = self._starts[line - 1] if line <= len(self._starts) else len(self.text)
        piece = self.text[start : start + column]
        return start + (
            column if piece.isascii() else len(self.text[start:].encode()[:column].decode("utf-8", "ignore"))
        )

    def place(self, node: ast.AST) -> tuple[int, int]:
        """The characters of a node."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return self.at(line, column), self.at(
            getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column)
        )

    def of(self, node: ast.AST) -> str:
        """The node as typed, on one line."""
        start, end = self.place(node)
        return " ".join(self.text[start:end].split())


def dotted(node: ast.expr, scope: Scope) -> str:
    """`sgl.Engine` as `sglang.Engine`; "" for what is no dotted name."""
    if isinstance(node, ast.Name):
        return scope.imports.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        head = dotted(node.value, scope)
        return f"{head}.{node.attr}" if head else ""
    return ""


class Values:
    """Gives expressions their values."""

    def __init__(self, source: Source) -> None:
        self.source, self.depth = source, 0

    def of(self, node: ast.expr, scope: Scope) -> Known:
        """The value of an expression. Never raises."""
        handler: Callable[[Any, Scope], Known | None] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        found: Known | None = None
        if handler is not None and self.depth < _DEPTH:
            self.depth += 1
            try:
                found = handler(node, scope)
            except (ValueError, TypeError, ArithmeticError, OverflowError, MemoryError):
                found = None
            self.depth -= 1
        start, end = self.source.place(node)
        if found is None:
            return Known(f"${{{self.source.of(node)}}}", start, end, False, literal=node)
        return Known(found.value, start, end, found.known, found.key, found.open, found.parts, node)

    def _constant(self, node: ast.Constant, scope: Scope) -> Known | None:
        return Known(node.value) if isinstance(node.value, str | int | float | bool | None) else None

    def _name(self, node: ast.Name, scope: Scope) -> Known | None:
        return scope.names.get(node.id)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Known | None:
        return Known({}) if dotted(node, scope) in ENVIRON else None

    def _list(self, node: ast.List | ast.Tuple, scope: Scope) -> Known | None:
        items: list[Known] = []
        for one in node.elts:
            if isinstance(one, ast.Starred):
                inner = self.of(one.value, scope)
                items += inner.value if isinstance(inner.value, list) else [_opened(inner)]
            else:
                items.append(self.of(one, scope))
        return Known(items)

    _tuple = _list

    def _dict(self, node: ast.Dict, scope: Scope) -> Known | None:
        found: dict[str, Known] = {}
        opened = False
        for key, value in zip(node.keys, node.values, strict=True):
            one = self.of(value, scope)
            if key is None:
                found.update(one.value if isinstance(one.value, dict) else {})
                opened |= not isinstance(one.value, dict) or one.open
                continue
            name = self.of(key, scope)
            if name.known:
                one.key = name.start
                found[str(name.value)] = one
            else:
                opened = True
        return Known(found, open=opened)

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> Known | None:
        said, known = "", True
        for part in node.values:
            one = self.of(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            if isinstance(one.value, list | dict | Made) or (isinstance(part, ast.FormattedValue) and part.format_spec):
                one = Known(f"${{{self.source.of(part)}}}", known=False)
            said, known = said + str(one.value), known and one.known
        return Known(said, known=known)

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Known | None:
        test = self.of(node.test, scope)
        return self.of(node.body if test.plain() else node.orelse, scope) if test.known else None

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Known | None:
        one = self.of(node.operand, scope)
        if not one.known or isinstance(one.value, list | dict | Made):
            return None
        if isinstance(node.op, ast.Not):
            return Known(not one.value)
        return Known(-one.value) if isinstance(node.op, ast.USub) else None

    def _compare(self, node: ast.Compare, scope: Scope) -> Known | None:
        if isinstance(node.left, ast.Name) and node.left.id == "__name__":
            return Known(True)
        left, right = self.of(node.left, scope), self.of(node.comparators[0], scope)
        if len(node.ops) > 1 or not left.whole() or not right.whole():
            return None
        one, other = left.plain(), right.plain()
        compare = _COMPARISONS.get(type(node.ops[0]))
        return Known(bool(compare(one, other))) if compare else None

    def _binop(self, node: ast.BinOp, scope: Scope) -> Known | None:
        left, right = self.of(node.left, scope), self.of(node.right, scope)
        one, other = left.value, right.value
        if isinstance(node.op, ast.Add) and isinstance(one, list):
            return Known([*one, *(other if isinstance(other, list) else [_opened(right)])])
        if isinstance(node.op, ast.Add) and isinstance(one, str) and isinstance(other, str):
            return Known(one + other, known=left.known and right.known)
        if isinstance(node.op, ast.BitOr) and isinstance(one, dict) and isinstance(other, dict):
            return Known({**one, **other}, open=left.open or right.open)
        if not (isinstance(one, int | float) and isinstance(other, int | float)):
            return None
        if isinstance(node.op, ast.Add):
            return Known(one + other)
        if isinstance(node.op, ast.Sub):
            return Known(one - other)
        if isinstance(node.op, ast.Mult):
            return Known(one * other)
        return Known(one // other) if isinstance(node.op, ast.FloorDiv) else None

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Known | None:
        whole, key = self.of(node.value, scope), self.of(node.slice, scope)
        if dotted(node.value, scope) in ENVIRON or not key.known:
            return None
        if isinstance(whole.value, dict):
            return whole.value.get(str(key.value))
        if (
            isinstance(whole.value, list)
            and isinstance(key.value, int)
            and -len(whole.value) <= key.value < len(whole.value)
        ):
            found: Known = whole.value[key.value]
            return found
        return None

    def _call(self, node: ast.Call, scope: Scope) -> Known | None:
        made = self.made(node, scope)
        first = made.positional[0] if made.positional else None
        if made.name in ("os.environ.get", "os.getenv", "environ.get", "getenv"):
            return made.positional[1] if len(made.positional) > 1 else None
        if made.name in ("int", "str", "float", "bool") and first is not None:
            kind: Any = {"int": int, "str": str, "float": float, "bool": bool}[made.name]
            plain = first.known and isinstance(first.value, str | int | float | bool)
            return Known(kind(first.value)) if plain else None
        if made.name == "dict" and len(made.positional) < 2:
            base = first.value if first is not None and isinstance(first.value, dict) else {}
            unread = first is not None and not isinstance(first.value, dict)
            return Known({**base, **made.keywords}, open=made.open or unread)
        if made.name == "json.dumps" and first is not None:
            return Known(json.dumps(first.plain(), ensure_ascii=False, default=str), known=first.whole())
        if made.name == "shlex.split" and first is not None and isinstance(first.value, str):
            return Known([Known(one, first.start, first.end, first.known) for one in shlex.split(first.value)])
        if made.name == "shlex.join" and first is not None and isinstance(first.value, list):
            return Known(
                " ".join(shlex.quote(str(one.value)) for one in first.value), known=first.whole(), parts=first.value
            )
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "split", "copy", "strip"):
            return self._method(node.func.attr, self.of(node.func.value, scope), first)
        return Known(made) if made.name else None

    def _method(self, name: str, owner: Known, first: Known | None) -> Known | None:
        if name == "copy" and isinstance(owner.value, list | dict):
            return Known(type(owner.value)(owner.value), open=owner.open)
        if name == "strip" and isinstance(owner.value, str) and first is None:
            return Known(owner.value.strip(), known=owner.known)
        if name == "split" and isinstance(owner.value, str) and owner.known and first is None:
            return Known([Known(one, owner.start, owner.end) for one in owner.value.split()])
        if name == "join" and first is not None and isinstance(first.value, list) and isinstance(owner.value, str):
            said = owner.value.join(str(one.plain()) for one in first.value)
            return Known(said, known=first.whole(), parts=_spoken(first.value) if owner.value == " " else None)
        return None

    def made(self, node: ast.Call, scope: Scope) -> Made:
        """A call's arguments."""
        positional: list[Known] = []
        keywords: dict[str, Known] = {}
        opened = False
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                inner = self.of(argument.value, scope)
                positional += inner.value if isinstance(inner.value, list) else [_opened(inner)]
            else:
                positional.append(self.of(argument, scope))
        for one in node.keywords:
            value = self.of(one.value, scope)
            if one.arg is None:
                opened |= not isinstance(value.value, dict) or value.open
                keywords.update(value.value if isinstance(value.value, dict) else {})
            else:
                value.key = self.source.place(one)[0]
                keywords[one.arg] = value
        return Made(dotted(node.func, scope), positional, keywords, opened)


def _opened(one: Known) -> Known:
    return Known(one.value if isinstance(one.value, str) else "${…}", one.start, one.end, False, open=True)
