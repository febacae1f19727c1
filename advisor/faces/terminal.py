"""The prompt itself: one line typed, or something pasted, however large.

A terminal that marks what is pasted (bracketed paste) hands it over in one piece; it stands in the line as
`[pasted 61 lines]` and is never echoed, so that a log of any size costs nothing to show. Where pastes are not marked,
lines that are already waiting belong to the first.
"""

from __future__ import annotations

import os
import select

os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")  # a line needs no cursor position, and some terminals tell none

from prompt_toolkit import PromptSession
from prompt_toolkit.input.base import Input
from prompt_toolkit.input.defaults import create_input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.defaults import create_output

from advisor.faces.typed import Typed

SHORT = 200
"""Characters; a pasted line up to this long stands in the line as it is, to be read and edited."""
WAIT_S = 0.05


class _Parser(Vt100Parser):
    """The library's parser, but for what is pasted: that is kept in pieces and its end looked for in the last of them.
    The library (3.0.53) looks through all of it at every piece, so that ten megabytes take a minute and a half."""

    END = "\x1b[201~"

    def feed(self, data: str) -> None:
        """Take more input."""
        if not self._in_bracketed_paste:
            self._pieces: list[str] = []
            super().feed(data)
            return
        last = self._pieces.pop() if self._pieces else ""
        found = (last + data).find(self.END)
        if found < 0:
            self._pieces += [last, data] if len(data) >= len(self.END) else [last + data]
            return
        self._in_bracketed_paste = False
        text, rest = (last + data)[:found], (last + data)[found + len(self.END) :]
        self.feed_key_callback(KeyPress(Keys.BracketedPaste, "".join((*self._pieces, text))))
        self.feed(rest)


def _input() -> Input:
    """The terminal's input, also when standard input is a pipe."""
    made = create_input(always_prefer_tty=True)
    if hasattr(made, "vt100_parser"):  # not on Windows
        made.vt100_parser = _Parser(made.vt100_parser.feed_key_callback)
    return made


class Terminal:
    """A prompt on this terminal. `ask` raises EOFError at the end of input and KeyboardInterrupt at Ctrl-C."""

    def __init__(self) -> None:
        self._pastes: dict[str, str] = {}
        self._short = False
        keys = KeyBindings()
        keys.add(Keys.BracketedPaste)(self._pasted)
        self._session: PromptSession[str] = PromptSession(
            key_bindings=keys,
            input=_input(),
            output=create_output(always_prefer_tty=True),
            enable_open_in_editor=False,
        )

    def _pasted(self, event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        if len(text) <= SHORT and "\n" not in text.strip("\n"):
            self._short = True
            event.current_buffer.insert_text(text.strip("\n"))
            return
        mark = f"[pasted {text.count(chr(10)) + 1} lines]" + " " * len(self._pastes)  # spaces tell equal marks apart
        self._pastes[mark] = text
        event.current_buffer.insert_text(mark)

    def ask(self, prompt: str) -> Typed:
        """The next line, with what was pasted into it."""
        self._pastes.clear()
        self._short = False
        lines = [self._session.prompt(prompt)]
        while self._waiting():
            lines.append(self._session.prompt(""))
        text = "\n".join(lines)
        for mark in sorted(self._pastes, key=len, reverse=True):
            text = text.replace(mark, self._pastes[mark])
        return Typed(text, self._short or bool(self._pastes) or len(lines) > 1)

    def _waiting(self) -> bool:
        """Whether more lines have come already: a paste that the terminal does not mark."""
        keys = get_typeahead(self._session.input)
        store_typeahead(self._session.input, keys)
        if keys:
            return True
        ready, _, _ = select.select([self._session.input.fileno()], [], [], WAIT_S)
        return bool(ready)
