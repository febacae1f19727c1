"""`advisor diagnose` from start to end: what is kept, who is asked, and what is left behind.

With a terminal the person there is asked; with a file of answers, or where nobody can be asked, it goes on alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from advisor.errors import UsageError
from advisor.faces import evidence
from advisor.faces import files as files_of
from advisor.faces.bare_options import HERE
from advisor.faces.conversation import Conversation, Hear, from_file
from advisor.faces.keeping import Kept, Options, answers_in, begin, latest
from advisor.jobs.equivalent import check_line, without_secrets
from advisor.model.diagnosis import Standing
from advisor.model.report import Report
from advisor.redaction.cover import covered_line
from advisor.render import diagnosis_page as page
from advisor.render.blocks import Block
from advisor.render.text import lay


@dataclass(frozen=True)
class Page:
    """How it is shown: the conversation where a person reads it, the report to standard output.

    `is_text` False: the report goes out in another format, and not from here.
    """

    colour: bool
    width: int
    is_text: bool

    def talk(self, blocks: Sequence[Block]) -> None:
        """Print blocks of the conversation, and an empty line after them."""
        if self.is_text and (is_terminal(sys.stdout) or not is_terminal(sys.stderr)):
            files_of.write(self._laid(blocks), None)
            return
        with suppress(OSError):
            print(self._laid(blocks).encode("utf-8", "backslashreplace").decode(), file=sys.stderr, flush=True)

    def report(self, blocks: Sequence[Block]) -> None:
        """Print the report."""
        if self.is_text:
            files_of.write(self._laid(blocks), None)

    def _laid(self, blocks: Sequence[Block]) -> str:
        return lay(blocks, colour=self.colour, width=self.width) + "\n"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads or writes there."""
    return bool(stream and stream.isatty())


@dataclass(frozen=True)
class Done:
    """How it ended: the report, and what of the evidence could not be read."""

    report: Report
    problems: tuple[str, ...]


def diagnose(
    options: Options, page_: Page, *, answers: Path | None, resume: bool, most: int, output: Path | None
) -> Done:
    """The whole diagnosis: alone with a file of answers, or with the person at the terminal."""
    if resume and (any(options.values()) or answers):
        raise UsageError("takes nothing beside: it goes on with what was given", "--resume", "paste more at its prompt")
    told = answers_in(answers) if answers is not None else {}
    asked = answers is None and (is_terminal(sys.stdout) or (is_terminal(sys.stdin) and is_terminal(sys.stderr)))
    kept = latest() if resume else Kept(None, _placed(options), [], not asked)
    piped = not resume and _piped(options, answers)
    if not resume and (asked or piped):
        kept, problem = begin(kept.options, alone=not asked)
        page_.talk(page.not_kept(problem) if problem else [])
    repo = kept.options["repo"]
    given = evidence.given(**{**kept.options, "repo": Path(str(repo)) if repo else None})  # type: ignore[arg-type]
    talk = Conversation(given.request, kept, page_.talk, _hearing(asked, told), most)
    if piped:
        talk.pipe_in()
    try:
        end = talk.run()
    except KeyboardInterrupt:
        page_.talk(page.interrupted(str(kept.folder or "")))
        raise
    inputs = [*given.inputs, *([str(answers)] if answers else [])]
    problems = _close(talk, end, page_, output or (ticket_name if asked else None), inputs)
    return Done(end.report, (*(error.line() for error in given.problems), *problems))


def _piped(options: Options, answers: Path | None) -> bool:
    """Whether something to read is piped in: asked for by `-`, or the only thing there is."""
    if "-" in (options.get("files") or ()):
        return True
    return not is_terminal(sys.stdin) and not any(options.values()) and answers is None


def _placed(options: Options) -> Options:
    """The options with files by their whole paths, so that they are found from any folder; what is piped in is kept."""
    placed = dict(options)
    for name in ("files", "log", "stack"):
        given = placed[name]
        if isinstance(given, list):
            placed[name] = [str(Path(one).absolute()) for one in given if one != "-"]
    for name in ("repo", "installed"):
        given = placed[name]
        if isinstance(given, str) and given != HERE:
            placed[name] = str(Path(given).absolute())
    return placed


def _hearing(asked: bool, answers: Mapping[str, str]) -> Hear:
    if not asked:
        return from_file(answers)
    from advisor.faces.terminal import Terminal

    terminal = Terminal()
    return lambda ask: terminal.ask(page.prompt(ask is None))


def _close(
    talk: Conversation, end: Standing, page_: Page, output: Path | Callable[[Path], Path] | None, inputs: list[str]
) -> list[str]:
    """The report, what to capture next, the file for the ticket, and the same as one command; what went wrong."""
    kept, options = talk.kept, talk.kept.options
    places = {step.name: str(kept.folder / step.name) for step in kept.steps if step.name and kept.folder}
    paths = [(f"--{name}", str(options[name])) for name in ("repo", "installed") if options.get(name)]
    beside = tuple(word for pair in paths for word in pair)
    if options.get("repo") and options.get("version"):
        beside = (*beside, "--version", str(options["version"]))
    line = check_line(talk.at.request, places, beside)
    page_.report(page.report_of(end))
    told = [(step.question, step.name or without_secrets(step.text)) for step in kept.steps if step.about]
    ticket, problems = "", list[str]()
    try:
        target = output(Path.cwd()) if callable(output) else output
        if target is not None:
            files_of.write(page.ticket(end, told, covered_line(line)), target, [*inputs, *places.values()])
            ticket = str(target)
    except UsageError as error:  # the report is out already
        problems.append(error.line())
    page_.talk(page.kept(end, line, ticket, str(kept.folder or "")))
    return problems


def ticket_name(folder: Path) -> Path:
    """A new file to attach, made and empty: nothing is overwritten, by two diagnoses at once neither."""
    for number in range(1, 1000):
        path = folder / ("advisor-diagnosis.md" if number == 1 else f"advisor-diagnosis-{number}.md")
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(
                f"cannot be written: {error.strerror or error}", str(path), "--output names another"
            ) from None
        return path
    raise UsageError("too many diagnoses in this folder", str(folder), "name one with --output")
