"""xLLM's C++ sources -> its gflags: ``DEFINE_int32(dp_size, 1, "...")`` becomes ``--dp_size``, an int with default 1.

gflags takes ``--name=value`` and ``--name value``; a bool may stand bare or be given ``=true`` or ``=false``, and
``--noname`` turns it off: kind ``pair`` with that spelling among its negations. A flag that one ``#if`` branch defines
differently from another has no known default.

Source: https://github.com/xLLM-AI/xllm (``DEFINE_*`` in ``xllm/**/*.cpp``), https://gflags.github.io/gflags/
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from advisor.upstream import syntax
from advisor.upstream.arguments import Flag
from advisor.upstream.trees import Tree

_TYPES = {
    "bool": "bool",
    "int32": "int",
    "int64": "int",
    "uint32": "int",
    "uint64": "int",
    "double": "float",
    "string": "str",
}
# DEFINE_int32(dp_size,
_DEFINE = re.compile(r"^[ \t]*DEFINE_(bool|u?int32|u?int64|double|string)\(\s*(\w+)\s*,", re.MULTILINE)
# std::numeric_limits<int32_t>::max()
_LIMIT = re.compile(r"std::numeric_limits<(u?)int(32|64)_t>::max\(\)")
# constexpr bool kEnableGraphVmmPoolDefault = true;
_CONSTANT = re.compile(
    r"^\s*(?:static\s+)?(?:constexpr|const)\s+[\w:]+(?:\s*\[\])?\s+(k\w+)\s*(?:\[\])?\s*=\s*([^;]+);", re.MULTILINE
)


def flags_of(tree: Tree) -> list[Flag]:
    """Every flag the release's sources define."""
    found: dict[str, Flag] = {}
    for path in sorted(tree.names()):
        if (
            path.startswith("xllm/")
            and path.endswith((".cpp", ".cc"))
            and "/test" not in path
            and not path.endswith("_test.cpp")
        ):
            for flag in defined(tree.read(path)):
                found[flag.name] = _agreed(found.get(flag.name), flag)
    return list(found.values())


def defined(text: str) -> Iterator[Flag]:
    """The flags one source file defines, in order."""
    text = without_comments(text)
    constants = _constants(text)
    for match in _DEFINE.finditer(text):
        value = value_of(argument_at(text, match.end()), constants)
        kind = "pair" if match[1] == "bool" else "value"
        known = value is not None
        if known and match[1] == "double":
            value = float(value)
        off = (f"--no{match[2]}",) if kind == "pair" else ()
        yield Flag(f"--{match[2]}", kind=kind, type=_TYPES[match[1]], default=value, default_known=known, negations=off)


def _agreed(one: Flag | None, two: Flag) -> Flag:
    if one is None or one == two:
        return two
    return replace(two, default=None, default_known=False)


def _constants(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _CONSTANT.findall(text):
        found[name] = value.strip() if name not in found else "?"  # differs by #if branch
    return found


def value_of(text: str, constants: dict[str, str]) -> Any:
    """The value of a C++ constant expression; None when it is not one of the simple forms flags are given."""
    text = constants.get(text.strip(), text).strip()
    text = _LIMIT.sub(lambda match: str(2 ** (int(match[2]) - (0 if match[1] else 1)) - 1), text)
    if text in ("true", "false"):
        return text == "true"
    text = re.sub(r"(?<=[0-9.])(?:f|u?ll?|u)\b", "", text, flags=re.IGNORECASE)
    try:
        return _folded(syntax.expression(f"({text})"))
    except (SyntaxError, ValueError):
        return None


def _folded(node: ast.expr) -> Any:
    """Numbers, adjacent strings, products and sums."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add, ast.Sub)):
        left, right = _folded(node.left), _folded(node.right)
        return (
            left * right
            if isinstance(node.op, ast.Mult)
            else left + right
            if isinstance(node.op, ast.Add)
            else left - right
        )
    return ast.literal_eval(node)


def argument_at(text: str, start: int) -> str:
    """The macro argument that starts here, up to its comma, strings and brackets minded."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        elif text[at] == "," and depth == 0:
            break
        at += 1
    return text[start:at].strip()


def without_comments(text: str) -> str:
    """C++ source with its comments blanked, strings left alone."""
    pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, lambda match: match[0] if match[0].startswith('"') else " ", text, flags=re.DOTALL)
