"""Lines of a file -> which lines a comment on a line of its own speaks of: what begins below it, to its end.

One reader per way of writing comments; each gives a function from the comment's line to the first and last line it
covers, counted from 1. A comment with nothing below it covers itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from advisor.launches.bash_tree import bash_nodes
from advisor.launches.comment_marks import indent

Reach = Callable[[int], tuple[int, int]]

_HASH, _INI = ("#",), ("#", ";")


def _below(lines: Sequence[str], marks: tuple[str, ...] = _HASH) -> list[int]:
    """For each line, from 0: the next that is neither empty nor a comment; a line itself when there is none."""
    below = list(range(len(lines) + 1))
    known = 0
    for number in range(len(lines), 0, -1):
        below[number] = known or number
        said = lines[number - 1].strip()
        if said and not said.startswith(marks):
            known = number
    return below


def _only_next(lines: Sequence[str]) -> Reach:
    below = _below(lines)
    return lambda line: (below[line], below[line])


def _yaml(lines: Sequence[str]) -> Reach:
    below = _below(lines)
    known: dict[int, tuple[int, int]] = {}

    def reach(line: int) -> tuple[int, int]:
        first = below[line]
        if first == line:
            return line, line
        if first not in known:
            known[first] = _indented(lines, first)
        return known[first]

    return reach


def _indented(lines: Sequence[str], first: int) -> tuple[int, int]:
    """The key or item on line `first` with everything under it. Items may stand as deep as the key they belong to."""
    head = lines[first - 1]
    depth = indent(head)
    item = head.lstrip().startswith("- ") or head.strip() == "-"
    last = first
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        beside = not item and indent(line) == depth and (said.startswith("- ") or said == "-")
        if indent(line) <= depth and not beside:
            break
        last = number
    return first, last


def _shell(lines: Sequence[str]) -> Reach:
    """To the end of the largest piece of grammar that begins on the next line: a command, a list, a loop."""
    ends: dict[int, int] = {}
    for node in bash_nodes("\n".join(lines)):
        if node.type not in ("program", "comment", "ERROR"):  # an error reaches as far as the grammar was lost
            row, column = node.end_point
            ends[node.start_point[0] + 1] = max(ends.get(node.start_point[0] + 1, 0), row + (1 if column else 0))

    below = _below(lines)

    def reach(line: int) -> tuple[int, int]:
        first = below[line]
        return first, max(first, ends.get(first, first))

    return reach


def _continued(lines: Sequence[str], marks: tuple[str, ...] = _HASH) -> Reach:
    """To the end of the instruction; amid one that goes on over several lines, only the line below."""

    def goes_on(number: int) -> bool:
        return lines[number - 1].rstrip().endswith("\\")

    below, within = _below(lines, marks), [False] * (len(lines) + 2)
    for number in range(1, len(lines) + 1):  # `within`: the line belongs to what an earlier one began
        comment = lines[number - 1].strip().startswith(marks)
        within[number + 1] = within[number] if comment else goes_on(number)

    def reach(line: int) -> tuple[int, int]:
        first = last = below[line]
        while not within[line] and last < len(lines) and within[last + 1]:
            last += 1
        return first, last

    return reach


def _python(lines: Sequence[str]) -> Reach:
    import ast
    import warnings

    ends: dict[int, int] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of the user's escapes is not asked
            tree = ast.parse("\n".join(lines))
        for node in ast.walk(tree):
            start = getattr(node, "lineno", 0)
            ends[start] = max(ends.get(start, 0), getattr(node, "end_lineno", None) or 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        ends = {}  # not Python as this interpreter knows it: the line below, no more

    below = _below(lines)

    def reach(line: int) -> tuple[int, int]:
        first = below[line]
        return first, max(first, ends.get(first, first))

    return reach


READERS: Mapping[str, Callable[[Sequence[str]], Reach]] = {
    "yaml": _yaml,
    "shell": _shell,
    "dockerfile": _continued,
    "ini": partial(_continued, marks=_INI),
    "python": _python,
    "toml": _only_next,
}
