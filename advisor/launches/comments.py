"""The text of a deployment file -> its comments that speak to the advisor, with the lines each of them covers.

    args:
      # advisor: ignore[vllm/pp-broadcast-skew] until=2027-01-31 upgrade planned with the driver
      - --pipeline-parallel-size=2        <- covered

A comment behind something covers that line; a comment on a line of its own covers what begins below it: a key or item
with all that is indented under it, a command or instruction to its end, a Python statement or argument to its end.
What stands inside a string, a block scalar or a here-document is no comment. A broken file is read as far as it goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.launches import comment_marks, comment_reach

Language = Literal["yaml", "shell", "dockerfile", "python", "toml", "ini"]

_MENTION = "advisor:"
_SUFFIXES: dict[str, Language] = {
    **dict.fromkeys(("yaml", "yml", "tpl", "gotmpl"), "yaml"),
    **dict.fromkeys(("sh", "bash", "zsh", "ksh", "slurm", "sbatch", "env"), "shell"),
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("ini", "cfg", "conf", "service", "container", "properties"), "ini"),
    "toml": "toml",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
}
_WHOLE_NAMES = ("dockerfile", "containerfile")
_FORMATS: dict[str, Language] = {
    **dict.fromkeys(("shell", "slurm", "makefile", "justfile", "procfile"), "shell"),
    "dockerfile": "dockerfile",
    "python": "python",
    "systemd": "ini",
}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text without marks, where it stands (columns from 1, the end behind it), the lines it covers."""

    text: str
    line: int
    column: int
    end_column: int
    covers: tuple[int, int]


def comments(name: str, text: str, format: str = "") -> tuple[Comment, ...]:
    """The comments of file `name` that mention the advisor, in order. `format` helps where the name says nothing.

    Empty when there are none, or when it is not known how comments are written in such a file.
    """
    language = language_of(name, text, format) if _MENTION in text else None
    if language is None:
        return ()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(_found(language, lines))


def language_of(name: str, text: str, format: str = "") -> Language | None:
    """How comments are written in the file: by its name, then by its format, then by its first line."""
    base = re.split(r"[/\\]", name)[-1].lower()
    stem, _, suffix = base.rpartition(".")
    if base.split(".")[0] in _WHOLE_NAMES:
        return _SUFFIXES[base.split(".")[0]]  # Dockerfile, Dockerfile.cuda
    if suffix in _SUFFIXES and (stem or base.startswith(".")):
        return _SUFFIXES[suffix]
    if format:
        return _FORMATS.get(format, "yaml")
    if text.startswith("#!"):
        return "python" if "python" in text.split("\n", 1)[0] else "shell"
    return None


def _found(language: Language, lines: Sequence[str]) -> Iterator[Comment]:
    reach: Callable[[int], tuple[int, int]] | None = None
    for mark in comment_marks.READERS[language](lines):
        if _MENTION not in mark.text:
            continue
        if lines[mark.line - 1][: mark.column - 1].strip():
            covers = (mark.line, mark.line)
        else:
            reach = reach or comment_reach.READERS[language](lines)
            covers = reach(mark.line + mark.text.count("\n"))
        yield Comment(mark.text.strip(), mark.line, mark.column, mark.end_column, covers)
