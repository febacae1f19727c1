"""A report in the order a tired person reads it, as blocks.

The conclusion and the first thing to do come in the first lines; then the leading finding in full, the others
shortly, what nothing explains, what to find out next, and what was looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from advisor.model.condition import as_word
from advisor.model.report import STATUSES, Finding, InputOut, Question, Report
from advisor.render import sections, words
from advisor.render.below import told, translated
from advisor.render.blocks import Block, Heading, Line, Quote, Verbatim, item
from advisor.render.findings import SEEN, first_step, leading, not_this, others, standing, titled
from advisor.render.language import counted, say, spoken

MOST_INPUTS = 12  # of one kind, side by side, that are named each


def outline(report: Report, every: bool = False) -> list[Block]:
    """The whole report. `every`: nothing left out for brevity."""
    report = localised(report)
    shown = [one for one in report.findings if one.status != "ruled_out"]
    ruled_out = [one for one in report.findings if one.status == "ruled_out"]
    told, led = situation(report, every), bool(shown) and shown[0].status in SEEN
    unfit = discrepancies(report)
    return [
        *opening(report, shown),
        *(() if led else [*unfit, *told]),
        *leading(shown[:1], every),
        *([*told, *unfit] if led else ()),
        *others(shown, every),
        *sections.headed(say("Looked at and ruled out"), [item(not_this(one), tone="faint") for one in ruled_out]),
        *unexplained(report),
        *questions(report, shown, every),
        *sections.headed(say("Resembles in words only (not judged)"), sections.resemblances(report.related)),
        *coverage(report),
        *(understood(report) if every else ()),
        *closing(report),
    ]


def localised(report: Report) -> Report:
    """The report told in the reader's language, as far as that has the words; what is quoted stays as it is."""
    if spoken() == "en":
        return report
    prose = {english: said for one in report.findings for english, said in one.zh.items()}
    return replace(translated(report, prose), excerpts=report.excerpts)


# the first lines

MIXED = "engines-mixed"
"""What stands before the verdict, since the verdict is about one of them alone."""


def opening(report: Report, shown: list[Finding]) -> list[Block]:
    """The conclusion, what it stands on, and the first thing to do."""
    refused = [one for one in report.discrepancies if one.level == "error"]
    first = conclusion(shown, bool(report.unexplained))
    blocks: list[Block] = [first]
    if refused and not (shown and shown[0].status in SEEN):
        besides = say("Besides that: {what}", what=f"{first.text[0].lower()}{first.text[1:]}")
        blocks = [Heading(words.refused(report.build, refused), 1, "alarm"), Line(besides)]
    if shown and shown[0].status in SEEN:
        blocks += [Line(standing(shown[0])), *first_step(shown[0])]
    mixed = [Line(words.sentence(one.says), tone="alarm") for one in report.discrepancies if one.code == MIXED]
    return [*mixed, *blocks, Line(tally(report, shown))]


def conclusion(shown: list[Finding], unexplained_: bool) -> Heading:
    """The answer in one line. `unexplained_`: the user came with a symptom that nothing shown explains."""
    if not shown:
        nothing = say("No documented failure matches what was given. That is not a clean bill of health.")
        return Heading(nothing, 1, "warn")
    first = shown[0]
    if first.status in SEEN:
        return Heading(titled(first), 1, words.TONES[first.status])
    failures = counted(len(shown), "documented failure")
    if any(one.status == "possible" for one in shown):
        said = say("Nothing certain: {failures} may be at work or can happen here.", failures=failures)
    elif unexplained_:
        others_ = counted(len(shown), "other")
        said = say("What you see fits no documented failure; {others} can happen here.", others=others_)
    else:
        said = say("No failure seen, but {failures} can happen to this deployment.", failures=failures)
    return Heading(said, 1, words.TONES[first.status])


def tally(report: Report, shown: list[Finding]) -> str:
    """The build, and what else was found."""
    counts = Counter(one.status for one in report.findings)
    led = bool(shown) and shown[0].status in SEEN
    if led:
        counts[shown[0].status] -= 1
    each = ((counts[one], say(words.LABELS[one]).lower()) for one in STATUSES if counts[one])
    found = say(", ").join(say("{count} {status}", count=count, status=label) for count, label in each)
    also = (say(" Also: {found}.", found=found) if led else say(" Found: {found}.", found=found)) if found else ""
    build = say("Build: {build}.", build=told(report.build.label) or say("not known"))
    return build + also + (say(" Case {id}.", id=report.id) if report.id else "")


def situation(report: Report, every: bool) -> list[Block]:
    """What the evidence alone says is going on, each statement with the places it stands on.

    It comes first where no failure leads, and after the leading one where it does: there the change comes first.
    """
    blocks: list[Block] = []
    for one in report.situation:
        places = _places(one.places, len(one.places) if every else 3)
        blocks.append(item(f"{one.says}{places}", tone="faint" if one.kind == "unknown" else ""))
    return sections.headed(say("What is going on"), blocks)


