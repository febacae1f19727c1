"""Where a diagnosis stands → what the person at the prompt reads: what was understood, what is believed, one question.

Only words and numbers, 80 columns, nothing that colour alone says.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.diagnosis import Ask, Candidate, Option, Recognised, Standing
from advisor.render import words
from advisor.render.below import told
from advisor.render.blocks import Block, Heading, Line, Verbatim, item
from advisor.render.findings import SEEN, titled
from advisor.render.language import say
from advisor.render.markdown import written
from advisor.render.outline import localised, opening, outline

LED = 3
"""Failures named while the diagnosis goes on."""
AHEAD = ("matched", "likely", "possible")
"""Those for which something seen speaks; the others only can happen."""
YES_NO = {"yes": "yes", "no": "no", "not there": "it is not there"}


def greeting() -> list[Block]:
    """What to do at the first prompt."""
    return [
        Line(say("Paste logs, stacks, a command line or a manifest, or say what you see; @FILE reads a file.")),
        Line(say("Enter alone goes on, e ends with the report. Ctrl-C keeps everything for --resume.")),
    ]


def understood(now: Standing, before: Standing | None = None) -> list[Block]:
    """What was recognised and what is believed; after the first time, only what has changed."""
    known = _known(now.recognised)
    new = known if before is None else [one for one in known if one not in _known(before.recognised)]
    if new:
        blocks: list[Block] = [Line(say("Understood:")), *(item(one) for one in new)]
    else:
        blocks = [] if known else [Line(say("Nothing is known yet."))]
    return [*blocks, *_belief(now, before)]


def _known(one: Recognised) -> list[str]:
    return [say("{name}: {text}", name=name, text=text) for name, text in recognised(one)]


def recognised(one: Recognised) -> list[tuple[str, str]]:
    """What was understood, each kind of thing by its name."""
    parts = (
        (say("build"), told(one.build)),
        (say("flags"), " ".join(one.settings)),
        (say("environment"), " ".join(one.environment)),
        (say("hardware"), say(", ").join(one.hardware)),
        (say("seen"), say("; ").join(told(each) for each in one.symptoms)),
        (say("evidence"), say(", ").join(f"{count} {say(kind)}" for kind, count in one.evidence.items())),
    )
    return [(name, text) for name, text in parts if text]


def _belief(now: Standing, before: Standing | None) -> list[Block]:
    count, whole, was = len(now.candidates), now.considered, len(before.candidates) if before else 0
    if was and was != count:
        said = say("Can still be {count} of {whole} known failures ({was} before).", count=count, whole=whole, was=was)
    else:
        said = say("Can still be {count} of {whole} known failures.", count=count, whole=whole)
    ahead = [one for one in now.candidates if one.status in AHEAD][:LED]
    if before is not None and ahead == [one for one in before.candidates if one.status in AHEAD][:LED]:
        return [Line(said)]
    return [Line(said), *(item(_candidate(one, now), tone=words.TONES[one.status or "exposed"]) for one in ahead)]


def _candidate(one: Candidate, now: Standing) -> str:
    prose = next((each.zh for each in now.report.findings if each.rule == one.rule), {})
    status, summary = say(words.LABELS[one.status or "exposed"]), told(one.summary, prose)
    return say("{status} {rule}: {summary}", status=status, rule=one.rule, summary=summary)


def question(ask: Ask, number: int) -> list[Block]:
    """One question with its choices and what else can be typed."""
    blocks: list[Block] = [Heading(say("Question {number}: {question}", number=number, question=told(ask.question)), 3)]
    if len(ask.rules) <= LED:
        blocks.append(Line(say("decides: {rules}", rules=", ".join(ask.rules)), depth=1))
    numbers = any(one.answer.isdigit() for one in ask.options)  # then a number is an answer, and no place of one
    blocks += [Line(choice(one), "-" if numbers else f"{at}.", 1) for at, one in enumerate(ask.options, 1)]
    if ask.how:
        blocks += [Line(say("To find out, on the machine; paste what it prints:"), depth=1), Verbatim(ask.how, "sh", 1)]
    return [*blocks, Line(_typed(ask), depth=1, tone="faint")]


def choice(one: Option) -> str:
    """An answer to choose, as a person reads it."""
    return say(YES_NO[one.label]) if one.label in YES_NO else told(one.label)


def _typed(ask: Ask) -> str:
    if ask.options:
        return say("a number, or the answer itself; ? not known, b back, e end with the report")
    if ask.kind == "evidence":
        return say("paste it, or @FILE; ? not to be had, b back, e end with the report")
    return say("the answer, or @FILE; ? not known, b back, e end with the report")


def captures(end: Standing) -> list[Block]:
    """What to capture before anything is restarted, each with its command."""
    given = end.captures
    if not given:
        return []
    prose = {english: said for one in end.report.findings for english, said in one.zh.items()}
    blocks: list[Block] = [Heading(say("Capture this next, before anything is restarted"))]
    for number, one in enumerate(given, 1):
        blocks.append(Line(words.sentence(told(one.question, prose)), f"{number}."))
        blocks += [Verbatim(one.how, "sh", 1)] if one.how.strip() else []
    return blocks


CAPTURED_ELSEWHERE = ("What to capture next", "Questions that would help", "What to find out or capture next")
"""Sections of the report which `captures` has with commands for this very deployment."""


def report_of(end: Standing) -> list[Block]:
    """The report, and at its end what to capture next, once."""
    left, skipped = list[Block](), False
    headings = {say(one) for one in CAPTURED_ELSEWHERE} if end.captures else set()
    for block in outline(end.report):
        if isinstance(block, Heading):
            skipped = block.text in headings
        if not skipped:
            left.append(block)
    return [*left, *captures(end)]


def kept(end: Standing, check: str, ticket: str, folder: str) -> list[Block]:
    """The conclusion once more, for it has left the screen; where everything is; how to have the same again."""
    report = localised(end.report)
    shown = [one for one in report.findings if one.status != "ruled_out"]
    blocks: list[Block] = [Heading(say("In short")), *opening(report, shown)]
    if shown and shown[0].status == "possible":
        blocks.append(Line(titled(shown[0])))
    elif not any(one.status in SEEN for one in shown) and report.related:
        near = report.related[0]
        blocks.append(
            Line(
                say("Nearest in words alone: {rule} ({summary})", rule=near.rule, summary=words.unstopped(near.summary))
            )
        )
    if end.captures:
        blocks.append(Line(say("Before any restart, capture what is listed above.")))
    blocks.append(Heading(say("To go on from here")))
    if ticket:
        blocks.append(item(say("For the ticket: {file}", file=ticket)))
    if folder:
        blocks.append(item(say("Your pastes and answers are kept in {folder}", folder=folder)))
    return [*blocks, item(say("The same judgement again:")), Verbatim(check, "sh", 1)]


def ticket(end: Standing, asked: Sequence[tuple[str, str]], check: str) -> str:
    """The file to attach to a ticket, in Markdown: the report, what to capture, what was asked, how to repeat it."""
    lines = [item(say("{question} {answer}", question=told(question), answer=answer)) for question, answer in asked]
    asked_: list[Block] = [Heading(say("Asked and answered")), *lines] if lines else []
    return written([*report_of(end), *asked_, Heading(say("The same judgement again")), Verbatim(check, "sh")])


def interrupted(folder: str) -> list[Block]:
    """What was told is not lost."""
    if not folder:
        return [Line(say("Stopped."))]
    return [Line(say("Stopped; all is kept in {folder}. Go on: advisor diagnose --resume", folder=folder))]


def no_such_choice(text: str, count: int) -> list[Block]:
    """A number that stands for nothing; the question stands."""
    return [
        Line(
            say("there is no choice {text}: 1 to {count}, the answer itself, or ?", text=text, count=count), tone="warn"
        )
    ]


def nothing_before() -> list[Block]:
    """There is no step to take back."""
    return [Line(say("This is the first step: there is nothing to take back."), tone="warn")]


def prompt(first: bool) -> str:
    """What stands before what is typed."""
    return say("more, or Enter to go on> ") if first else "> "


def refused(line: str) -> list[Block]:
    """What cannot be taken, in a line; the question stands."""
    return [Line(line, tone="warn")]


def not_kept(problem: str) -> list[Block]:
    """Why nothing is written down."""
    return [Line(say("Nothing is kept, so --resume will not work: {problem}", problem=problem), tone="warn")]
