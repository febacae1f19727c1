"""Text with Helm or Jinja templates in it -> text of the same length that a YAML parser takes.

      {{- if .Values.debug }}               ->   #####################     a line of control: a comment
    replicas: {{ .Values.replicas }}        -> replicas: ○○○○○○○○○○○○○○    an expression: a value nobody knows

`○` stands for U+E000, a character that no file holds, so that what came from a template can be told afterwards: every
character keeps its place. Templates are not rendered: a value made by one is unknown, and what stands between lines of
control may or may not be there.

**Source:** the Go template language, https://pkg.go.dev/text/template (actions, comments, trim markers).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from advisor.model.late import dataclass
from advisor.model.shape import Shape

HOLE = "\ue000"
_ACTION = Shape(r"\{\{(?:[^{}]|\{(?!\{)|\}(?!\})){0,4000}\}\}|\{%[^%]{0,4000}%\}", re.S)
_ALONE = Shape(r"(?m)^[ \t]*(?:(?:" + _ACTION.pattern + r")[ \t]*)+\r?$")
_CONTROL = Shape(
    r"\{[{%]-?\s*(?:if|else|end|range|with|define|block|template|include|toYaml|tpl|for|endif|endfor|set)\b"
)
_HOLES = Shape(HOLE + "+")


@dataclass(frozen=True, slots=True)
class Masked:
    """`text` is of the length given; `control` are the characters of lines that may add, drop or repeat others."""

    text: str
    control: tuple[tuple[int, int], ...] = ()


def mask(text: str) -> Masked:
    """The text without its templates; the text itself where it has none."""
    if "{{" not in text and "{%" not in text:
        return Masked(text)
    control: list[tuple[int, int]] = []

    def alone(found: re.Match[str]) -> str:
        if _CONTROL.search(found.group()) or not found.group().strip().startswith("{{"):
            control.append(found.span())
        return re.sub(r"[^\r\n]", " ", found.group())

    without = _ALONE.sub(alone, text)
    return Masked(_ACTION.sub(_holes, without), tuple(control))


def _holes(found: re.Match[str]) -> str:
    return "".join(char if char in "\r\n" else HOLE for char in found.group())


def filled(value: str, shown: str, text: str, start: int, end: int) -> str:
    """The value with its holes as they are typed: those of `shown[start:end]`, in order, taken from `text`."""
    typed = [text[start + one.start() : start + one.end()] for one in _HOLES.finditer(shown[start:end])]
    take: Callable[[re.Match[str]], str] = lambda found: typed.pop(0) if typed else "{{…}}"  # noqa: E731
    return _HOLES.sub(take, value)
