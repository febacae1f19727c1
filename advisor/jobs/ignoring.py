"""Patterns as in `.gitignore` -> what they leave out, whoever wrote them.

A folder's own ignore files are a stranger's: a line that is no pattern matches nothing there, as git has it, and what
no person would write (a line of hundreds of characters, thousands of lines) is not looked at; at worst a file is read
that git leaves out. What the user asked for, in an option or a configuration, is an instruction instead: one that
cannot be followed is an error.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator

from pathspec import GitIgnoreSpec

from advisor.errors import UsageError
from advisor.patterns import REFUSED

LONGEST = 300
"""Characters of a pattern; compiling takes time and memory with their product."""
MOST = 1 << 15
"""Characters of one file's patterns together: three times the longest that GitHub offers as a template."""
_NO_PATTERN = (ValueError, re.error, REFUSED)


def left_out(lines: Iterable[str]) -> tuple[GitIgnoreSpec, ...]:
    """What an ignore file's lines leave out: of each that knows a path, the last has the word.

    One, but where the patterns are more than can be looked for together.
    """
    patterns, room = [], MOST
    for line in lines:
        bare = line.strip()
        if bare and not bare.startswith("#") and len(bare) <= LONGEST:
            patterns.append(line)
            room -= len(bare)
        if room < 0:
            break
    return tuple(_in_parts(patterns))


def _in_parts(patterns: list[str]) -> Iterator[GitIgnoreSpec]:
    """The patterns in their order, as many together as can be looked for; one that is none is left out."""
    found = _compiled(patterns)
    if found is not None:
        yield found
    elif len(patterns) > 1:
        half = len(patterns) // 2
        yield from _in_parts(patterns[:half])
        yield from _in_parts(patterns[half:])


def asked_to_leave_out(patterns: Iterable[str], where: str = "--exclude") -> GitIgnoreSpec:
    """What the user's patterns leave out. Raises UsageError for one that is none."""
    given = [os.fsencode(one).decode("utf-8", "backslashreplace") for one in patterns]  # as names are matched
    for one in given:
        if len(one) > LONGEST:
            raise UsageError(f"a pattern of more than {LONGEST} characters", where, one[:40])
        if _compiled([one]) is None:
            raise UsageError(f"{one!r} is no pattern", where, "patterns are those of .gitignore, such as vendor/")
    found = _compiled(given)
    if found is None:
        raise UsageError("its patterns are too many to be looked for together", where, None)
    return found


def _compiled(patterns: list[str]) -> GitIgnoreSpec | None:
    try:
        with warnings.catch_warnings():  # Python's word on a set in a set, for people who write code
            warnings.simplefilter("ignore", FutureWarning)
            return GitIgnoreSpec.from_lines(patterns)
    except _NO_PATTERN:
        return None
