"""Bytes -> whether they are text: an executable and the like are named, a log with a hole in it is read around it."""

from __future__ import annotations

import re

from advisor.intake.texts import wide

RUBBISH = "holds bytes that are no text: the file is damaged there"

_HEAD = 65_536  # bytes by which a file is judged
_ZEROS = re.compile(rb"\0+")
_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b"))
_TEXT_TO_STRANGE = 20
_LONG_TO_STRANGE = 1_000  # where lines are long, as of few binaries that hold much text
_BYTES_PER_LINE = 2_000


def binary(data: bytes) -> str:
    """Why these bytes are not text, or "" when they are."""
    if data.startswith(b"\x7fELF"):
        return (
            "an executable or core dump: hand over a stack of it instead (gdb -p PID -batch -ex 'thread apply all bt')"
        )
    if b"\0" in data[:_HEAD] and not wide(data) and not _is_damaged_text(data[:_HEAD]):
        return "binary, not text"
    return ""


def _is_damaged_text(head: bytes) -> bool:
    """Whether these are lines with a block of zeros or rubbish in them, as a log has after its host went down."""
    once = _ZEROS.sub(b"\0", head)
    strange = len(once) - len(once.translate(None, _CONTROLS)) + once.decode("utf-8", "replace").count("\ufffd")
    has_lines = len(once) < once.count(b"\n") * _BYTES_PER_LINE
    return strange * (_TEXT_TO_STRANGE if has_lines else _LONG_TO_STRANGE) < len(once)


def holds_rubbish(data: bytes) -> bool:
    """Whether zeros stand in the text."""
    return b"\0" in data[:_HEAD] and not wide(data)
