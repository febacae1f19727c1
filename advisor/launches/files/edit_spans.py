"""Characters of a file that hold one item, pair or word -> the characters that go with them when they are taken away.

    - --tp 8              the item's whole line
    ["a", "b", "c"]       `, "b"`: one separator goes too, so that what is left still parses
    vllm serve m \\        the words, with the continuation that set them apart
      --tp 8 \\

Line ends stay what they are. None where taking away would touch anything else: a key in front on the same line, an
anchor that others may name.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_CONTINUED = r"(?:\\|`|\^)[ \t]*\r?\n"
LONGEST_GAP = 2_000  # characters; blanks farther off stay where they are
_GAP_BEFORE = re.compile(rf"(?:[ \t]|{_CONTINUED})*\Z")
_GAP_AFTER = re.compile(rf"(?:[ \t]|{_CONTINUED})*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\Z")
_REST_COMMA = re.compile(r"[ \t]*,[ \t]*(?:#[^\n]*)?\r?\Z")
_DASH = re.compile(r"[ \t]*-[ \t]+\Z")
_COMMA_AFTER = re.compile(r"\s*,[ \t]*")
_COMMA_BEFORE = re.compile(r",\s*\Z")
SEPARATORS = re.compile(r"(?:[\s,\\`^]|#[^\n]*\n)*\Z")
FLOW = ("flow item", "exec form", "keyword")


def line_of(text: str, at: int) -> Span:
    """The line that holds a character, without its `\\n`."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, end if end >= 0 else len(text)


def in_block(text: str, start: int) -> bool:
    """Whether an item is one of a list with dashes, whatever its own style: `- {name: A, value: b}`."""
    return bool(_DASH.match(text[line_of(text, start)[0] : start]))


def eol_of(text: str, at: int = 0) -> str:
    """The line end that is used near a character, else in the file."""
    at = max(at, 0)
    end = text.find("\n", at)
    end = end if end >= 0 else text.rfind("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def indent_of(text: str, at: int) -> str:
    """The blanks at the head of the line that holds a character."""
    found = re.match(r"[ \t]*", text[line_of(text, at)[0] :])
    return found.group() if found else ""


def removal(text: str, span: Span, form: str) -> Span | None:
    """What to cut to take away one thing that stands in this form; None where that cannot be done cleanly."""
    start, end = span
    if form in ("block item", "flow item") and in_block(text, start):
        return lines(text, start, end, _DASH)
    if form in (*FLOW, "block item") or (form == "mapping value" and in_flow(text, start, end)):
        if form == "block item" and not in_flow(text, start, end, "[]"):
            return None
        found = between_commas(text, start, end)
        alone = form == "keyword" and text[: found[0]].rstrip().endswith("(") and text[found[1] :].lstrip()[:1] == ")"
        return None if alone else found  # a call without arguments is another call
    if form == "mapping value":
        return lines(text, start, end, re.compile(r"(?<![ \t])[ \t]*+\Z"))
    return between_blanks(text, start, end) if form == "shell word" else None


def in_flow(text: str, start: int, end: int, brackets: str = "{}") -> bool:
    """Whether a pair stands in `{…}`, or an item in `[…]`: between brackets or commas."""
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    return before in (brackets[0], ",") or after in (brackets[1], ",")


def lines(text: str, start: int, end: int, head: re.Pattern[str]) -> Span | None:
    """The whole lines of something that stands on lines of its own."""
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    if not head.match(text[first:start]) or not _REST.match(text[end:last]):
        return None
    if last < len(text):
        return first, last + 1
    before = text[:first].removesuffix("\n").removesuffix("\r")  # the last line, which has no end of its own
    return len(before), last


def between_commas(text: str, start: int, end: int) -> Span:
    """An item of a list between brackets or of a call, with one of its commas."""
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    before, after = _COMMA_BEFORE.search(text[:start]), _COMMA_AFTER.match(text, end)
    if not text[first:start].strip():
        if _REST_COMMA.match(text[end:last]) and last < len(text):
            return first, last + 1
        if _REST.match(text[end:last]) and not before and last < len(text):
            return first, last + 1
    if after:
        stop = after.end()
        if text[stop : stop + 2].lstrip("\r").startswith("\n") and text[first:start].strip():
            start -= len(text[:start]) - len(text[:start].rstrip(" \t"))
            return start, text.index(",", end) + 1
        return start, stop
    return (before.start(), end) if before else (start, end)


def between_blanks(text: str, start: int, end: int) -> Span:
    """Words of a shell, with the blanks or the continuation on one side of them."""
    gap = _GAP_BEFORE.search(text, max(0, start - LONGEST_GAP), start)
    before = gap.start() if gap else start
    found = _GAP_AFTER.match(text, end)
    after = found.end() if found else end
    lead, trail = text[before:start], text[end:after]
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    if "\n" in lead:
        more_on_line = bool(trail) and "\n" not in trail and text[after : after + 1] not in ("\n", "\r", "")
        return (start, after) if more_on_line else (before, end)
    if not text[first:start].strip():
        if "\n" in trail or not _REST.match(text[end:last]):
            return start, after
        whole = lines(text, start, end, re.compile(r"(?<![ \t])[ \t]*+\Z"))
        return whole if whole is not None else (start, after)
    return (before, end) if lead else (start, after)


def cut(text: str, span: Span, new: str = "") -> str:
    """The text with these characters replaced."""
    return text[: span[0]] + new + text[span[1] :]
