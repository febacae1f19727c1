"""A text -> the places in it that show a text without saying that it happened, and why.

    $ grep 'Error type: SIZE_OR_SYNTAX_MISMATCH' fr.txt     a search for it
    - Fix DeepEP timeout with MTP (#4741)                   a list of changes
    CHECK(state.token_id == token_id) << "…";               source code
    > If the sizes differ, you hit #33614                   advice, quoted to be answered
    Status: RESOLVED                                        a closed ticket

A traceback's source lines stay: it is an engine that printed them. Empty: nothing of the kind.

**Source:** no tool prints this; the forms are those of issue threads and release notes of the engines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.model.shape import Shape

SEARCH, CHANGES, CODE, QUOTE, TICKET = (
    "a search for a text", "a list of changes", "source code", "quoted advice", "a closed ticket",
)  # fmt: skip

# grep -c 'x' log, zcat log | grep x, rg x, awk '/x/'
_SEARCH = Shape(
    r"(?:^|[\s$#>`(|])(?:[efz]?grep|rg|ripgrep|ack|awk|findstr|Select-String|sls)(?:\.exe)?\s+(?:-{1,2}\w[\w=-]*\s+){0,8}(?:['\"/\w\\])"
)
_COMMAND = Shape(
    r"^\s*(?:[$#>%]\s|\S{1,40}[$#]\s|(?:[efz]?grep|rg|awk|zcat|cat|journalctl|kubectl|docker|sed|dmesg)\s)"
)
_PROMPTED = Shape(r"^\s*(?:[$#>%]\s|\S{1,40}[$#]\s)")
_FOUND = Shape(
    r"(?:->|→|=>|\b(?:gives|returns|returned|shows|showed|finds|found|prints|printed|counts?))\s*`?(?:about |some )?[1-9]\d*\b"
)
_CALLED = Shape(
    r"\b(?:shows?|prints?|finds?|found|gives?|returned|says)\b(?!.{0,20}\b(?:nothing|no\b|none|0\b|zero))", re.I
)
_FIX = r"(?:bug ?-?fix(?:es)?|hot-?fix(?:es)?|fix(?:e[sd])?|feat(?:ure)?|refactor|chore|perf|docs?|ci|test|revert|improve[sd]?|修复|解决|优化)"
_CHANGE = Shape(  # - Fix X (#4741) · * [PP] Fix X by @who in https://… · fix: X (#1)
    rf"^\s*+(?:[-*•+]\s++)?(?:\[[^\]\n]{{1,30}}\]\s*+)*{_FIX}\b.*(?:\(#\d+\)|#\d{{2,}}\)?\s*$|\bby @[\w-]+ in\b)"
    rf"|^\s*+[-*•+]\s++.*\bby @[\w-]+ in (?:#\d|https?://)"
    rf"|^\s*+[-*•+]\s++(?:\[[^\]\n]{{1,30}}\]\s*+)*{_FIX}\s*+(?:\([^)\n]{{1,30}}\))?[:：]"
    r"|^\s*+(?:fixes|fixed)\s++(?:an?\s++|the\s++)?[`'\"]?\w+(?:Error|Exception)\b",
    re.I,
)
_FORMER = Shape(r"^\s*+[-*•]?\s*+(?:previously|formerly|before|以前|之前|修改前|改前)\s*[:：]", re.I)
_CHANGES_HEAD = Shape(
    r"^\s*+(?:#{1,6}\s*+|\*\*)?(?:what'?s changed|change ?log|release notes?|bug ?fixes|fixed issues|known issues(?: fixed)?|更新日志|变更日志|发布说明)"
    r"[^\n]{0,40}?\**+\s*+(?:[:：]\s*+)?$",
    re.I,
)
_ITEM = Shape(r"^\s*(?:[-*•+]\s|\d+[.)]\s)")
_SOURCE = Shape(
    r"^\s*+(?:\d+\s*+[|:]\s*+)?(?:raise\s+\w+(?:\.\w+)*\s*\(|(?:D?CHECK|LOG|VLOG|TORCH_CHECK|ASSERT|NCCLCHECK)(?:_\w+|\.{3})?\s*\(|"
    r"(?:D?CHECK)(?:_\w+)?(?:\.{3})|"
    r"(?:async\s+)?def\s+\w+\s*\(|class\s+\w.*:\s*$|(?:static|inline|const|constexpr|virtual|template|extern|namespace|typedef)\b.*[;{(<]|"
    r"#\s?include\b|import\s+\w+(?:\.\w+)*\s*$|from\s+[\w.]+\s+import\b|return\b.*[;(\"']|assert\s+\S.*[,=(]|throw\s+\w+|"
    r"(?:if|while|for)\s*\(.*\)\s*+(?:\{\s*+)?$|(?:logger|logging|log|LOG|std::cerr|printf|fprintf)\s*[.(<]|"
    r"//(?!/?\w+\.\w)|/\*|\*\s.*\*/|#\s?(?:raise|return|todo|fixme|xxx|hack|noqa|assert|note:|type:|if |else|elif)\b|"
    r"@@\s-\d|diff --git |(?:---|\+\+\+)\s[ab]/)",
)
_LISTING = Shape(  # src/proxy.cc:499: static ncclResult_t …
    r"^\s*(?:[\w.-]+/)*[\w.-]+\.(?:py|cc|cpp|cu|cuh|c|h|hpp|go|rs|java|js|ts)[:(-]\d+\)?[:-]\s*"
    r"(?:static|raise|def|class|return|if|assert|CHECK|D?CHECK\w*|LOG|void|int|bool|auto|const|inline|//|#|throw|self\.|\w+_t\b)"
)
_HUNK = Shape(r"^(?:[+-](?![-+]{2}\s)|\s|@@)")
_TRACE = Shape(r"^\s*File \"|^Traceback|^\s*(?:\[\w+\]|\(\w[^)]*\))?.{0,60}File \"")
_NEAR = 4  # lines between a quote and what is said of it
_QUOTED = Shape(r"^\s{0,3}>")
_AGREES = Shape(
    r"^\W*(?:same(?: here| problem| issue| thing)?|\+1|me too|us too|(?:i|we)(?:'m| am|'re| are)?(?: \w+){0,2} (?:get|see|hit|have|getting|seeing|"
    r"hitting|facing|experienc\w+)\b|(?:this|that|exactly|it) (?:is )?(?:what|happens|also)|yes\b|also\b|confirm|同样|一样|我也|也遇到|我们也|是的)",
    re.I,
)
_LEADS_IN = Shape(r"[:：]\s*$")
_STATUS = Shape(
    r"^\W{0,4}(?:ticket |issue |bug )?(?:status|state|状态)\W{1,6}(?:resolved|closed|fixed|solved|done|已解决|已关闭|已修复)\W*$",
    re.I | re.M,
)
_ANY_STATUS = Shape(r"^\W{0,4}(?:ticket |issue |bug )?(?:status|state|状态)\W{1,6}\w", re.I | re.M)
_MACHINE = Shape(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[ T]\d\d:|[IWEF]\d{4,8} |(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) \d|\[rank|Traceback)"
)


def exhibits(text: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, why)` of every place that only shows a text."""
    yield from _tickets(text)
    lines = _lines(text)
    yield from _quotes(lines)
    changes, diff, trace = False, False, -9
    for number, (start, end, line) in enumerate(lines):
        bare = line.strip()
        if _TRACE.match(line):
            trace = number
        if _CHANGES_HEAD.match(line):
            changes = True
        elif changes and bare and not _ITEM.match(line):
            changes = False
        diff = (diff and bool(bare) and _HUNK.match(line) is not None) or line.startswith(("diff --git", "@@ -"))
        if not bare or _MACHINE.match(line):
            continue
        if changes or _CHANGE.match(line) or _FORMER.match(line):
            yield start, end, CHANGES
        elif _SEARCH.search(line):
            yield from _searched(start, end, line)
        elif diff or (number - trace > 2 and (_SOURCE.match(line) or _LISTING.match(line))):
            yield start, end, CODE


