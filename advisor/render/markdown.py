"""Report -> Markdown to paste into an upstream issue: GitHub flavoured, safe whatever the logs hold.

The user's own text stands only in code, behind fences longer than any fence inside it. Elsewhere markup is escaped,
and nobody is notified by a stray `@name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.model.report import Report
from advisor.render.blocks import Block, Heading, Line, Quote, Verbatim
from advisor.render.outline import outline
from advisor.render.quoting import many_lines, one_line, prose

STEP = "    "

_CODE = re.compile(r"((?<!`)`[^`]+`(?!`))")  # `--tp 2`
_URL = re.compile(
    r"(https?://[A-Za-z0-9./_~%+=?&#@:,-]*[A-Za-z0-9/_~%+=#-])"
)  # https://github.com/vllm-project/vllm/pull/1
_MARKUP = re.compile(r"[\\`*\[\]|~$!]|(?<![^\W_])_|_(?![^\W_])")  # *bold*, [link](…), ~~struck~~, $maths$, _slanted_
_MENTION = re.compile(r"(?<![\w.])@(?=\w)")  # @someone
_STRUCTURE = re.compile(r"^(?:[-+=#:]|\d{1,9}(?=[.)]))")  # `- item`, `# heading`, `1. item` where a line starts
_TICKS = re.compile(r"`+")


def markdown(report: Report) -> str:
    """The report as Markdown, with every quote at full length."""
    return written(outline(report))


def written(blocks: Iterable[Block], top: int = 2) -> str:
    """A page of blocks as Markdown; its first heading has `top` signs."""
    return "\n".join(_spaced(blocks, top)).strip("\n") + "\n"


def _spaced(blocks: Iterable[Block], top: int) -> Iterable[str]:
    listed = False
    for block in blocks:
        if isinstance(block, Line) and not block.text:
            continue
        in_list = not isinstance(block, Heading) and (
            bool(block.depth) or (isinstance(block, Line) and bool(block.marker))
        )
        if not (listed and in_list):
            yield ""
        listed = in_list
        yield from _lines(block, top)


def _lines(block: Block, top: int) -> list[str]:
    if isinstance(block, Heading):
        return [f"{'#' * (block.level + top - 1)} {escape(prose(block.text))}"]
    indent = STEP * block.depth
    if isinstance(block, Quote):
        place = f"{code(one_line(block.place))}: " if block.place else ""
        return [f"{indent}- {place}{code(one_line(block.text))}"]
    if isinstance(block, Verbatim):
        return [f"{indent}{line}".rstrip() for line in fence(many_lines(block.text).strip("\n"), block.kind)]
    marker = block.marker or ("-" if block.depth else "")
    return [f"{indent}{_marker(marker)}{escape(prose(block.text))}"]


def _marker(marker: str) -> str:
    """GitHub would read `[1]` as a link's name; as an item it is a literal."""
    return f"- \\{marker[:-1]}\\] " if marker.startswith("[") else f"{marker} " if marker else ""


def escape(text: str) -> str:
    """Prose with its markup made literal. `code` in single backticks stays code and plain URLs stay links."""
    parts = [part if _CODE.fullmatch(part) else _linked(part) for part in _CODE.split(text)]
    said = "".join(parts)
    return said if said.startswith("`") else _STRUCTURE.sub(_literal_start, said, count=1)


def _literal_start(found: re.Match[str]) -> str:
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


def _linked(text: str) -> str:
    return "".join(f"<{part}>" if index % 2 else _literal(part) for index, part in enumerate(_URL.split(text)))


def _literal(text: str) -> str:
    text = text.replace("&", "&amp;")
    text = _MARKUP.sub(r"\\\g<0>", text).replace("<", "&lt;").replace(">", "&gt;")
    return _MENTION.sub("@<!-- -->", text)


def code(text: str) -> str:
    """A code span that holds this text, whatever backticks are in it."""
    ticks = "`" * (longest(text) + 1)
    pad = " " if text.strip() and (text[0] in "` " or text[-1] in "` ") else ""
    return f"{ticks}{pad}{text or ' '}{pad}{ticks}"


def fence(text: str, kind: str) -> list[str]:
    """A fenced block that holds this text."""
    ticks = "`" * max(3, longest(text) + 1)
    return [f"{ticks}{kind}", *text.split("\n"), ticks]


def longest(text: str) -> int:
    """The longest run of backticks."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)
