"""The conversation of a diagnosis: show what is understood, ask one question, take the answer, and again.

Nothing is decided here: what is believed and what is asked comes from `jobs.diagnose`, the words from `render`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.faces import files as files_of
from advisor.faces.keeping import Kept
from advisor.faces.typed import Typed
from advisor.jobs.answering import NOT_KNOWN, Progress, Step, follow, is_handed, then
from advisor.jobs.request import Request
from advisor.model.diagnosis import Ask, Standing
from advisor.render import diagnosis_page as page
from advisor.render.blocks import Block

if TYPE_CHECKING:
    from advisor.jobs.judging import Judgement

BACK, END = ("b", "back", "返回"), ("e", "end", "q", "quit", "结束")

Show = Callable[[Sequence[Block]], None]
Hear = Callable[[Ask | None], Typed]
"""What is given at the prompt for a question, or for no question at the start. Raises EOFError at the end."""


@dataclass
class Conversation:
    """One diagnosis under way. `base` is the evidence given at the start; at most `most` questions are asked.

    Where it goes on alone (`kept.alone`), an answer that cannot be one raises UsageError, for nobody is there to answer
    again.
    """

    base: Request
    kept: Kept
    show: Show
    hear: Hear
    most: int
    at: Progress = field(init=False)
    _ended: bool = field(default=False, init=False)
    _judged: tuple[Request, Judgement] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.at = follow(self.base, self.kept.steps)

    def run(self) -> Standing:
        """Talk until there is nothing worth asking, or enough was asked. Returns where it ended."""
        now = self._start()
        while now.ask is not None and len(self.at.asked) < self.most and not self._ended:
            self.show(page.question(now.ask, len(self.at.asked) + 1))
            try:
                done = self._turn(now.ask)
            except EOFError:
                break
            if not done:
                break
            now = self._stand(now)
        return now

    def _stand(self, before: Standing | None) -> Standing:
        from advisor.jobs.diagnose import judged, stand  # load the readers: the first prompt does not wait for them

        if self._judged is None or self._judged[0] is not self.at.request:  # "not known" changes nothing
            self._judged = (self.at.request, judged(self.at.request))
        now = stand(self._judged[1], self.at.request, self.at.asked)
        self.show(page.understood(now, before))
        return now

    def _start(self) -> Standing:
        """Take pastes until an empty line."""
        if self.kept.steps:
            return self._stand(None)
        self.show(page.greeting())
        now = self._stand(None) if self.at.request != Request() else None
        while True:
            try:
                text = self.hear(None).text
            except EOFError:
                break
            self._ended = text.strip().casefold() in END
            if not text.strip() or self._ended:
                break
            if self._hand_over(text, ""):
                now = self._stand(now)
        return now or self._stand(None)

    def pipe_in(self) -> None:
        """Take what is piped in as the first paste."""
        content = b"" if sys.stdin is None else sys.stdin.buffer.read()
        if content.strip():
            self._take(Step("", name=self.kept.next_name(), content=content))

    def _turn(self, ask: Ask) -> bool:
        """One question answered, or taken back; False when it is to end here."""
        while True:
            typed = self.hear(ask)
            word = "" if self.kept.alone else typed.text.strip().casefold()
            if word in END:
                return False
            if word in BACK and self._back():
                return True
            if word not in BACK and self._answer(ask, typed):
                return True

    def _back(self) -> bool:
        if not self.kept.steps:
            self.show(page.nothing_before())
            return False
        self._keeping(self.kept.back)
        self.at = follow(self.base, self.kept.steps)
        return True

    def _answer(self, ask: Ask, typed: Typed) -> bool:
        """Take an answer; False when it cannot be one. What was pasted and answers nothing is evidence."""
        text = typed.text.strip() if self.kept.alone else chosen(ask, typed.text)
        numbered = ask.options and not _numbers(ask) and text.isascii() and text.isdigit()
        if numbered and text not in {one.answer for one in ask.options}:
            return self._refused(page.no_such_choice(text, len(ask.options)), f"{text!r} is no answer to {ask.about}")
        if text.startswith("@") or is_handed(ask.about, ask.kind, text):
            return self._hand_over(text, ask.about, ask.question)
        try:
            return self._take(Step(ask.about, text or NOT_KNOWN, "", ask.question))
        except UsageError as error:
            if typed.pasted:
                return self._hand_over(text, ask.about, ask.question)
            return self._refused(page.refused(error.line()), error.line())

    def _hand_over(self, text: str, about: str, question: str = "") -> bool:
        """Evidence: pasted, or in a file. False when the file cannot be read."""
        try:
            name = text.strip()
            is_file = name.startswith("@") and "\n" not in name
            content = files_of.read(name[1:].strip()).content if is_file else text.encode("utf-8", "replace")
        except UsageError as error:
            return self._refused(page.refused(error.line()), error.line())
        return self._take(Step(about, "", self.kept.next_name(), question, content))

    def _refused(self, blocks: list[Block], line: str) -> bool:
        if self.kept.alone:
            raise UsageError(line, "--answers", None)
        self.show(blocks)
        return False

    def _take(self, step: Step) -> bool:
        self.at = then(self.at, step)
        self._keeping(lambda: self.kept.add(step))
        return True

    def _keeping(self, change: Callable[[], object]) -> None:
        """Change what is kept; where that cannot be written the diagnosis goes on, and nothing more of it is kept."""
        try:
            change()
        except UsageError as error:
            self.show(page.refused(error.line()))
            self.kept.folder = None


def _numbers(ask: Ask) -> bool:
    """Whether the answers themselves are numbers: then a number is one of them, and not the place of one."""
    return any(one.answer.isdigit() for one in ask.options)


def chosen(ask: Ask, text: str) -> str:
    """The answer that was meant: a number stands for its choice, nothing for not known."""
    word = text.strip()
    if not word:
        return NOT_KNOWN
    if not _numbers(ask) and word.isascii() and word.isdigit() and 1 <= int(word) <= len(ask.options):
        return ask.options[int(word) - 1].answer
    for one in ask.options:
        if word.casefold() in (one.label.casefold(), one.answer.casefold()):
            return one.answer
    return word


def from_file(answers: Mapping[str, str]) -> Hear:
    """The answers of a file, by what a question is about or by the question itself; not known where it has none."""

    def hear(ask: Ask | None) -> Typed:
        if ask is None:
            raise EOFError
        return Typed(answers.get(ask.about) or answers.get(ask.question) or NOT_KNOWN)

    return hear
