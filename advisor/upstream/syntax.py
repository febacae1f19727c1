"""Python text -> its syntax tree, one at a time.

Releases are read in parallel, and older CPythons (seen with 3.11.7) keep one count of depth for all threads that build
a tree: two at once can end in `SystemError: AST constructor recursion depth mismatch`. **Source:** CPython 3.11
`Python/Python-ast.c` (`recursion_depth` in the interpreter's `ast_state`); python/cpython#106905.
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
