"""Python tracebacks in a log -> what was raised: a traceback is one unit, and the first of a chain is its root.

    (EngineCore_DP0 pid=269) ERROR 10-06 04:51:05 [core.py:1197] Traceback (most recent call last):
    (EngineCore_DP0 pid=269) ERROR 10-06 04:51:05 [core.py:1197]   File "vllm/v1/engine/core.py", line 1188, in run
    (EngineCore_DP0 pid=269) ERROR 10-06 04:51:05 [core.py:1197] TimeoutError: RPC call to sample_tokens timed out.

    torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB.   (the last line alone, as people quote it)

Lines that another rank printed in between are stepped over. **Source:** CPython 3.12 `Lib/traceback.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence.lines import body, head_length, line_around, lines, occurrences, rank_of
from advisor.evidence.shapes import Shape

_HEADING = "Traceback (most recent call last)"
_CHAIN = ("During handling of the above exception", "The above exception was the direct cause")
_RAISED = Shape(
    r"(?:[-*] )?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: (.*)|:?\s*$)", re.S
)  # torch.OutOfMemoryError: CUDA out ...
_ALONE = Shape(
    r"(?:[-*] )?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout))(?:\(.*?\))?(?:: (.*)|\s*$)|(Exception): (.*)",
    re.S,
)
_MAX_LINES = 600
_MAX_UNITS = 2_000
_QUIET_LEVEL = Shape(r"\b(?:INFO|DEBUG|WARNING)\b|\[?[IW]\d{4}")


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that was printed. `begin` is where its traceback starts, `start`..`end` its own line.

    `chained` says that another exception in the same text led to it; `whole` that its traceback is there too.
    """

    exception: str
    message: str
    begin: int
    start: int
    end: int
    chained: bool
    whole: bool

    @property
    def name(self) -> str:
        """The exception's type without its module."""
        return self.exception.rpartition(".")[2]


def raised(text: str) -> list[Raised]:
    """Every exception in the text, in the order of their lines."""
    whole: list[Raised] = []
    for at in occurrences(text, _HEADING):
        if len(whole) >= _MAX_UNITS:
            break
        unit = _unit(text, at, whole[-1] if whole else None)
        if unit:
            whole.append(unit)
    alone = [one for one in _alone(text) if not any(unit.begin <= one.start <= unit.end for unit in whole)]
    return sorted([*whole, *alone], key=lambda one: one.start)


def _unit(text: str, at: int, before: Raised | None) -> Raised | None:
    head = line_around(text, at)
    rank = rank_of(head.text)
    for count, row in enumerate(lines(text, head.end + 1)):
        printed = body(row.text)
        if count > _MAX_LINES or _HEADING in row.text:
            return None
        if (
            rank_of(row.text) != rank
            or not printed.strip()
            or printed[:1].isspace()
            or printed.startswith(("|", "+", "[Previous line"))
        ):
            continue
        found = _RAISED.match(printed[:4000])
        if found is None:
            if head_length(row.text) and not head_length(head.text):
                continue  # another process logs into an unprefixed traceback
            return None
        gap = text[before.end : head.start] if before else ""
        chained = before is not None and len(gap) < 2000 and any(phrase in gap for phrase in _CHAIN)
        return Raised(found.group(1), (found.group(2) or "").strip(), head.start, row.start, row.end, chained, True)
    return None


def _alone(text: str) -> Iterator[Raised]:
    """Exception lines whose traceback was left out; what a logger calls a mere warning is not one."""
    seen: set[int] = set()
    for word in ("Error", "Exception", "Timeout"):
        for at in occurrences(text, word):
            row = line_around(text, at)
            if row.start in seen or len(seen) > _MAX_UNITS:
                continue
            seen.add(row.start)
            head = head_length(row.text)
            if head and _QUIET_LEVEL.search(row.text[:head]):
                continue
            found = _ALONE.match(body(row.text)[:4000])
            if found:
                name, message = found.group(1) or found.group(3), found.group(2) or found.group(4) or ""
                yield Raised(name, message.strip(), row.start, row.start, row.end, False, False)
