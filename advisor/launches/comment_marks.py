"""Lines of a file -> every comment in it, one reader per way of writing comments.

Each reader knows the strings of its language, so that `"# not one"` is not taken for a comment. Texts come without the
mark.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from advisor.launches.bash_tree import bash_nodes


class Mark(NamedTuple):
    """A comment's text, its line, the column of its mark and the column behind it on that line, all from 1."""

    text: str
    line: int
    column: int
    end_column: int


_BLOCK = re.compile(r"(?:^|[\s:?-])[|>](?:[1-9]?[+-]?|[+-][1-9])\s*$")  # `args: |-`, `- >`, `x: !t |2`
_OPENS = re.compile(r"^\s*((?:- +)*)")  # the dashes before a nested item
_HEREDOC = re.compile(r"<<-?\s*[\"']?([A-Za-z_][A-Za-z0-9_]*)")  # COPY <<"EOF" /etc/x
_NEAR = 200  # characters looked back at: enough for a tag and an anchor, and no line costs more than its length
_FRESH = " \t,[{:-?(&!"  # what may stand before a quote that opens a YAML string
_HALF = re.compile(r"[\ud800-\udfff]")


def _yaml(lines: Sequence[str]) -> Iterator[Mark]:
    quote, block = "", -1
    for number, line in enumerate(lines, 1):
        if block >= 0:
            if not line.strip() or indent(line) > block:
                continue
            block = -1
        at, quote = _yaml_comment(line, quote)
        if at >= 0:
            yield Mark(line[at + 1 :], number, at + 1, len(line) + 1)
        code = line[:at] if at >= 0 else line
        if not quote and _BLOCK.search(code[-_NEAR:]):
            block = _parent(code)


def _yaml_comment(line: str, quote: str) -> tuple[int, str]:
    """Where the comment of a line starts, -1 without one, and the quote still open at its end."""
    at = 0
    while at < len(line):
        one = line[at]
        if quote == '"' and one == "\\":
            at += 1
        elif quote:
            if one == quote and quote == "'" and line[at + 1 : at + 2] == "'":
                at += 1
            elif one == quote:
                quote = ""
        elif one == "#" and (at == 0 or line[at - 1] in " \t"):
            return at, ""
        elif one in "\"'" and (at == 0 or (line[at - 1] in _FRESH and _token_starts(line, at))):
            quote = one
        at += 1
    return -1, quote


def _token_starts(line: str, at: int) -> bool:
    """A quote opens a string at the start of a value, not within a plain one: `- it is 'so'` has none."""
    before = line[max(0, at - _NEAR) : at].rstrip(" \t")
    if not before or before[-1] in ",[{(" or re.search(r"(?:^|\s)[-?]$", before):
        return True
    return before.endswith(":") or bool(re.search(r"(?:^|\s)[!&]\S*$", before))


def _parent(code: str) -> int:
    """The indent that the lines of a block scalar have to exceed."""
    dashes = _OPENS.match(code)
    start = dashes.end() if dashes else indent(code)
    if code[start:].lstrip()[:1] in "|>!&":  # `- |`: the item itself is the scalar
        return start - 2 if dashes and dashes[1] else -1 if start == 0 else start - 1
    return start


def indent(line: str) -> int:
    """The blanks before the first character that is none; YAML counts no tabs."""
    return len(line) - len(line.lstrip(" "))


def _shell(lines: Sequence[str]) -> Iterator[Mark]:
    found: list[Mark] = []
    for node in bash_nodes("\n".join(lines)):
        if node.type == "comment":
            row, start = node.start_point
            found.append(Mark(lines[row][start + 1 :].rstrip(), row + 1, start + 1, len(lines[row].rstrip()) + 1))
    yield from sorted(found, key=lambda one: (one.line, one.column))


def _dockerfile(lines: Sequence[str]) -> Iterator[Mark]:
    copied: list[str] = []
    for number, line in enumerate(lines, 1):
        said = line.strip()
        if copied:
            if said == copied[0]:
                copied.pop(0)
        elif said.startswith("#"):
            yield Mark(said[1:], number, line.index("#") + 1, len(line.rstrip()) + 1)
        elif re.match(r"(?i)(?:COPY|ADD)\b", said):  # what they write out is text, whatever it looks like
            copied = _HEREDOC.findall(said)


def _python(lines: Sequence[str]) -> Iterator[Mark]:
    source = io.StringIO(_HALF.sub("\ufffd", "\n".join(lines)))  # of half a character the tokenizer makes an error
    try:
        for one in tokenize.generate_tokens(source.readline):
            if one.type == tokenize.COMMENT:
                yield Mark(one.string[1:], one.start[0], one.start[1] + 1, one.end[1] + 1)
    except (
        tokenize.TokenError,
        SyntaxError,
        SystemError,
    ):  # the last by Python 3.12, of an f-string that is not closed
        return  # what came before the break stands


def _ini(lines: Sequence[str]) -> Iterator[Mark]:
    for number, line in enumerate(lines, 1):
        said = line.strip()
        if said.startswith(("#", ";")):
            yield Mark(said[1:], number, line.index(said[0]) + 1, len(line.rstrip()) + 1)


# A string that is never closed ends with its line, or with the text, so that no character is looked at twice.
_TOML = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|"(?:[^"\\\n]|\\[^\n])*"?|\'[^\'\n]*\'?|(#)([^\n]*)', re.DOTALL
)


def _toml(lines: Sequence[str]) -> Iterator[Mark]:
    text = "\n".join(lines)
    line, counted = 1, 0
    for found in _TOML.finditer(text):
        if found[1] is not None:
            line, counted = line + text.count("\n", counted, found.start()), found.start()
            begin = text.rfind("\n", 0, found.start()) + 1
            yield Mark(found[2], line, found.start() - begin + 1, found.end() - begin + 1)


READERS: Mapping[str, Callable[[Sequence[str]], Iterator[Mark]]] = {
    "yaml": _yaml,
    "shell": _shell,
    "dockerfile": _dockerfile,
    "python": _python,
    "ini": _ini,
    "toml": _toml,
}
