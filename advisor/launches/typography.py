"""Text as people paste it -> text of the same length that a shell reads as it was meant.

    --tp 2，--speculative-algorithm DSPARK。运行后卡死  -> marks of the sentence end a value; words behind are blank
    --speculative-config “{"method":"dspark"}”         -> curly quotes around a value, or in its JSON, are quotes

What stands between plain quotes stays as it is. `dashed` gives a flag back its dashes: –pp, —speculative-config.
"""

from __future__ import annotations

import re

from advisor.model.knowledge import Knowledge
from advisor.model.shape import Shape

MARKS = "。，、；：！？）】》”」』’（“「【《『‘"
_QUOTED = r"'[^'\n]*'|\"(?:\\.|[^\"\\\n])*\""
_PROSE = Shape(rf"{_QUOTED}|[{MARKS}](?:(?!(?<=[ \t{MARKS}])[-–—]{{1,2}}[A-Za-z])[^\n\\])*")  # 。运行一小时后
_CURLY = Shape(r"(?<=[ \t=])(?:“([^”\n]{1,2000})”|‘([^’\n]{1,2000})’)")  # “{"method":"dspark"}”
_AFTER_FLAG = Shape(r"[-–—][A-Za-z][\w.-]*(?:=|[ \t]+)\Z")
_JSON = Shape(r"'\{[^'\n]*[“”][^'\n]*\}'")  # '{“method”:“dspark”}'
_CHINESE_MARK = Shape(f"[{MARKS}]")
_DASHED = Shape(r"[–—―−](?=[A-Za-z])")


def plain(text: str) -> str:
    """The text as a shell should see it; as given when it has no mark of a Chinese or typeset text."""
    if not _CHINESE_MARK.search(text):
        return text
    text = _JSON.sub(lambda found: found.group().translate({0x201C: '"', 0x201D: '"'}), text)
    text = _CURLY.sub(lambda found: _straight(text, found), text)
    return _PROSE.sub(_blanked, text)


def _straight(text: str, found: re.Match[str]) -> str:
    inside = found.group(1) or found.group(2)
    if "'" in inside or not _AFTER_FLAG.search(text[max(0, found.start() - 80) : found.start()]):
        return found.group()
    return "'" + inside.translate({0x201C: '"', 0x201D: '"'}) + "'"


def _blanked(found: re.Match[str]) -> str:
    return found.group() if found.group()[0] in "'\"" else " " * len(found.group())


def dashed(word: str, knowledge: Knowledge | None) -> str:
    """A flag whose dashes a text processor joined, with its own: the spelling the engine knows, else two dashes."""
    if not _DASHED.match(word):
        return word
    name = word[1:].partition("=")[0].partition(".")[0]
    known = knowledge is not None and knowledge.canonical("-" + name) and not knowledge.canonical("--" + name)
    return ("-" if known else "--") + word[1:]
