"""A Dockerfile's text -> its instructions, each with the characters of its body.

    RUN --mount=type=cache,target=/c \\
        pip install vllm==0.28.0          -> one Instruction; comment lines between its lines are blank in `body`
    RUN <<EOF … EOF                       -> the lines of the here-document are its body as shell

**Source:** https://docs.docker.com/reference/dockerfile/ (format, escape directive, here-documents, ENV).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from advisor.launches.files.page import blanked

_ESCAPE = re.compile(r"(?i)\A(?:#[ \t]*\w+[ \t]*=.*\n)*?#[ \t]*escape[ \t]*=[ \t]*(`|\\)")
_BEGINS = re.compile(r"[ \t]*([A-Za-z]+)(?=[ \t\r\n]|\Z)[ \t]*")
_HEREDOC = re.compile(r"<<-?[ \t]*([\"']?)([A-Za-z_]\w*)\1")
_FLAGS = re.compile(r"(?:--[a-z]+=\S+(?:[ \t]|\\\r?\n)*)+")  # --mount=type=cache,target=/root/.cache
_VARIABLE = re.compile(r"\\\$|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-+])([^{}]*))?\})")
_PAIR = re.compile(
    r"(?<!\w)(?:(?![A-Za-z_])\w)*+([A-Za-z_]\w*+)=((?:\"(?:\\.|[^\"\\])*\"|'[^'\n]*'|\\.|[^\s\"'\\])*)", re.S
)
_KNOWN = {
    "FROM", "ARG", "ENV", "RUN", "CMD", "ENTRYPOINT", "COPY", "ADD", "LABEL", "EXPOSE", "USER", "WORKDIR", "VOLUME",
    "HEALTHCHECK", "SHELL", "STOPSIGNAL", "ONBUILD", "MAINTAINER",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Instruction:
    """`begin` is where its name stands, `start`..`end` its body. `body` has the length of these characters, with line
    ends and comments blank; `heredocs` are the characters of its here-documents' lines, `text` is the whole file's.
    """

    name: str
    begin: int
    start: int
    end: int
    body: str
    text: str
    heredocs: tuple[tuple[int, int], ...] = ()

    def shell(self) -> str:
        """The whole file's text with everything but this body, as shell, blank."""
        if self.heredocs and _HEREDOC.match(self.body.lstrip()):
            return blanked(self.text, self.heredocs)
        flags = _FLAGS.match(self.body)
        start = self.start + (flags.end() if flags else 0)
        kept = blanked(self.text, [(start, self.end)])
        return kept[:start] + self.body[start - self.start :] + kept[self.end :]


def instructions(text: str) -> Iterator[Instruction]:
    """The instructions of the file, in order. Lines that begin none are left out."""
    directive = _ESCAPE.match(text)
    escape = directive.group(1) if directive else "\\"
    ends = re.compile(re.escape(escape) + r"[ \t]*\r?\n\Z")
    at = 0
    while at < len(text):
        line = _line(text, at)
        begins = _BEGINS.match(text, at, line)
        name = begins.group(1).upper() if begins else ""
        if begins is None or name not in _KNOWN:
            at = line
            continue
        last, body = _body(text, begins.end(), line, ends)
        heredocs: tuple[tuple[int, int], ...] = ()
        if name in ("RUN", "COPY", "ADD"):
            last, heredocs = _heredocs(text, body, last)
        end = begins.end() + len(body.rstrip())
        yield Instruction(name, begins.start(1), begins.end(), end, body[: end - begins.end()], text, heredocs)
        at = last


def _line(text: str, at: int) -> int:
    return (text.find("\n", at) + 1) or len(text)


def _body(text: str, start: int, line: int, ends: re.Pattern[str]) -> tuple[int, str]:
    """Where the instruction ends, and its body with continuations and comments blank."""
    pieces: list[str] = []
    at = start
    while True:
        piece = text[at:line]
        comment = at != start and piece.lstrip().startswith("#")
        continued = ends.search(piece)
        blank = at != start and not piece.strip()
        shown = " " * len(piece) if comment or blank else piece
        if continued and not comment:
            shown = piece[: continued.start()] + " " * (len(piece) - continued.start())
        pieces.append(shown)
        at = line
        if at >= len(text) or not (continued or comment or blank):
            return at, "".join(pieces)
        line = _line(text, at)


def _heredocs(text: str, body: str, at: int) -> tuple[int, tuple[tuple[int, int], ...]]:
    found: list[tuple[int, int]] = []
    for one in _HEREDOC.finditer(body):
        closing = re.compile(rf"^[ \t]*{re.escape(one.group(2))}[ \t]*\r?$", re.M).search(text, at)
        if closing is None:
            break
        found.append((at, closing.start()))
        at = _line(text, closing.end())
    return at, tuple(found)


def expanded(text: str, scope: Mapping[str, str]) -> tuple[str, bool]:
    """The text with its variables filled in, and whether all of them are known. What is not known stays as typed."""
    known = True

    def fill(found: re.Match[str]) -> str:
        nonlocal known
        name = found.group(1) or found.group(2)
        if name is None:
            return "$"
        how, other = found.group(3) or "", found.group(4) or ""
        value = scope.get(name)
        if how.endswith("+"):
            return other if value is not None else ""
        if value is not None and (value or not how.startswith(":")):
            return value
        if how:
            inner, sure = expanded(other, scope)
            known &= sure
            return inner
        known = False
        return found.group()

    return _VARIABLE.sub(fill, text), known


def pairs(one: Instruction) -> Iterator[tuple[str, str, int, int, int]]:
    """The variables of an `ENV`: name, value, and the places of the name, the value and its end."""
    legacy = re.match(r"([A-Za-z_]\w*)[ \t]+(.+)", one.body, re.S)
    if legacy and "=" not in legacy.group(1):
        value = legacy.group(2).rstrip()
        yield legacy.group(1), value, one.start, one.start + legacy.start(2), one.start + legacy.start(2) + len(value)
        return
    for found in _PAIR.finditer(one.body):
        value = re.sub(r"\\(.)|[\"']", lambda each: each.group(1) or "", found.group(2), flags=re.S)
        start = one.start
        yield found.group(1), value, start + found.start(1), start + found.start(2), start + found.end(2)
