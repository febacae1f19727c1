"""How a compiled catalogue lies in its file, as JSON lines; a place in it is where a line starts and ends, and its sum.

    {"rule": {...}, "weights": {...}}                       every rule on a line of its own
    {"rules": [...], "asked": [...], "seen": {...}, ...}    then for each engine `compiled.Section`
    {"logs": {...}, "plan": {...}, "downstream": [...]}     and `compiled.Texts`
    [["vllm/pp-broadcast-skew", "…", "…", "…", "…"]]        and its rules in words: `full_text.Entry`
    [crc, {"format": 12, "bytes": 1234, "problems": [...],  then the head with its sum, which says where those are, and
     "sections": {"vllm": [start, end, crc], ...}, ...}]    how many bytes stand before it

A reader starts at the last line.
"""

from __future__ import annotations

from typing import Any

from advisor.catalog.kept import summed

FORMAT = 12
SHIPPED = "catalog.jsonl"

Place = tuple[int, int, int]
"""Where a line starts and ends in the file, in bytes, and its CRC-32."""


def header(content: Any) -> dict[str, Any]:
    """The last line of a compiled file. Raises ValueError where it is not one, or is damaged."""
    head: dict[str, Any] = summed(content[header_at(content) :].rstrip(b"\n"))
    return head


def header_at(content: Any) -> int:
    """Where the last line starts."""
    start: int = content.rfind(b"\n", 0, len(content) - 1) + 1
    return start
