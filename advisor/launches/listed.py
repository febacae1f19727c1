r"""Environments listed beside commands, as `env` and /proc/PID/environ print them -> whose they are, and their places.

    /usr/bin/python3 -m sglang.launch_server --model-path m --tp 2
    NCCL_DEBUG=INFO                    the lines under a command line: its own environment, up to anything else
    SGLANG_ENABLE_SPEC_V2=1

    Environment:                       a block of its own: that of every launch in the text
    NCCL_DEBUG=INFO
    NCCL_P2P_DISABLE=1

Only lines that are nothing but NAME=value count, as a program prints them: a value in quotes, with a `$` in it or a
`\` behind it is shell, and a script with `#!` sets its own. A block of its own is of engines' and libraries' variables
alone, or names what every environment has (PATH, HOME). Nothing found is no statement about the environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.launches.command_line import ENGINE_VARIABLES
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_PRINTED = Shape(r"[ \t]*([A-Za-z_][\w.]*)=(?![\"'])((?:[^\n]*[^ \t\r\n])?)[ \t\r]*\Z")  # NCCL_IB_HCA=mlx5_0,mlx5_1
_SHELL_VALUE = Shape(r"\$[\w({!?@*#]|`|\\\Z|[;&|]\s*\Z")
_HINT = Shape(r"(?m)^[ \t]*[A-Z_][A-Z0-9_]*=")
_USED = Shape(r"\$\{?([A-Za-z_]\w*)")
_USUAL = {"PATH", "HOME", "PWD", "HOSTNAME", "SHLVL"}
_PROCESS = Shape(r"[ \t]*(?:VLLM|sglang|ray)::\S+|[ \t]*\S*python[\d.]*[ \t]")  # VLLM::EngineCore
_GOES_ON = Shape(r"(?:\\|&|\||;)[ \t\r]*\Z")
_LEAD = Shape(r"[ \t]*(?:[\w.-]+@\S*[$#][ \t]*|[$%][ \t]*)?\Z")  # user@host:~$
_FEWEST = 2  # lines of a block of its own


@dataclass(frozen=True, slots=True)
class Entry:
    """NAME=value and its characters."""

    name: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Listed:
    """Entries with the characters of their lines; `command` is where the line that they follow begins, -1 for none."""

    command: int
    start: int
    end: int
    entries: tuple[Entry, ...]


def read(text: str, begins: re.Pattern[str]) -> list[Listed]:
    """The environments listed in the text, in order; `begins` is what an engine's command begins with."""
    if text.lstrip().startswith("#!") or not _HINT.search(text):
        return []
    used = set(_USED.findall(text))
    return [one for one in _runs(text, begins) if used.isdisjoint(each.name for each in one.entries)]


def _runs(text: str, begins: re.Pattern[str]) -> Iterator[Listed]:
    """Runs of such lines, each with the line before it."""
    run: list[Entry] = []
    before, at = "", 0
    began = opened = 0
    for line in [*text.split("\n"), None]:
        found = _PRINTED.match(line) if line is not None else None
        if found and not _SHELL_VALUE.search(found[2]):
            began = began if run else at
            run.append(Entry(found[1], found[2], at + found.start(1), at + found.end(2)))
        else:
            if run and (one := _listed(run, before, opened, began, line or "", begins)):
                yield one
            run, before, opened = [], line or "", at
        at += len(line or "") + 1


def _listed(
    run: list[Entry], before: str, opened: int, began: int, after: str, begins: re.Pattern[str]
) -> Listed | None:
    end = run[-1].end
    if not any(one.name.isupper() for one in run):
        return None
    head = begins.search(before)
    if (head and _LEAD.match(before[: head.start()])) or _PROCESS.match(before):
        return Listed(opened, began, end, tuple(run)) if not _GOES_ON.search(before) else None
    names = {one.name for one in run}
    own = not names.isdisjoint(_USUAL) or all(map(ENGINE_VARIABLES.match, names))
    alone = not before.strip() or before.rstrip().endswith((":", "：", "```"))
    return Listed(-1, began, end, tuple(run)) if own and alone and len(run) >= _FEWEST and _ends(after) else None


def _ends(after: str) -> bool:
    """Whether the block ends there: a command under assignments is a script's."""
    return not after.strip() or after.lstrip().startswith("```")
