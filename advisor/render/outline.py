"""A report in the order a tired person reads it, as blocks.

The conclusion and the first thing to do come in the first lines; then the leading finding in full, the others
shortly, what nothing explains, what to find out next, and what was looked at.
"""

from __future__ import annotations

from collections import Counter

from advisor.model.report import STATUSES, Finding, Question, Report
from advisor.render import sections, words
from advisor.render.blocks import Block, Heading, Line, Quote, Verbatim, item
from advisor.render.findings import SEEN, first_step, leading, not_this, others, standing, titled


def outline(report: Report, every: bool = False) -> list[Block]:
    """The whole report. `every`: nothing left out for brevity."""
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
        *sections.headed("Looked at and ruled out", [item(not_this(one), tone="faint") for one in ruled_out]),
        *unexplained(report),
        *questions(report, shown),
        *sections.headed("Resembles in words only (not judged)", sections.resemblances(report.related)),
        *coverage(report),
        *(understood(report) if every else ()),
        *closing(report),
    ]


# the first lines


def opening(report: Report, shown: list[Finding]) -> list[Block]:
    """The conclusion, what it stands on, and the first thing to do."""
    refused = [one for one in report.discrepancies if one.level == "error"]
    first = conclusion(shown, bool(report.unexplained))
    blocks: list[Block] = [first]
    if refused and not (shown and shown[0].status in SEEN):
        besides = f"Besides that: {first.text[0].lower()}{first.text[1:]}"
        blocks = [Heading(words.refused(report.build, refused), 1, "alarm"), Line(besides)]
    if shown and shown[0].status in SEEN:
        blocks += [Line(standing(shown[0])), *first_step(shown[0])]
    return [*blocks, Line(tally(report, shown))]


def conclusion(shown: list[Finding], unexplained_: bool) -> Heading:
    """The answer in one line. `unexplained_`: the user came with a symptom that nothing shown explains."""
    if not shown:
        return Heading(words.NOTHING_MATCHES, 1, "warn")
    first = shown[0]
    if first.status in SEEN:
        return Heading(titled(first), 1, words.TONES[first.status])
    count = len(shown)
    if any(one.status == "possible" for one in shown):
        said = f"Nothing certain: {words.counted(count, 'documented failure')} may be at work or can happen here."
    elif unexplained_:
        said = f"What you see fits no documented failure; {words.counted(count, 'other')} can happen here."
    else:
        said = f"No failure seen, but {words.counted(count, 'documented failure')} can happen to this deployment."
    return Heading(said, 1, words.TONES[first.status])


def tally(report: Report, shown: list[Finding]) -> str:
    """The build, and what else was found."""
    counts = Counter(one.status for one in report.findings)
    led = bool(shown) and shown[0].status in SEEN
    if led:
        counts[shown[0].status] -= 1
    found = ", ".join(f"{counts[one]} {words.LABELS[one].lower()}" for one in STATUSES if counts[one])
    also = "Also" if led else "Found"
    build = report.build.label or "not known"
    return f"Build: {build}." + (f" {also}: {found}." if found else "") + (f" Case {report.id}." if report.id else "")


def situation(report: Report, every: bool) -> list[Block]:
    """What the evidence alone says is going on, each statement with the places it stands on.

    It comes first where no failure leads, and after the leading one where it does: there the change comes first.
    """
    blocks: list[Block] = []
    for one in report.situation:
        few = one.places if every else one.places[:3]
        more = f" and {len(one.places) - len(few)} more" if len(few) < len(one.places) else ""
        places = f"  [{', '.join(few)}{more}]" if few else ""
        blocks.append(item(f"{one.says}{places}", tone="faint" if one.kind == "unknown" else ""))
    return sections.headed("What is going on", blocks)


def refuses(report: Report) -> bool:
    """Whether it is known that the engine will not start."""
    return any(one.level == "error" and one.code.startswith("setting-") for one in report.discrepancies)


def discrepancies(report: Report) -> list[Block]:
    """What does not fit: settings that the release does not take, a build that is not what it says."""
    blocks: list[Block] = []
    for one in report.discrepancies:
        blocks.append(item(f"[{one.level}] {words.sentence(one.says)}", tone="warn" if one.level != "note" else ""))
        blocks += [Quote(one.place, one.quote, 1, one.typed)] if one.quote else []
        said = one.remedy()
        blocks += [item(said, 1)] if said else []
        blocks += [item(f"source: {cited.where} ({cited.date})", 1, "faint") for cited in one.sources]
    return sections.headed("What does not fit", blocks)


def unexplained(report: Report) -> list[Block]:
    """What the user came with that no finding explains."""
    return sections.headed(
        "Not explained by any finding", [block for one in report.unexplained for block in sections.fact(one)]
    )


def questions(report: Report, shown: list[Finding]) -> list[Block]:
    """What to find out next, without what the leading finding has asked for already."""
    asked = {one.about for one in shown[0].wanted} if shown and shown[0].status in SEEN else set()
    asked |= {one.question for one in report.questions if one.about == "symptom" and refuses(report)}
    blocks: list[Block] = []
    for number, one in enumerate((one for one in report.questions if one.question not in asked), 1):
        blocks += question(one, number)
    return sections.headed("Questions that would help" if shown else "What to find out or capture next", blocks)


def question(one: Question, number: int) -> list[Block]:
    """One question, how to answer it, and what the answer decides."""
    helps = f" (decides: {', '.join(one.rules)})" if one.rules else ""
    return [Line(f"{one.question}{helps}", f"{number}."), *([Verbatim(one.how, "sh", 1)] if one.how.strip() else [])]


def coverage(report: Report) -> list[Block]:
    """What was looked at, and the limits of that."""
    seen = report.coverage
    blocks = [
        item(f"{one.name}: {one.kind}, {words.counted(one.lines, 'line')}, {words.counted(one.facts, 'fact')}")
        for one in seen.inputs
    ]
    blocks += [item(note, tone="warn") for note in dict.fromkeys((*seen.notes, *report.build.notes))]
    whole = (
        "complete: a flag that is absent has its default"
        if seen.launch_complete
        else "not known to be complete: nothing was concluded from absent flags"
    )
    return [
        Heading("What was looked at"),
        *(blocks or [item("no input was given")]),
        item(f"launch {whole}"),
        item(f"{words.counted(seen.rules, 'rule')} evaluated"),
    ]


def understood(report: Report) -> list[Block]:
    """The launch and build as understood."""
    lines = [
        item(f"{one.typed or one.flag} {words.value(one.value)}" + (f"  [{one.place}]" if one.place else ""))
        for one in report.settings
    ]
    lines += [item(f"{name}={given}") for name, given in report.environment.items()]
    lines += [item(f"{name} {version}") for name, version in report.build.components.items()]
    return sections.headed("The launch as understood", lines)


def closing(report: Report) -> list[Block]:
    """How old all this is, and what a match is."""
    said = f"{f'Rules as of {report.as_of}; ' if report.as_of else ''}advisor {report.advisor}."
    return [Heading("As of"), Line(f"{said} A match is a resemblance with reasons, not a proof of cause.")]
