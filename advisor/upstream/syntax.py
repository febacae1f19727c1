"""Python text -> its syntax tree, one at a time.

Releases are read in parallel. `SystemError: AST constructor recursion depth mismatch` was seen once with 3.11.7, where
the interpreter keeps one count of depth while it builds a tree; it could not be brought about at will.

**Source:** python/cpython#106905 (`state->recursion_depth`).
"""

from __future__ import annotations

import ast
from threading import Lock

_ONE = Lock()


def module(text: str) -> list[ast.stmt]:
    """The statements of a file. Raises SyntaxError and ValueError as `ast.parse` does."""
    with _ONE:
        return ast.parse(text).body


def expression(text: str) -> ast.expr:
    """A single expression. Raises as `module` does."""
    with _ONE:
        return ast.parse(text, mode="eval").body
