"""The pages people read, taken apart: fenced blocks, and the commands that stand in running text.

A comment above a block says what is true of it: `exit: 2` (the code of its commands), `file: NAME` (the text of a file).
In a `console` block the lines behind `$ ` are commands and the others what they print; `…` stands for what is left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
GENERATED = {"docs/vocabulary.md", "docs/lint-checks.md"}  # `advisor rules facts`, `python -m tests.lint_checks`
SHELLS = {"sh", "bash", "console"}

_FENCE = re.compile(r"(?ms)^(?:<!-- (\w+): (.+?) -->\n)?```(\w+)\n(.*?)^```$")
_QUOTED_OR_COMMENT = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|(?:^|\s)#.*$""")  # '#53402' is no comment
_SPAN = re.compile(r"(?<!`)`(advisor [^`\n]+)`(?!`)")


def pages() -> list[Path]:
    """README, CONTRIBUTING and everything below docs/ but the demo's own page."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the comment above it, the line it begins on."""

    language: str
    text: str
    key: str = ""
    value: str = ""
    line: int = 0


@dataclass(frozen=True)
class Command:
    """A command line of a page, with what the page says it prints and its exit code."""

    line: int
    text: str
    shown: str | None = None
    codes: tuple[int, ...] = (0, 1)


@dataclass
class Pipeline:
    """The commands of a line that feed one another, each as words, and the files it reads and writes."""

    stages: list[list[str]] = field(default_factory=lambda: [[]])
    source: str = ""
    target: str = ""


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in its order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(one[3], one[4], one[1] or "", one[2] or "", text.count("\n", 0, one.start(4)) + 1)
        for one in _FENCE.finditer(text)
    ]


def commands(block: Block) -> Iterator[Command]:
    """The command lines of a block; what continues behind a backslash is one."""
    codes = (int(block.value),) if block.key == "exit" else (0, 1)
    at, joined = block.line, block.text.replace("\\\n", "\0")
    parts = re.split(r"(?m)^\$ ", joined)[1:] if block.language == "console" else joined.splitlines(keepends=True)
    if block.language == "console":
        at += joined.partition("$ ")[0].count("\n")
    for part in parts:
        head, _, rest = part.partition("\n")
        line = head.replace("\0", " ").strip()
        if line and not line.startswith("#"):
            shown = rest.replace("\0", "\\\n") if block.language == "console" else None
            yield Command(at, line, shown, codes)
        at += part.count("\n") + part.count("\0")


def spoken(page: Path) -> Iterator[Command]:
    """The commands that stand in running text, as `advisor …`."""
    text = _FENCE.sub(lambda one: re.sub(r"[^\n]", " ", one[0]), page.read_text(encoding="utf-8"))
    for one in _SPAN.finditer(text):
        yield Command(text.count("\n", 0, one.start()) + 1, one[1])


def parsed(line: str) -> Pipeline:
    """A line as the shell takes it apart: words, pipes, redirections; comments are dropped."""
    lexer = shlex.shlex(_uncommented(line), posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found, words = Pipeline(), iter(lexer)
    for word in words:
        if word == "|":
            found.stages.append([])
        elif word == "<":
            found.source = next(words)
        elif word == ">":
            found.target = next(words)
        else:
            found.stages[-1].append(word)
    return found


def _uncommented(line: str) -> str:
    """The line before a `#` that begins a word outside of quotes."""
    return _QUOTED_OR_COMMENT.sub(lambda one: "" if one[0].lstrip().startswith("#") else one[0], line)


def prints(shown: str, printed: str) -> bool:
    """Whether this is what is printed: line by line, `…` alone for any lines, within one for any text."""
    wanted = shown.strip("\n").split("\n")
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"[ \t]*\n"
        for line in wanted
    )
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None
