"""`advisor diagnose` from start to end: what is kept, who is asked, and what is left behind.

With a terminal the person there is asked; with a file of answers, or where nobody can be asked, it goes on alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import UsageError
from advisor.faces import evidence
from advisor.faces import files as files_of
from advisor.faces.bare_options import HERE
from advisor.faces.conversation import Conversation, Hear, from_file
from advisor.faces.keeping import Options, answers_in, begin, latest
from advisor.jobs.equivalent import check_line
from advisor.jobs.redaction import redact
from advisor.model.diagnosis import Standing
from advisor.model.report import Report
from advisor.render import diagnosis_page as page
from advisor.render.blocks import Block
from advisor.render.text import lay


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
    if resume and any(options.values()):
        raise UsageError("takes no evidence: it goes on with what was given", "--resume", "paste more at its prompt")
    piped = "-" in (options.get("files") or ())
    kept, problem = (latest(), "") if resume else begin(_placed(options))
    if problem:
        page_.show(page.not_kept(problem))
    given = evidence.given(**{"said": None, **kept.options})  # type: ignore[arg-type]
    asked = answers is None and terminal_is_there()
    talk = Conversation(given.request, kept, page_.show, _hearing(asked, told), most)
    if piped or (not asked and answers is None and not resume and not given.inputs):
        talk.pipe_in()
    try:
        end = talk.run()
    except KeyboardInterrupt:
        page_.show(page.interrupted(str(kept.folder or "")))
        raise
    _close(talk, end, page_, output, asked)
    return Done(end.report, tuple(error.line() for error in given.problems))


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


def terminal_is_there() -> bool:
    """Whether a person can be asked: what is shown goes to a terminal."""
    return bool(sys.stdout and sys.stdout.isatty())


def _hearing(asked: bool, answers: Mapping[str, str]) -> Hear:
    if not asked:
        return from_file(answers)
    from advisor.faces.terminal import Terminal

    terminal = Terminal()
    return lambda ask: terminal.ask(page.prompt(ask is None))


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
        page_.show(page.report_of(end))
    page_.show(page.kept(end, line, str(ticket or ""), str(kept.folder or "")))


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
