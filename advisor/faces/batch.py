"""`advisor check --batch`: JSON lines in, a JSON report a line out, in order; many cases on all cores."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from advisor.cores import cores, end_with_parent
from advisor.faces.reports import OK, Threshold, exit_code
from advisor.jobs.batch import TOGETHER, lines_of, reports
from advisor.jobs.own_rules import own_rules, use_own_rules
from advisor.jobs.search import forget
from advisor.redaction import as_given, show_as_given
from advisor.render.json import json_line

MANY = 100
"""Cases from which on other processes are worth starting."""
FEW = 10  # cases that a process takes at a time where others wait for it
GARBAGE = 250_000  # allocations between two looks for cycles: those of cases judged together are many, and leave none


class Unfinished(Exception):
    """A process that answered cases was ended from outside: what was given in order before it stands."""


class Answered(NamedTuple):
    """Cases that follow one another: their reports in UTF-8, a line each as it is written, the worst exit code, and for
    each what is wrong with its line ("" when nothing is)."""

    lines: bytes
    code: int
    problems: tuple[str, ...]


def answers(content: str, threshold: Threshold) -> Iterator[Answered]:
    """The answers to the lines that are not blank, in order. Raises Unfinished where a process for them is gone."""
    lines = lines_of(content)
    processes = cores() if len(lines) >= MANY else 1
    parts = ["\n".join(some) for some in _parts(lines, processes)]
    answer = partial(_answered, threshold=threshold)
    processes = min(processes, len(parts) - 1)
    if processes < 2:
        yield from map(answer, parts)
        return
    yield answer(parts[0])  # where processes are forked, each has what that loaded and made, which is most of a start
    gc.freeze()
    pool = ProcessPoolExecutor(processes, initializer=_set_up, initargs=(as_given(), own_rules()))
    try:
        with _uninterrupted():
            answered = pool.map(answer, parts[1:])
        yield from answered
    except BrokenProcessPool:
        raise Unfinished(
            "a process was ended from outside, as for want of memory, and the rest was not judged"
        ) from None
    finally:  # interrupted, what has not begun is let go
        pool.shutdown(wait=True, cancel_futures=True)


def _parts(lines: Sequence[str], processes: int) -> Iterator[Sequence[str]]:
    """The lines as processes take them: few at first, for which all wait, then as many as are best judged together,
    and at the end fewer and fewer, so that no process is left with much when the others are done."""
    at, size = 0, min(FEW, TOGETHER)
    while at < len(lines):
        yield lines[at : at + size]
        at += size
        size = min(TOGETHER, max(FEW, (len(lines) - at) // (2 * processes)))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits: while a process is forked it would be lost, or end that process before it is set up."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _answered(part: str, threshold: Threshold) -> Answered:
    lines: list[str] = []
    problems: list[str] = []
    code = OK
    for report, problem in reports(part):
        lines.append(json_line(report))
        problems.append(problem)
        code = max(code, exit_code([report], threshold))
    return Answered("\n".join(lines).encode("utf-8", "backslashreplace"), code, tuple(problems))


def _set_up(plainly: bool, own: tuple[Path, ...]) -> None:
    """A process of the pool: Ctrl-C is for the one that waits for it, and what it opened is not for another.

    `plainly`: nothing is hidden. `own` are the user's rules.
    """
    if plainly:
        show_as_given()
    use_own_rules(own)
    forget()
    gc.freeze()
    gc.set_threshold(GARBAGE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
