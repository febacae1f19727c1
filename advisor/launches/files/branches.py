"""Where in a script a command stands: the conditions, loops and functions around it, in words.

    if [ "$ROLE" = prefill ]; then vllm serve m …       -> only where `[ "$ROLE" = prefill ]` holds
    for rank in 0 1 2 3; do xllm … --node_rank=$rank &  -> a Loop over `rank` with 4 turns

**Source:** the node names of tree-sitter-bash 0.25, `grammar.js`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.launches.bash_tree import bash_tree, place

if TYPE_CHECKING:
    from tree_sitter import Node

_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}\Z")  # {0..7}
_SEQ = re.compile(r"\$\(\s*seq\s+(?:(\d+)\s+)?(\d+)\s*\)\Z")  # $(seq 0 7)
_BELOW = re.compile(r"\w+\s*(<=?)\s*\$?\{?(\w+)\}?\Z")  # i < N
_FROM = re.compile(r"\w+\s*=\s*(\d+)\Z")  # i=0
MAX_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Loop:
    """A `for` loop: `turns` is None where the text does not say how often it runs."""

    variable: str
    turns: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Around:
    """What a command stands in, the outermost first."""

    says: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()


class Structure:
    """The constructs of a script. `masked` is what `words.prepare` made of `text`."""

    def __init__(self, text: str, masked: str) -> None:
        self.text = text
        self.root = bash_tree(masked)

    def _source(self, node: Node) -> str:
        return self.text[slice(*place(node))]

    def around(self, at: int) -> Around:
        """What the character `at` stands in."""
        says: list[str] = []
        loops: list[Loop] = []
        node: Node | None = self.root
        while node is not None:
            child = next((one for one in node.children if self._holds(one, at)), None)
            if child is not None and (said := self._said(node, child)):
                says.append(said)
            if node.type in ("for_statement", "c_style_for_statement"):
                loops.append(self._loop(node))
            node = child
        return Around(tuple(says), tuple(loops))

    def _holds(self, node: Node, at: int) -> bool:
        start, end = place(node)
        return start <= at < end

    def _said(self, node: Node, child: Node) -> str:
        kind = node.type
        if kind in ("if_statement", "elif_clause") and child.type not in ("elif_clause", "else_clause"):
            return self._condition(node, child)
        if kind == "else_clause":
            return f"only where {self._head(node.parent)} does not hold" if node.parent is not None else ""
        if (
            kind == "list"
            and child.prev_sibling is not None
            and node.children[0].type in ("test_command", "negated_command")
        ):
            joined = self._source(child.prev_sibling)
            return f"only where {_quoted(self._source(node.children[0]))} {'fails' if joined == '||' else 'holds'}"
        if kind == "case_item" and node.parent is not None:
            value = node.parent.child_by_field_name("value")
            pattern = node.children[0]
            subject = _quoted(self._source(value)) if value else "the case"
            return f"only where {subject} is {_quoted(self._source(pattern))}"
        if kind == "function_definition" and (name := node.child_by_field_name("name")) is not None:
            return f"in the function {_quoted(self._source(name))}"
        if kind in ("for_statement", "c_style_for_statement", "while_statement"):
            line = (
                self._source(node).split("\n", 1)[0].split(";")[0 if kind != "c_style_for_statement" else slice(0, 3)]
            )
            shown = line if isinstance(line, str) else ";".join(line)
            return f"once per turn of {_quoted(shown)}"
        return ""

    def _condition(self, node: Node, child: Node) -> str:
        then = next((one for one in node.children if one.type == "then"), None)
        if then is None or child.start_byte < then.start_byte:
            return ""
        return f"only where {self._head(node)} holds"

    def _head(self, node: Node | None) -> str:
        """The condition of an `if` or `elif`: what stands before `then`."""
        if node is None:
            return "the condition"
        said = self._source(node)
        said = said.split("then", 1)[0].strip()
        return _quoted(said.removeprefix("elif").removeprefix("if").strip().rstrip(";").strip())

    def _loop(self, node: Node) -> Loop:
        start, end = place(node)
        if node.type == "for_statement":
            variable = node.child_by_field_name("variable")
            values = [one for one in node.children_by_field_name("value")]
            turns = self._turns(values)
            return Loop(self._source(variable) if variable is not None else "", turns, start, end)
        first, condition = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
        begin = _FROM.match(self._source(first)) if first is not None else None
        below = _BELOW.match(self._source(condition)) if condition is not None else None
        name = self._source(first).split("=")[0].strip() if first is not None else ""
        limit = self._number(below.group(2)) if below else None
        if begin is None or below is None or limit is None:
            return Loop(name, None, start, end)
        return Loop(name, max(0, limit - int(begin.group(1)) + (below.group(1) == "<=")), start, end)

    def _turns(self, values: list[Node]) -> int | None:
        """How many turns a list of words makes."""
        total = 0
        for one in values:
            said = self._source(one)
            if found := _RANGE.match(said):
                total += abs(int(found.group(2)) - int(found.group(1))) + 1
            elif found := _SEQ.match(said):
                total += max(0, int(found.group(2)) - int(found.group(1) or 1) + 1)
            elif one.type in ("word", "number", "raw_string") and not re.search(r"[*?\[]", said):
                total += 1
            else:
                return None
        return total or None

    def _number(self, word: str) -> int | None:
        """A number, or the variable that the script sets to one number only."""
        if word.isdigit():
            return int(word)
        assigned = set(
            re.findall(rf"(?m)^[ \t]*(?:export[ \t]+|readonly[ \t]+)?{re.escape(word)}=[\"']?([^\s;\"'#]*)", self.text)
        )
        return int(only) if len(assigned) == 1 and (only := assigned.pop()).isdigit() else None


def _quoted(text: str) -> str:
    shown = " ".join(text.split())
    return f"`{shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + '…'}`"
