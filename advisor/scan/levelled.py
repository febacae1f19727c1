"""A pattern → one that matches in text whose numbers are all 0 wherever the pattern matches in the text itself.

It tells of a line whether any line that differs from it in numbers alone can match. The first digit of a number is the
0 that is left, its others are nothing: `[1-9]\\d* waiting` becomes, in RE2's language, `[0]?(?:[0]?)* waiting`.
"""

from __future__ import annotations

from functools import lru_cache

from advisor.patterns import PatternError, compile_pattern
from advisor.scan.syntax import DIGITS, Characters, Either, Place, Repeat, Tree, Unread, nodes, parse
from advisor.scan.words import PLAIN


@lru_cache(maxsize=4096)
def levelled(pattern: str) -> str | None:
    """The pattern for text without numbers; None where there is none, or a match may reach over the end of a line."""
    try:
        tree = parse(pattern)
        if _is_over_lines(tree):
            return None
        made = _row((tree,))
        compile_pattern(made)
        return made
    except (Unread, PatternError, RecursionError):
        return None


def _is_over_lines(tree: Tree) -> bool:
    """Whether a character of a match may be the end of a line, or its place hang on where the text begins or ends."""
    return any(
        10 in node.ascii if isinstance(node, Characters) else isinstance(node, Place) and node.kind in ("start", "end")
        for node in nodes(tree)
    )


def _row(parts: tuple[Tree, ...]) -> str:
    """Parts in a row. A digit that stands right after what is none is a number's first: it is there."""
    made = ""
    for before, part in zip((None, *parts), parts, strict=False):
        first = isinstance(before, Characters) and not before.ascii & DIGITS
        made += _class(part) if first and isinstance(part, Characters) else _written(part)
    return made


def _written(tree: Tree) -> str:
    if isinstance(tree, Characters):
        return _class(tree) + ("?" if tree.ascii & DIGITS else "")
    if isinstance(tree, Place):
        return r"\b" if tree.kind == "word" else ""
    if isinstance(tree, Repeat):
        bounds = f"{tree.least},{'' if tree.most is None else tree.most}"
        return f"(?:{_row((tree.part,))}){ {'0,': '*', '1,': '+', '0,1': '?'}.get(bounds, '{' + bounds + '}') }"
    if isinstance(tree, Either):
        return f"(?:{'|'.join(_row((branch,)) for branch in tree.branches)})"
    return f"(?:{_row(tree.parts)})"


def _class(one: Characters) -> str:
    codes = sorted(set(bytes(sorted(one.ascii)).translate(PLAIN)))
    beyond = [r"\x{80}-\x{10ffff}"] if one.beyond is None else [f"\\x{{{ord(char):x}}}" for char in one.beyond]
    inside = "".join([f"\\x{{{code:x}}}" for code in codes] + beyond)
    return f"[{inside}]" if inside else r"[^\x{0}-\x{10ffff}]"