def _places(places: Sequence[str], most: int) -> str:
    named = ", ".join(places[:most])
    if len(places) > most:
        named = say("{named} and {count} more", named=named, count=len(places) - most)
    return f"  [{named}]" if named else ""


def refuses(report: Report) -> bool:
    """Whether it is known that the engine will not start."""
    return any(one.level == "error" and one.code.startswith("setting-") for one in report.discrepancies)


def discrepancies(report: Report) -> list[Block]:
    """What does not fit: settings that the release does not take, a build that is not what it says."""
    blocks: list[Block] = []
    for one in (one for one in report.discrepancies if one.code != MIXED):
        said = f"[{say(one.level)}] {words.sentence(one.says)}"
        blocks.append(item(said, tone="warn" if one.level != "note" else ""))
        blocks += [Quote(one.place, one.quote, 1, one.typed)] if one.quote else []
        blocks += [item(told(write), 1)] if (write := one.remedy()) else []
        for cited in one.sources:
            source = say("source: {where} ({date})", where=cited.where, date=cited.date)
            blocks.append(item(source, 1, "faint"))
    return sections.headed(say("What does not fit"), blocks)


def unexplained(report: Report) -> list[Block]:
    """What the user came with that no finding explains."""
    return sections.headed(say("Not explained by any finding"), sections.told(report.unexplained))


ASKED = 5
"""Questions told unless everything is asked for: nobody captures more before looking again."""


def questions(report: Report, shown: list[Finding], every: bool) -> list[Block]:
    """What to find out next, without what the leading finding has asked for already."""
    asked = {one.about for one in shown[0].wanted} if shown and shown[0].status in SEEN else set()
    asked |= {one.question for one in report.questions if one.about == "symptom" and refuses(report)}
    left = [one for one in report.questions if one.question not in asked]
    blocks = [block for number, one in enumerate(left if every else left[:ASKED], 1) for block in question(one, number)]
    if len(left) > ASKED and not every:
        blocks.append(item(say("and {count} more (--verbose)", count=len(left) - ASKED), tone="faint"))
    heading = say("Questions that would help") if shown else say("What to find out or capture next")
    return sections.headed(heading, blocks)


def question(one: Question, number: int) -> list[Block]:
    """One question, how to answer it, and what the answer decides."""
    helps = say(" (decides: {rules})", rules=say(", ").join(one.rules)) if one.rules else ""
    return [Line(f"{one.question}{helps}", f"{number}."), *([Verbatim(one.how, "sh", 1)] if one.how.strip() else [])]


def coverage(report: Report) -> list[Block]:
    """What was looked at, and the limits of that."""
    seen = report.coverage
    alike = [list(several) for _, several in groupby(seen.inputs, lambda one: one.kind)]
    blocks = [item(line) for several in alike for line in _looked_at_all(several)]
    blocks += [item(note, tone="warn") for note in dict.fromkeys((*seen.notes, *report.build.notes))]
    whole = (
        say("launch complete: a flag that is absent has its default")
        if seen.launch_complete
        else say("launch not known to be complete: nothing was concluded from absent flags")
    )
    return [
        Heading(say("What was looked at")),
        *(blocks or [item(say("no input was given"))]),
        item(whole),
        item(say("{rules} evaluated", rules=counted(seen.rules, "rule"))),
    ]


def _looked_at_all(several: list[InputOut]) -> list[str]:
    """A line for each input; one for the many of a kind that stand side by side, as the dumps of 64 ranks do."""
    if len(several) <= MOST_INPUTS:
        return [_looked_at(one) for one in several]
    said = say(
        "{name} and {more} more: {kind}, {lines}, {facts}",
        name=several[0].name,
        more=len(several) - 1,
        kind=say(several[0].kind),
        lines=counted(sum(one.lines for one in several), "line"),
        facts=counted(sum(one.facts for one in several), "fact"),
    )
    return [said]


def _looked_at(one: InputOut) -> str:
    return say(
        "{name}: {kind}, {lines}, {facts}",
        name=one.name,
        kind=say(one.kind),
        lines=counted(one.lines, "line"),
        facts=counted(one.facts, "fact"),
    )


def understood(report: Report) -> list[Block]:
    """The launch and build as understood."""
    lines = [
        item(f"{one.typed or one.flag} {as_word(words.value(one.value))}" + (f"  [{one.place}]" if one.place else ""))
        for one in report.settings
    ]
    lines += [item(f"{name}={as_word(given)}") for name, given in report.environment.items()]
    lines += [item(f"{name} {as_word(version)}") for name, version in report.build.components.items()]
    return sections.headed(say("The launch as understood"), lines)


def closing(report: Report) -> list[Block]:
    """How old all this is, and what a match is."""
    made = (
        say("Rules as of {date}; advisor {version}.", date=report.as_of, version=report.advisor)
        if report.as_of
        else say("advisor {version}.", version=report.advisor)
    )
    worth = say(" A match is a resemblance with reasons, not a proof of cause.")
    return [Heading(say("As of")), Line(made + worth)]
