"""Python tracebacks in a log -> what was raised: a traceback is one unit, and the first of a chain is its root.

    (EngineCore_DP0 pid=269) ERROR 10-06 04:51:05 [core.py:1197] Traceback (most recent call last):
    (EngineCore_DP0 pid=269) ERROR 10-06 04:51:05 [core.py:1197]   File "vllm/v1/engine/core.py", line 1188, in run
    (EngineCore_DP0 pid=269) ERROR 10-06 04:51:05 [core.py:1197] TimeoutError: RPC call to sample_tokens timed out.

    [2026-08-02 12:01:07 TP0] Scheduler hit an exception: Traceback (most recent call last):
      File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2826, in run_scheduler_process
    torch.AcceleratorError: CUDA error: an illegal memory access was encountered

    ray.exceptions.RayTaskError(ValueError): ray::RayWorkerWrapper.execute_method() (pid=7, ip=192.0.2.2)

    torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB.   (the last line alone, as people quote it)

Where the logger prefixes every line, lines that another rank printed in between are stepped over; where it prefixes
the first alone, the rest follows at once, and the rank is the first line's. A group of exceptions follows from those
in it.

**Source:** CPython 3.12 `Lib/traceback.py`; SGLang 0.5.17 `managers/scheduler.py` (`run_scheduler_process`); Ray 2.4x
`python/ray/exceptions.py` (`RayTaskError`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence.lines import (
    Line,
    body,
    head_length,
    line_around,
    lines,
    occurrences,
    rank_in,
    rank_of,
    role_of,
    wraps_length,
)
from advisor.model.late import dataclass
from advisor.model.shape import Shape

HEADING = "Traceback (most recent call last)"  # also of `Exception Group Traceback (most recent call last)`
_RAY_TASK = Shape(r"(?:ray\.exceptions\.)?RayTaskError\(([\w.]+)\)")
_CHAIN = ("During handling of the above exception", "The above exception was the direct cause")
_RAISED = Shape(
    r"(?:[-*] )?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:\([\w.]+\))?(?:: (.*)|:?\s*$)", re.S
)  # torch.OutOfMemoryError: CUDA out ...
_ALONE = Shape(
    r"(?:[-*] )?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout))(?:\(.*?\))?(?:: (.*)|\s*$)|(Exception): (.*)",
    re.S,
)
_MARGIN = Shape(r"^\s*(?:\| ?|\+ (?=Exception Group))")  # of an exception group's branches
_MAX_LINES = 600
_MAX_UNITS = 2_000
_WORDS = ("Error", "Exception", "Timeout")
MARKS = (HEADING, *_CHAIN, *_WORDS)
_QUIET_LEVEL = Shape(r"\b(?:INFO|DEBUG|WARNING)\b|\[?[IW]\d{4}")


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that was printed. `begin` is where its traceback starts, `start`..`end` its own line.

    `chained` says that another exception in the same text led to it; `whole` that its traceback is there too; `rank` is
    who printed it, None when not said.
    """

    exception: str
    message: str
    begin: int
    start: int
    end: int
    chained: bool
    whole: bool
    rank: str | None = None

    @property
    def name(self) -> str:
        """The exception's type without its module."""
        return self.exception.rpartition(".")[2]


def raised(text: str) -> list[Raised]:
    """Every exception in the text, in the order of their lines."""
    whole: list[Raised] = []
    for at in occurrences(text, HEADING):
        if len(whole) >= _MAX_UNITS:
            break
        unit = _unit(text, at, whole[-1] if whole else None)
        if unit:
            whole.append(unit)
    alone = [one for one in _alone(text) if not any(unit.begin <= one.start <= unit.end for unit in whole)]
    return sorted([*whole, *alone], key=lambda one: one.start)


def _unit(text: str, at: int, before: Raised | None) -> Raised | None:
    head = line_around(text, at)
    grouped = bool(_MARGIN.match(body(head.text)))
    for row in _own_lines(text, head):
        printed = _MARGIN.sub("", body(row.text)) if grouped else body(row.text)
        if HEADING in row.text:
            return None
        if not printed.strip() or printed[:1].isspace() or printed.startswith(("|", "+", "[Previous line")):
            continue
        found = _RAISED.match(printed[:4000])
        if found is None:
            return None
        name, message = _named(found.group(1), found.group(2), printed)
        chained = name.endswith("ExceptionGroup") or _follows(text, before, head)
        return Raised(name, message, head.start, row.start, row.end, chained, True, rank_of(head.text))
    return None


def _own_lines(text: str, head: Line) -> Iterator[Line]:
    """The lines after a heading that the same process printed with it.

    A logger prefixes each line, or the first alone and writes the rest at once; other processes may print in between.
    """
    said = _speaks(head.text)
    attached: bool | None = None
    for count, row in enumerate(lines(text, head.end + 1)):
        if count > _MAX_LINES:
            return
        speaks = _speaks(row.text)
        if attached is None and row.text.strip() and _who(row.text) == _who(head.text):
            attached = said and not speaks
        if attached and speaks and _who(row.text) == _who(head.text):
            return
        if speaks == (said and not attached) and (
            _who(row.text) == _who(head.text) if attached else rank_of(row.text) == rank_of(head.text)
        ):
            yield row


def _speaks(line: str) -> bool:
    """Whether the line has a logger's own prefix."""
    return head_length(line) > wraps_length(line)


def _who(line: str) -> tuple[str | None, str | None]:
    """Rank and role that stand on every line of a process."""
    return rank_in(line[: wraps_length(line)]), role_of(line)


def _follows(text: str, before: Raised | None, head: Line) -> bool:
    """Whether the exception printed before led to this one, as Python says between them."""
    gap = text[before.end : head.start] if before else ""
    return before is not None and len(gap) < 2000 and any(phrase in gap for phrase in _CHAIN)


def _named(name: str, message: str | None, printed: str) -> tuple[str, str]:
    """Type and message; of what Ray carries over from a worker, the type that was raised there."""
    task = _RAY_TASK.match(printed)
    return (task.group(1) if task else name), (message or "").strip()


def _alone(text: str) -> Iterator[Raised]:
    """Exception lines whose traceback was left out; what a logger calls a mere warning is not one."""
    seen: set[int] = set()
    for word in _WORDS:
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
                name, message = _named(name, message, body(row.text)[:4000])
                yield Raised(name, message, row.start, row.start, row.end, False, False, rank_of(row.text))
