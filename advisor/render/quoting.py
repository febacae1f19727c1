"""Foreign text -> text that is safe to print: what could drive a terminal or hide itself is shown, not obeyed.

Colour codes are dropped, since engines colour their logs; every other control character, the controls that reorder
text (Unicode TR36) and lone surrogates appear as `\\x1b` or `\\u202e`.
"""

from __future__ import annotations

import re

from advisor.model.shape import Shape

_COLOUR = Shape("\x1b\\[[0-9;:]*m")  # \x1b[1;31m
# C0 but for tab and newline, DEL, C1, reordering and invisible characters, other line ends, surrogates; what formats
# single scripts and music; letters and marks that show nothing; tags and the selectors that hide text in an emoji
UNSAFE = Shape(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\u034f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"
    "\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def many_lines(text: str) -> str:
    """The text with its lines and tabs kept and everything unsafe made visible."""
    return UNSAFE.sub(_visible, _COLOUR.sub("", text.replace("\r\n", "\n")))


def one_line(text: str) -> str:
    """The text on one line: line ends inside it are shown as `\\n`, tabs become spaces."""
    return many_lines(text).strip("\n").replace("\n", "\\n").replace("\t", " ")


def prose(text: str) -> str:
    """Running text on one line, with runs of white space as one space."""
    return " ".join(many_lines(text).split())


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
