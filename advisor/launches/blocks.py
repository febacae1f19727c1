"""Where in a text shell commands stand: fences, backticks, runs of lines that read as shell, commands within sentences.

    We start it with
    export NCCL_DEBUG=INFO
    vllm serve m \\
      --tensor-parallel-size 8
    and after an hour nothing moves.
        -> one block of the three middle lines

A block only says where to look; whether an engine is started there is for `command_line` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from advisor.launches.command_line import phrases
from advisor.launches.words import prepare
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_FENCE = Shape(r"^[ \t>]*(`{3,8}|~{3,8})[ \t]*+([\w+-]*+)[^\n]*+\n(.*?)(?:^[ \t>]*\1|\Z)", re.M | re.S)  # ```bash … ```
_INLINE = Shape(r"(?<!`)`([^`\n]+)`(?!`)")  # `vllm serve m`
_SHELL_FENCES = {"bash", "sh", "shell", "zsh"}
_LINE = Shape(
    r"[ \t]*(?:(?:export[ \t]+)?[A-Za-z_]\w*(?:\[\w*\])?\+?=|#!"
    r"|(?:set|source|cd|wait|trap|if|then|elif|else|fi|for|while|until|do|done|case|esac|echo|mkdir|ulimit|unset"
    r"|export|sleep|nohup|exec|sudo|env|docker|podman|python3?|torchrun|srun|mpirun|numactl|bash|sh|conda|pip"
    r"|ssh|pdsh|tmux|screen(?=[ \t]+-)|ray(?=[ \t]+(?:start|job)\b)|kubectl|uvx?|poetry|pixi|su(?=[ \t]+-))\b"
    r"(?![.,:，。：])"
    r"|[)}]|\"?\$\{?\w+)"
)  # export A=b, set -e, python3 -m …, "$BIN" …
_COMMENT = Shape(r"[ \t]*(?:#|$)")
_LEAD = Shape(
    r"(?:[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"])*[ \t]+|(?:nohup|exec|sudo|env|time)[ \t]+)+\Z"
)  # A=b nohup
_MAX_OPEN_LINES = 80
_MAX_OPEN_CHARACTERS = 1 << 14
_MAX_LEAD = 400


@dataclass(frozen=True, slots=True)
class Block:
    """Characters `start`..`end` of the text. `how`: fence, inline, lines, or sentence when prose comes before it."""

    start: int
    end: int
    how: str


def heads(knowledge: Mapping[str, Knowledge]) -> re.Pattern[str]:
    """What a command that may start an engine begins with."""
    return _heads(tuple(knowledge.items()))


@lru_cache(maxsize=8)
def _heads(knowledge: tuple[tuple[str, Knowledge], ...]) -> re.Pattern[str]:
    path = r"[\w./~-]{0,200}"
    starts = [
        r"(?:docker|podman|nerdctl)\s+(?:container\s+)?run\b",
        r"\"?\$\{?\w+\}?\"?[ \t]+(?:\"\$\{|--?[A-Za-z])",
        path + r"launch_server\.py\b",
    ]
    starts += [one for name, known in knowledge for one in _heads_of(name, known)]
    return re.compile(r"(?<![\w./$-])(?:" + "|".join(starts) + ")")


def begin(text: str, knowledge: Mapping[str, Knowledge]) -> bool:
    """Whether the text has the words of any of `heads`: a cheap first look, since most texts start nothing."""
    for words in _words(tuple(knowledge.items())):
        for word in words:
            if word not in text:
                break
        else:
            return True
    return False


@lru_cache(maxsize=8)
def _words(knowledge: tuple[tuple[str, Knowledge], ...]) -> tuple[tuple[str, ...], ...]:
    """What is in a text that one of `heads` is in: all words of one row."""
    rows = [("$",), ("launch_server.py",), *((one, "run") for one in ("docker", "podman", "nerdctl"))]
    for name, known in knowledge:
        rows += [("-m", f"{name}."), (".py", f"--{name}"), *map(tuple, phrases(known, "commands"))]
        rows += [(one, "-") for (one, *_) in phrases(known, "binaries")]
    return tuple(rows)


@lru_cache(maxsize=32)
def _heads_of(name: str, known: Knowledge) -> tuple[str, ...]:
    path = r"[\w./~-]{0,200}"
    engine, rest = re.escape(name), r"[^\n]{0,400}(?:\\\n[^\n]{0,400}){0,60}"
    starts = [rf"(?:{path}/)?" + r"\s+".join(map(re.escape, one)) + r"(?=\s)" for one in phrases(known, "commands")]
    starts += [rf"(?:{path}/)?{re.escape(one)}[ \t\\\n]+--?[A-Za-z]" for (one, *_) in phrases(known, "binaries")]
    starter = rf"(?:{path}python[\d.]*\"?|{path}torchrun|\"?\$\{{?\w+\}}?\"?)"
    starts.append(rf"{starter}[ \t][^\n]{{0,200}}?-m[ \t]+{engine}\.")
    starts.append(rf"{path}python[\d.]*[ \t]+{path}\.py\b{rest}--{engine}[-_]")
    return tuple(starts)


def blocks(text: str, begins: re.Pattern[str]) -> list[Block]:
    """Every block of the text in which `begins` is found, in order, none within another."""
    if not begins.search(text):
        return []
    if text.lstrip().startswith("#!") and _mostly_shell(text):
        return [Block(0, len(text), "lines")]
    if "`" not in text and "~~~" not in text:
        return list(_lines(text, 0, len(text), begins))
    found: list[Block] = []
    free = list(text)
    for fence in _FENCE.finditer(text):
        start, end = fence.span(3)
        if begins.search(text, start, end):
            whole = fence.group(2).lower() in _SHELL_FENCES
            found.extend([Block(start, end, "fence")] if whole else _lines(text, start, end, begins))
        _blank(free, *fence.span())
    rest = "".join(free)
    for inline in _INLINE.finditer(rest):
        if begins.match(inline.group(1).strip()) or _after_lead(inline.group(1), begins):
            found.append(Block(*inline.span(1), "inline"))
        _blank(free, *inline.span())
    found.extend(_lines("".join(free), 0, len(text), begins))
    return sorted(found, key=lambda one: one.start)


def _after_lead(code: str, begins: re.Pattern[str]) -> bool:
    head = begins.search(code)
    return bool(head and _LEAD.fullmatch(code[: head.start()].lstrip()))


def _blank(characters: list[str], start: int, end: int) -> None:
    characters[start:end] = [char if char == "\n" else " " for char in characters[start:end]]


def _mostly_shell(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    prose = sum(bool(re.match(r"\s*(?:[\u4e00-\u9fff]|\d+\. |[*•|]|#{2,} )", line)) for line in lines)
    return prose <= len(lines) // 50


def _lines(text: str, start: int, end: int, begins: re.Pattern[str]) -> Iterator[Block]:
    """Runs of logical lines that read as shell and hold the beginning of a command."""
    run: list[tuple[int, int]] = []
    for first, last in _logical(text, start, end, begins):
        line = text[first:last]
        head = begins.search(line)
        if _LINE.match(line) or _starts_line(line, head) or (run and _COMMENT.match(line)):
            run.append((first, last))
            continue
        yield from _run(text, run, begins)
        run = []
        if head:
            low = max(0, head.start() - _MAX_LEAD)
            lead = _LEAD.search(line[low : head.start()])
            yield Block(first + (low + lead.start() if lead else head.start()), last, "sentence")
    yield from _run(text, run, begins)


def _starts_line(line: str, head: re.Match[str] | None) -> bool:
    if head is None:
        return False
    before = line[: head.start()]
    return bool(
        re.fullmatch(r"[ \t]*(?:[\w.-]+@\S*[$#][ \t]*|[$%][ \t]*)?", before) or _LEAD.fullmatch(before.lstrip())
    )


def _run(text: str, run: list[tuple[int, int]], begins: re.Pattern[str]) -> Iterator[Block]:
    while run and not text[slice(*run[-1])].strip():
        run.pop()
    if run and begins.search(text, run[0][0], run[-1][1]):
        yield Block(run[0][0], run[-1][1], "lines")


def _logical(text: str, start: int, end: int, begins: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Lines with their continuations; one that reads as shell also takes what its quotes and brackets enclose."""
    at = start
    while at < end:
        stop = _line_end(text, at, end)
        while text[at:stop].rstrip().endswith("\\") and stop < end:
            stop = _line_end(text, stop + 1, end)
        if _LINE.match(text, at, stop) or begins.match(text, at, stop):
            stop = _closed(text, at, stop, end)
        yield at, stop
        at = stop + 1


def _line_end(text: str, at: int, end: int) -> int:
    found = text.find("\n", at, end)
    return found if found >= 0 else end


def _closed(text: str, at: int, stop: int, end: int) -> int:
    further = stop
    for _ in range(_MAX_OPEN_LINES):
        if not _is_open(text[at:further]):
            return further
        if further >= end or further - at > _MAX_OPEN_CHARACTERS:
            break
        further = _line_end(text, further + 1, end)
        while text[at:further].rstrip().endswith("\\") and further < end:
            further = _line_end(text, further + 1, end)
    return stop


def _is_open(piece: str) -> bool:
    if not set("'\"(") & set(piece):
        return False
    prepared = prepare(piece)
    opened = sum(
        prepared.text[start:end].count("(") - prepared.text[start:end].count(")") for start, end in prepared.spans
    )
    return bool(prepared.unclosed) or opened > 0
