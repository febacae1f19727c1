"""A text as sentences see it: wrapped lines joined, code told from words, and the clause around a place.

    … follow-up fixes #4568
    tp>1, #4572 quant            -> the clause of `tp>1` is `follow-up fixes #4568 tp>1`

Every view has the length of the text, so that places in one are places in all.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from functools import cached_property

from advisor.model.fact import Artifact, Span
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_FENCE = Shape(r"^[ \t>]*(`{3,8}|~{3,8})[^\n]*\n.*?(?:^[ \t>]*\1[^\n]*|\Z)", re.M | re.S)
_INLINE = Shape(r"(?<!`)`[^`\n]+`(?!`)")
_OWN_LINE = Shape(
    r"[ \t]*(?:$|[-*•+|#>(\[]|\d+[.)、] |```|~~~|--|\d{4}-\d\d-|\d\d:\d\d"
    r"|(?:INFO|WARNING|ERROR|DEBUG|File|Traceback)\b)"
)  # bullets, tables, headings, flags, log lines
_BOUNDARY = Shape(r"\n|[.!?](?=[\s*`\"')]|$)|[;:,(){}|；：，。（）、！？—–]")
_SENTENCE = Shape(r"\n|[.!?](?=[\s*`\"')]|$)|[;|；。！？]")
_CONFIGURATION = Shape(
    r"(?i)^[\s>]*(?:[-*•+]|\d+[.)])\s++\**`?[\w -]{1,24}`?\**\s*[:=：]|^\s*\|"
    r"|^[\s>|*-]*+(?:key |main |启动|关键)?(?:flags?|config\w*|settings?|参数|配置|args)\**\s*[:：]"
)  # - tp = 1, ep = 1   **Key flags**: …   | tp | 2 |

_REACH = 400  # characters that a clause may be long to either side


@dataclass(frozen=True)
class Prose:
    """A text and the views of it that readers of prose share."""

    artifact: Artifact

    @property
    def text(self) -> str:
        """The text as given."""
        return self.artifact.text

    @cached_property
    def fences(self) -> tuple[tuple[int, int], ...]:
        """The fenced blocks."""
        return tuple(found.span() for found in _FENCE.finditer(self.text))

    @cached_property
    def code(self) -> tuple[tuple[int, int], ...]:
        """What stands in fences or between backticks."""
        inline = [one.span() for one in _INLINE.finditer(self.text) if not _within(one.start(), self.fences)]
        return tuple(sorted([*self.fences, *((start + 1, end - 1) for start, end in inline)]))

    @cached_property
    def joined(self) -> str:
        """The text with the line breaks inside paragraphs turned into blanks."""
        if "\n" not in self.text:
            return self.text
        pieces: list[str] = []
        at, lines = 0, self.text.split("\n")
        for index, line in enumerate(lines):
            following = lines[index + 1] if index + 1 < len(lines) else ""
            hard = not line.strip() or line.lstrip().startswith(("#", "|", "```")) or bool(_OWN_LINE.match(following))
            pieces += [line, "\n" if hard or _within(at, self.fences) else " "]
            at += len(line) + 1
        return "".join(pieces[:-1])

    @cached_property
    def _boundaries(self) -> list[int]:
        """Where clauses end: just past each mark that ends one."""
        return [found.end() for found in _BOUNDARY.finditer(self.joined)]

    @cached_property
    def _ends(self) -> list[int]:
        """Where sentences end."""
        return [found.end() for found in _SENTENCE.finditer(self.joined)]

    def in_code(self, at: int) -> tuple[int, int] | None:
        """The code around a place, or None."""
        index = bisect_right(self.code, (at, len(self.text))) - 1
        if index < 0:
            return None
        start, end = self.code[index]
        return (start, end) if at < end else None

    def clause(self, start: int, end: int) -> str:
        """The clause around `start`..`end`."""
        before = self.before(start)
        after = _BOUNDARY.search(self.joined, end, end + _REACH)
        return before + self.joined[start : after.start() if after else end + _REACH]

    def before(self, start: int) -> str:
        """The part of the clause in front of a place."""
        return self.joined[_begin(self.joined, self._boundaries, start) : start]

    def rest(self, start: int, end: int) -> str:
        """What follows the clause around `start`..`end` in its sentence."""
        clause = _BOUNDARY.search(self.joined, end, end + _REACH)
        begin = clause.start() if clause else min(len(self.joined), end + _REACH)
        stop = _SENTENCE.search(self.joined, begin, begin + _REACH)
        return self.joined[begin : stop.start() if stop else begin + _REACH]

    def sentence(self, start: int, end: int) -> str:
        """The sentence around `start`..`end`, with the mark that ends it."""
        stop = _SENTENCE.search(self.joined, end, end + _REACH)
        return self.sentence_before(start) + self.joined[start : stop.end() if stop else end + _REACH]

    def sentence_before(self, start: int) -> str:
        """The part of the sentence in front of a place."""
        return self.joined[_begin(self.joined, self._ends, start) : start]

    def line(self, at: int) -> str:
        """The whole line of the joined text."""
        begin = self.joined.rfind("\n", 0, at) + 1
        stop = self.joined.find("\n", at)
        return self.joined[begin : stop if stop >= 0 else len(self.joined)]

    def states(self, start: int, end: int) -> bool:
        """Whether the place stands where configuration is stated: a title, code, bold, a table, `key: value` items."""
        if self.in_code(start) or self.in_title(start):
            return True
        bold = self.joined[max(0, start - 40) : start].rpartition("**")
        marked = bool(bold[1]) and "**" in self.joined[end : end + 40] and self.line(start).count("**") >= 2
        return marked or bool(_CONFIGURATION.match(self.line(start)))

    def in_title(self, at: int) -> bool:
        """Whether the place is in the first line, where that is followed by more and short enough for a title."""
        first = self.text.find("\n")
        return at < first <= 300

    def span(self, start: int, end: int) -> Span:
        """The place in the artifact."""
        return self.artifact.span(start, end)

    def quote(self, start: int) -> str:
        """The line the place stands on, cut to a readable length."""
        return self.artifact.line_at(start)


def _begin(text: str, ends: list[int], start: int) -> int:
    """Where the part in front of `start` begins: behind the last of these ends, or as far away as one looks."""
    low = max(0, start - _REACH)
    if start > low and text[start - 1] in ".!?":  # it ends there, whatever follows
        return start
    index = bisect_right(ends, start)
    return max(low, ends[index - 1]) if index else low


def _within(at: int, spans: tuple[tuple[int, int], ...]) -> bool:
    index = bisect_right(spans, (at, sys.maxsize)) - 1
    return index >= 0 and at < spans[index][1]
