"""Calls and functions as written -> which argument goes to which parameter, and what a function looks keys up in."""

from __future__ import annotations

import ast
from typing import Any

from advisor.upstream.python_code import Function


def looked_up(function: ast.AST) -> list[str]:
    """The names of what a function looks its parameter ``config_key`` up in, in order."""
    looked_up = [node for node in ast.walk(function) if isinstance(node, ast.Subscript)]
    return [ast.unparse(node.value) for node in looked_up if ast.unparse(node.slice) == "config_key"]


def warns(function: Any) -> bool:
    """Whether a function that looks a key up says that a place is deprecated."""
    return isinstance(function, Function) and "deprecated" in ast.unparse(function.node)


def text_in(node: ast.AST | None) -> str | None:
    """The text of a string literal; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def bound_by(function: Function, call: ast.Call, is_built: bool = False) -> dict[str, ast.expr]:
    """A call's arguments by the parameter each goes to; ``self`` and ``cls`` are not counted."""
    wanted = [each.arg for each in function.node.args.args]
    marks = {ast.unparse(mark) for mark in getattr(function.node, "decorator_list", [])}
    if wanted[:1] in (["self"], ["cls"]) and (is_built or function.owner is not None) and "staticmethod" not in marks:
        wanted = wanted[1:]
    return {
        **dict(zip(wanted, call.args, strict=False)),
        **{word.arg: word.value for word in call.keywords if word.arg is not None},
    }
