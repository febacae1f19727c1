"""A shell script -> the root of its tree by the grammar of bash, every place in it counted in characters.

A segmentation fault inside the parse was seen once on arbitrary Unicode text (tree-sitter 0.26.1, tree-sitter-bash
0.25.1, 2026-11-29); which character did it is not established. What is not ASCII is part of a word to bash wherever it
stands, so `_` goes in for it, and a byte is a character.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.model.shape import Shape

if TYPE_CHECKING:
    from tree_sitter import Node

_BEYOND = Shape(r"[^\x00-\x7f]")


def bash_tree(text: str) -> Node:
    """The root of the tree. Never fails: what is no shell is in it as an error."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language())).parse(_BEYOND.sub("_", text).encode("ascii")).root_node


def bash_nodes(text: str) -> Iterator[Node]:
    """Every node of the tree, in no order."""
    waiting = [bash_tree(text)]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        yield node


def place(node: Node) -> tuple[int, int]:
    """The characters that a node spans."""
    return node.start_byte, node.end_byte
