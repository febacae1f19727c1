r"""What looks like a launch in a text and is none -> the text without it, in its places.

    # vllm serve m -pp 3                 a comment
    echo 'vllm serve m -pp 3'            printed, searched for, killed, committed, measured: nothing is started
    cat <<EOF … EOF                      printed as well, unless it goes to a file
    vllm serve m \                       a comment between continued lines: read on, and said, since bash ends there
      # two stages
      -pp 2

Blanks take the place of what is left out, so that places hold. `written` are the scripts that a here-document writes.
"""

from __future__ import annotations

import re

from advisor.model.late import dataclass
from advisor.model.shape import Shape

_AT = r"(?:^|[;&|]|(?<=\s)(?:do|then|else)[ \t])[ \t]*(?:[$#>][ \t]+)?(?:sudo[ \t]+)?"
_ARGUMENT = r"(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|\\.|[^\s;&|<>\"'\\]|[ \t])"
_SAID = Shape(
    rf"{_AT}((?>(?:echo|printf|e?grep|rg|pgrep|pkill|killall|git commit|vllm bench serve)[ \t]+{_ARGUMENT}{{1,4000}}))"
    r"(?![ \t]*(?:>|\|[ \t]*(?:sudo[ \t]+)?(?:tee|bash|sh|xargs|at)\b))",
    re.M,
)  # echo 'vllm serve m'
_SAYERS = ("echo ", "echo\t", "printf", "grep", "rg ", "rg\t", "pkill", "killall", "git commit", "vllm bench serve")
"""One of them is in what `_SAID` finds."""
_HEREDOC = Shape(r"<<-?[ \t]*+[\"']?([A-Za-z_]\w*+)[\"']?")  # cat <<EOF
_DOCUMENT_LINES = 400  # of a longer one the closing line may be another's
_STARTED_WITHIN = 100_000  # characters behind it in which a text starts the file that it wrote
_PRINTS = Shape(r"(?:cat|echo)[ \t]*\Z")
_TO_FILE = Shape(r"(?<![0-9])>{1,2}[ \t]*[\"']?([^\s;&|\"'<>]+)|\btee[ \t]+(?:-a[ \t]+)?[\"']?([^\s;&|\"'<>]+)")
_BETWEEN = Shape(r"(?<=\\\n)(?:[ \t]*#[^\n]*\n){1,40}(?=[ \t]*[-–—]{1,2}[A-Za-z{])")
_COMMENTED = Shape(r"^[ \t>]*#(?!#)[ \t]?(?!!)([^\n]*)$", re.M)
_LEAD = Shape(r"[ \t]*(?:[$][ \t]+)?(?:[A-Za-z_]\w*=\S*[ \t]+|(?:nohup|exec|sudo|env|time)[ \t]+)*")


@dataclass(frozen=True, slots=True)
class Cleared:
    """`text` has the length of what was given; `joined` are places of comments between continued lines.

    `written` are the here-documents that go to a file: their characters, and whether the text starts that file.
    """

    text: str
    joined: tuple[int, ...] = ()
    written: tuple[tuple[int, int, bool], ...] = ()


def clear(text: str, begins: re.Pattern[str]) -> Cleared:
    """The text without commented, printed and searched-for commands."""
    joined: list[int] = []
    written: list[tuple[int, int, bool]] = []
    if "#" in text:
        text = _BETWEEN.sub(lambda found: _join(found, joined), text)
        text = _without_comments(text, begins)
    if "<<" in text:
        text = _without_documents(text, written)
    if any(map(text.__contains__, _SAYERS)):
        text = _SAID.sub(_said, text)
    return Cleared(text, tuple(joined), tuple(written))


def _join(found: re.Match[str], joined: list[int]) -> str:
    joined.append(found.start())
    return " " * len(found.group())


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _said(found: re.Match[str]) -> str:
    start = found.start(1) - found.start()
    return found.group()[:start] + _blank(found.group(1))


def _without_documents(text: str, written: list[tuple[int, int, bool]]) -> str:
    """Without the here-documents that are only printed; those that go to a file are told in `written`."""
    if "<<" not in text:
        return text
    from advisor.launches.heredocs import Closings

    closings, pieces, kept, at = Closings(text), [], 0, 0
    for found in _HEREDOC.finditer(text):
        closing = closings.after(found[1], found.end()) if found.start() >= at else None
        if closing is None or closing.line - closings.line_of(found.end()) > _DOCUMENT_LINES + 1:
            continue
        line, body = text.rfind("\n", 0, found.start()) + 1, text.index("\n", found.end()) + 1
        head, rest, at = text[line : found.start()], text[found.end() : body - 1], closing.end
        if file := _TO_FILE.search(head + rest):
            name = (file.group(1) or file.group(2)).rpartition("/")[2]
            written.append((body, closing.start, text.find(name, at, at + _STARTED_WITHIN) >= 0))
        elif _PRINTS.search(head) and "|" not in rest:
            pieces += [text[kept:line], _blank(text[line:at])]
            kept = at
    return "".join([*pieces, text[kept:]])


def _without_comments(text: str, begins: re.Pattern[str]) -> str:
    """Without the comments that hold a command, and what continues them in comments below."""
    pieces: list[str] = []
    at, goes_on = 0, False
    first = len(text) - len(text.lstrip())
    for found in _COMMENTED.finditer(text):
        said, start = found.group(1), found.start(1)
        continued = goes_on and not text[at : found.start()].strip()
        lead = _LEAD.match(said)
        title = found.start() <= first and text[found.end() : found.end() + 2] == "\n\n"  # `# vllm serve m hangs`
        if continued or (begins.match(said, lead.end() if lead else 0) and not title):
            pieces += [text[at : found.start()], _blank(found.group())]
            at, goes_on = start + len(said), said.rstrip().endswith("\\")
        else:
            goes_on = False
    return "".join([*pieces, text[at:]])