def among_log_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """The lines of a pasted log that no engine printed: a shell's search, a listing of source, a list of changes."""
    for start, end, line in _lines(text):
        if _COMMAND.match(line) and _SEARCH.search(line):
            yield start, end, SEARCH
        elif _LISTING.match(line):
            yield start, end, CODE
        elif _CHANGE.match(line) or _FORMER.match(line):
            yield start, end, CHANGES


def _lines(text: str) -> list[tuple[int, int, str]]:
    found, place = [], 0
    for line in text.split("\n"):
        found.append((place, place + len(line), line[:2000]))
        place += len(line) + 1
    return found


def _searched(start: int, end: int, line: str) -> Iterator[tuple[int, int, str]]:
    """A command wherever it ends; in prose, unless the sentence says that something was found."""
    if _PROMPTED.match(line) or not (_FOUND.search(line) or _CALLED.search(line)):
        yield start, end, SEARCH


def _tickets(text: str) -> Iterator[tuple[int, int, str]]:
    """A ticket that is closed, whole: up to the next ticket's status."""
    for found in _STATUS.finditer(text):
        other = next((one for one in _ANY_STATUS.finditer(text, found.end())), None)
        first = not any(one.start() < found.start() for one in _ANY_STATUS.finditer(text))
        yield 0 if first else found.start(), other.start() if other else len(text), TICKET


def _quotes(lines: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Runs of `>` lines that are answered below, unless the answer is that this is what is met here."""
    number = 0
    while number < len(lines):
        begin = number
        while number < len(lines) and _QUOTED.match(lines[number][2]):
            number += 1
        if number > begin:
            yield from _answered(lines, begin, number)
        number += 1


def _answered(lines: list[tuple[int, int, str]], begin: int, stop: int) -> Iterator[tuple[int, int, str]]:
    reply = next((line for _, _, line in lines[stop : stop + _NEAR] if line.strip()), "")
    lead = next((line for _, _, line in reversed(lines[max(0, begin - _NEAR) : begin]) if line.strip()), "")
    if reply and not _AGREES.match(reply) and not _LEADS_IN.search(lead):
        for start, end, line in lines[begin:stop]:
            if not _MACHINE.match(line.lstrip("> ")):
                yield start, end, QUOTE
