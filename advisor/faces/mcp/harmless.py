"""Answers on their way out -> the same with nothing in them that drives a terminal, hides, or has no end.

    {"error": {"message": "Method not found", "data": "\x1b[31m…"}}   ->   … "data": "\\x1b[31m…"

JSON writes such a character as an escape, and whoever shows the text has it back. It is done at one place for
everything that is said, the words of the SDK among them, which repeat what was asked for; what says why not is cut too.
The id of a request stays as its client wrote it.
"""

from __future__ import annotations

from typing import Any

from advisor.redaction.cutting import cut
from advisor.render.quoting import many_lines, one_line


class Harmless:
    """A stream that the SDK's messages go to; closed with its context."""

    def __init__(self, out: Any) -> None:
        self._out = out

    async def send(self, item: Any) -> None:
        """Send a message, its result or its error made harmless."""
        said = item.message
        result, error = getattr(said, "result", None), getattr(said, "error", None)
        if result is not None:
            safe = harmless(result, result.get("isError") is True)
            item.message = said.model_copy(update={"result": safe})
        elif error is not None:
            safe = error.model_copy(update=harmless(error.model_dump(exclude_unset=True), short=True))
            item.message = said.model_copy(update={"error": safe})
        await self._out.send(item)

    async def aclose(self) -> None:
        """Send no more."""
        await self._out.aclose()

    async def __aenter__(self) -> Harmless:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def harmless(value: Any, short: bool = False) -> Any:
    """The value with every text in it safe to show, and `short` on a line each, none longer than a person reads."""
    if isinstance(value, str):
        text = cut(value) if short else value
        if text.isascii() and text.isprintable():
            return text
        return one_line(text) if short else many_lines(text)
    if isinstance(value, dict):
        return {harmless(key, short): harmless(one, short) for key, one in value.items()}
    if isinstance(value, list):
        return [harmless(one, short) for one in value]
    return value
