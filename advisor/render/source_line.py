"""A region of a file -> the line it begins on, cut to the room there is, with carets under it.

Tabs become spaces, wide characters take their two columns, and what could drive a terminal is shown as `\\x1b`, each
with the carets still under the right place. Of a long line only what stands around the region is touched at all.
"""

from __future__ import annotations

from advisor.model.lint import Region
from advisor.render.language import counted, say
from advisor.render.layout import columns
from advisor.render.quoting import UNSAFE, many_lines

TAB = 4


def source_line(region: Region, width: int) -> list[str]:
    """The source with its number, the carets below, and how many lines follow; nothing when there is no source."""
    if not region.snippet:
        return []
    lines = region.snippet.split("\n", 1)
    gutter = f"{region.line:>5} | "
    said, carets = _window(lines[0].removesuffix("\r"), region, max(8, width - len(gutter)))
    more = region.end_line - region.line
    follows = [f"{'':>5} | {say('… and {lines}', lines=counted(more, 'more line'))}"] if more > 0 else []
    return [gutter + said, f"{'':>5} | {carets}", *follows]


def _window(line: str, region: Region, room: int) -> tuple[str, str]:
    """At most `room` columns of the line, around the region, and the carets that belong below."""
    start = min(max(region.column - 1, 0), len(line))
    end = region.end_column - 1 if region.end_line == region.line else len(line)
    end = min(max(end, start + 1), max(len(line), start + 1))
    left = start - _fitting(line[max(0, start - room) : start][::-1], room // 3)
    if _fitting(line[: start + room], room - 1) >= min(end, len(line)):
        left = 0
    if _plain(line):
        return _plain_window(line, start, end, left, room)
    shown = ["…"] if left else []
    used = len(shown)
    at, carets = left, [" "] * used
    while at < len(line):
        piece = _shown(line[at], used)
        size = columns(piece)
        if used + size > room - (at + 1 < len(line)):
            shown.append("…")
            break
        shown.append(piece)
        carets.append(("^" if start <= at < end else " ") * size)
        used, at = used + size, at + 1
    marks = "".join(carets).rstrip()
    return "".join(shown).rstrip(), marks or " " * used + "^"


def _plain(text: str) -> bool:
    """Whether every character is shown as it is, in one column; most source is so."""
    return text.isascii() and text.isprintable()


def _plain_window(line: str, start: int, end: int, left: int, room: int) -> tuple[str, str]:
    room -= 1 if left else 0
    shown = line[left:] if len(line) - left <= room else line[left : left + room - 1]
    cut = "…" if left + len(shown) < len(line) else ""
    before = " " * (start - left + (1 if left else 0))
    carets = "^" * max(0, min(end, left + len(shown)) - start)
    return ("…" if left else "") + (shown + cut).rstrip(), before + (carets or "^")


def _fitting(characters: str, room: int) -> int:
    """How many of the characters fit into the room."""
    if _plain(characters):
        return min(len(characters), room)
    used = count = 0
    for one in characters:
        used += columns(_shown(one, used))
        if used > room:
            break
        count += 1
    return count


def _shown(character: str, column: int) -> str:
    if character == "\t":
        return " " * (TAB - column % TAB)
    return many_lines(character) if UNSAFE.match(character) else character
