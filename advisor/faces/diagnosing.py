"""The conversation of `advisor diagnose`: show what is understood, ask one question, take the answer, and again.

Nothing is decided here: what is believed and what is asked comes from `jobs.diagnose`, the words from `render`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.errors import UsageError
from advisor.faces import evidence
from advisor.faces import files as files_of
from advisor.faces.keeping import Kept, Options, answers_in, begin, latest
from advisor.faces.typed import Typed
from advisor.jobs.answering import NOT_KNOWN, Progress, Step, follow, is_evidence, then
from advisor.jobs.equivalent import check_line
from advisor.jobs.redaction import redact
from advisor.jobs.request import Request
from advisor.model.diagnosis import Ask, Standing
from advisor.model.report import Report
from advisor.render import diagnosis_page as page
from advisor.render.blocks import Block
from advisor.render.outline import outline
from advisor.render.text import lay

BACK, END = ("b", "back", "返回"), ("e", "end", "q", "quit", "结束")

Show = Callable[[Sequence[Block]], None]
Hear = Callable[[Ask | None], Typed]
"""What is given at the prompt for a question, or for no question at the start. Raises EOFError at the end."""


@dataclass(frozen=True)
class Page:
    """How it is shown. `is_text` False: the report goes out in another format, the conversation to standard error."""

    colour: bool
    width: int
    is_text: bool

    def show(self, blocks: Sequence[Block]) -> None:
        """Print blocks, and an empty line after them."""
        said = lay(blocks, colour=self.colour, width=self.width)
        print(said, file=sys.stdout if self.is_text else sys.stderr, flush=True)


@dataclass(frozen=True)
class Done:
    """How it ended: the report, and what of the evidence could not be read."""

    report: Report
    problems: tuple[str, ...]


def diagnose(
    options: Options, page_: Page, *, answers: Path | None, resume: bool, most: int, output: Path | None
) -> Done:
    """The whole diagnosis: alone with a file of answers, or with the person at the terminal."""
    told = answers_in(answers) if answers is not None else {}
    kept, problem = (latest(), "") if resume else begin(options)
    if problem:
        page_.show(page.not_kept(problem))
    given = evidence.given(**{"said": None, **kept.options})  # type: ignore[arg-type]
    asked = answers is None and terminal_is_there()
    talk = Conversation(given.request, kept, page_.show, _hearing(asked, told), most)
    if not asked and answers is None and not given.inputs:
        talk.pipe_in()
    try:
        end = talk.run()
    except KeyboardInterrupt:
        page_.show(page.interrupted(str(kept.folder or "")))
        raise
    _close(talk, end, page_, output, asked)
    return Done(end.report, tuple(error.line() for error in given.problems))


def terminal_is_there() -> bool:
    """Whether a person can be asked: what is shown goes to a terminal."""
    return bool(sys.stdout and sys.stdout.isatty())


def _hearing(asked: bool, answers: Mapping[str, str]) -> Hear:
    if not asked:
        return from_file(answers)
    from advisor.faces.terminal import Terminal

    terminal = Terminal()
    return lambda ask: terminal.ask("> ")


def _close(talk: Conversation, end: Standing, page_: Page, output: Path | None, asked: bool) -> None:
    """The report, what to capture next, the file for the ticket, and the same as one command."""
    kept, options = talk.kept, talk.kept.options
    places = {step.name: str(kept.folder / step.name) for step in kept.steps if step.name and kept.folder}
    paths = [(f"--{name}", str(options[name])) for name in ("repo", "installed") if options.get(name)]
    beside = tuple(word for pair in paths for word in pair)
    if options.get("repo") and options.get("version"):
        beside = (*beside, "--version", str(options["version"]))
    line = redact(check_line(talk.at.request, places, beside))
    told = [(step.question, step.name or redact(step.text)) for step in kept.steps if step.about]
    ticket = output or (ticket_name(Path.cwd()) if asked else None)
    if ticket is not None:
        files_of.write(page.ticket(end, told, line), ticket, [])
    if page_.is_text:
        page_.show([*outline(end.report), *page.captures(end.captures)])
    page_.show(page.kept(end, line, str(ticket or ""), str(kept.folder or "")))


@dataclass
class Conversation:
    """One diagnosis under way. `base` is the evidence given at the start; at most `most` questions are asked."""

    base: Request
    kept: Kept
    show: Show
    hear: Hear
    most: int
    at: Progress = field(init=False)

    def __post_init__(self) -> None:
        self.at = follow(self.base, self.kept.steps)

    def run(self) -> Standing:
        """Talk until there is nothing worth asking, or enough was asked. Returns where it ended."""
        now = self._start()
        while now.ask is not None and len(self.at.asked) < self.most:
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
        from advisor.jobs.diagnose import standing  # loads the readers: the first prompt does not wait for them

        now = standing(self.at.request, self.at.asked)
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
            if not text.strip() or text.strip().casefold() in END:
                break
            if self._hand_over(text, ""):
                now = self._stand(now)
        return now or self._stand(None)

    def pipe_in(self) -> None:
        """Take what is piped in as the first paste."""
        text = "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8", "replace")
        if text.strip():
            self._take(Step("", text, self.kept.next_name()))

    def _turn(self, ask: Ask) -> bool:
        """One question answered, or taken back; False when it is to end here."""
        while True:
            typed = self.hear(ask)
            word = typed.text.strip().casefold()
            if word in END:
                return False
            if word in BACK:
                if self.kept.back():
                    self.at = follow(self.base, self.kept.steps)
                    return True
                continue
            if self._answer(ask, typed):
                return True

    def _answer(self, ask: Ask, typed: Typed) -> bool:
        text = chosen(ask, typed.text)
        if (
            (typed.pasted and is_evidence(text))
            or text.startswith("@")
            or (ask.kind == "evidence" and text != NOT_KNOWN)
        ):
            return self._hand_over(text, ask.about, ask.question)
        return self._take(Step(ask.about, text, "", ask.question))

    def _hand_over(self, text: str, about: str, question: str = "") -> bool:
        """Evidence: pasted, or in a file."""
        try:
            if text.strip().startswith("@") and "\n" not in text.strip():
                text = files_of.read(text.strip()[1:].strip()).content.decode("utf-8", "replace")
        except UsageError as error:
            self.show(page.refused(error.line()))
            return False
        return self._take(Step(about, text, self.kept.next_name(), question))

    def _take(self, step: Step) -> bool:
        try:
            self.at = then(self.at, step)
        except UsageError as error:
            self.show(page.refused(error.line()))
            return False
        try:
            self.kept.add(step)
        except UsageError as error:
            self.show(page.refused(error.line()))
            self.kept.folder = None
        return True


def chosen(ask: Ask, text: str) -> str:
    """The answer that was meant: a number stands for its choice, nothing for not known."""
    word = text.strip()
    if not word:
        return NOT_KNOWN
    if ask.options and word.isascii() and word.isdigit() and 1 <= int(word) <= len(ask.options):
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


def ticket_name(folder: Path) -> Path:
    """A new name for the file to attach: nothing is overwritten."""
    for number in range(1, 1000):
        path = folder / ("advisor-diagnosis.md" if number == 1 else f"advisor-diagnosis-{number}.md")
        if not path.exists():
            return path
    raise UsageError("too many diagnoses in this folder", str(folder), "name one with --output")
