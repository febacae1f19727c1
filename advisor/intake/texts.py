"""Bytes as they were saved -> clean text, line for line: decoded, no colours, each line as last drawn, cut to size.

UTF-16 is known by its mark or by its zeros (PowerShell's `>`), GBK line by line where UTF-8 fails (a terminal's mixed
output). Line numbers stay as they are throughout.
"""

from __future__ import annotations

from advisor.intake.records import unwrap
from advisor.model.shape import Shape

MAX_LINE = 20_000

_ANSI = Shape(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")  # ESC[31m, ESC]0;title BEL
_BARE_COLOUR = Shape(
    r"(?:\^\[|␛|#x1B)?\[(?:[01];)?(?:0|1|3[0-7]|9[0-7])m(?!\])"
)  # [36m(pid=7)[0m, as pastes lose the ESC
_BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))
_PEEK = 4096


def text_of(data: bytes) -> tuple[str, int]:
    """The text of these bytes, and how many of its lines were cut."""
    return shorten(clean(unwrap(decode(data))))  # in this order: records hold their colours escaped


def wide(data: bytes) -> str:
    """The UTF-16 encoding these bytes are in, or "": by their mark, or because every other byte is zero."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-16-be"
    head = data[:_PEEK]
    if 0 not in head:
        return ""
    even, odd, half = head[0::2].count(0), head[1::2].count(0), len(head) // 2
    if half < 4 or max(even, odd) < 0.6 * half or min(even, odd) > 0.05 * half:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def decode(data: bytes) -> str:
    """Text of these bytes; what cannot be decoded becomes U+FFFD."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if encoding := wide(data):
        return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "\n".join(_line(row) for row in data.split(b"\n"))


def _line(row: bytes) -> str:
    text = row.decode("utf-8", "replace")
    lost = text.count("�")
    if not lost or lost * 2 <= sum(char > "\x7f" for char in text):
        return text
    try:
        chinese = row.decode("gb18030")
    except UnicodeDecodeError:
        return text
    return chinese if sum("\u4e00" <= char <= "\u9fff" for char in chinese) * 2 >= lost // 2 else text


def clean(text: str) -> str:
    """Without colours, and with only the last state of each line that was drawn over; line numbers stay as they are."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            text = "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in text.split("\n"))
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "[0m" in text or "[36m" in text:
        text = _BARE_COLOUR.sub("", text)
    return text.replace("\0", "�")


def shorten(text: str) -> tuple[str, int]:
    """The text with over-long lines cut, and how many were."""
    if not _long(text):
        return text, 0
    rows = text.split("\n")
    return "\n".join(row[:MAX_LINE] for row in rows), sum(len(row) > MAX_LINE for row in rows)


def _long(text: str) -> bool:
    """Whether a line is longer than `MAX_LINE`, told from one line end in each stretch of that length."""
    start = 0
    while start + MAX_LINE < len(text):
        start = text.rfind("\n", start, start + MAX_LINE + 1) + 1
        if not start:
            return True
    return False
