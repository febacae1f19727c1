"""A report in the order a tired person reads it, as blocks.

The conclusion and the first thing to do come in the first lines; then the leading finding in full, the others
shortly, what nothing explains, what to find out next, and what was looked at.
"""

from __future__ import annotations

from collections import Counter

from advisor.model.report import STATUSES, Finding, Question, Report
from advisor.render import sections, words
from advisor.render.blocks import Block, Heading, Line, Verbatim, item, paragraphs
from advisor.render.citations import Citations

SEEN = ("matched", "likely")


def outline(report: Report, every: bool = False) -> list[Block]:
    """The whole report. `every`: nothing left out for brevity."""
    shown = [one for one in report.findings if one.status != "ruled_out"]
    ruled_out = [one for one in report.findings if one.status == "ruled_out"]
    return [
        *opening(report, shown),
        *leading(shown[:1], every),
        *others(shown, every),
        *sections.headed("Looked at and ruled out", [item(not_this(one), tone="faint") for one in ruled_out]),
        *unexplained(report),
        *questions(report, shown),
        *coverage(report),
        *(understood(report) if every else ()),
        *closing(report),
    ]


# the first lines


def opening(report: Report, shown: list[Finding]) -> list[Block]:
    """The conclusion, what it stands on, and the first thing to do."""
    blocks: list[Block] = [conclusion(shown)]
    if shown and shown[0].status in SEEN:
        blocks += [Line(standing(shown[0])), *first_step(shown[0])]
    return [*blocks, Line(tally(report))]


def conclusion(shown: list[Finding]) -> Heading:
    """The answer in one line."""
    if not shown:
        return Heading(words.NOTHING_MATCHES, 1, "warn")
    first = shown[0]
    if first.status in SEEN:
        return Heading(f"{words.LABELS[first.status]}: {first.headline or first.summary}", 1, words.TONES[first.status])
    count = len(shown)
    if any(one.status == "possible" for one in shown):
        said = f"Nothing certain: {words.counted(count, 'documented failure')} may be at work or can happen here."
    else:
        said = f"No failure seen, but {words.counted(count, 'documented failure')} can happen to this deployment."
    return Heading(said, 1, words.TONES[first.status])


def standing(finding: Finding) -> str:
    """The rule and how firm the ground under it is, in a line."""
    fixed = {one.in_this_build for one in finding.fixes}
    has = "no fix known" if not fixed else ""
    if fixed:
        has = (
            "fix is in this build"
            if "yes" in fixed
            else "not known whether the fix is in"
            if "unknown" in fixed
            else "fix not in this build"
        )
    return f"{finding.rule}; cause {words.CAUSE.get(finding.cause.status, finding.cause.status)}; {has}."


def first_step(finding: Finding) -> list[Line]:
    """Harm being done already, then the best known remedy, in a line each."""
    harm = [
        Line(f"You already do what makes it worse: {one.what}", tone="alarm")
        for one in finding.harmful
        if one.tried == "yes"
    ]
    sound = sections.firm(finding.remedies)
    best = next((one for one in sound if one.applies == "yes"), sound[0] if sound else None)
    if best is None:
        return [*harm, Line("Do first: nothing verified is known to help; capture the evidence named below.")]
    unsure = ", if it applies" if best.applies == "unknown" else ""
    return [*harm, Line(f"Do first [{words.PROOF[best.status]}{unsure}]: {best.what}", tone="good")]


def tally(report: Report) -> str:
    """The build, and what else was found."""
    counts = Counter(one.status for one in report.findings)
    leading = report.findings[0].status if report.findings else ""
    others = {status: counts[status] - (status == leading and status in SEEN) for status in STATUSES}
    found = ", ".join(f"{count} {words.LABELS[status].lower()}" for status, count in others.items() if count > 0)
    also = "Also" if leading in SEEN else "Found"
    build = report.build.label or "not known"
    return f"Build: {build}." + (f" {also}: {found}." if found else "") + (f" Case {report.id}." if report.id else "")


# findings


def leading(findings: list[Finding], every: bool) -> list[Block]:
    """The leading finding: in full when it was seen to happen, compact when it only can."""
    if not findings:
        return []
    first = findings[0]
    return (
        full(first, every)
        if every or first.status in SEEN
        else [Heading(titled(first), 2, words.TONES[first.status]), *compact(first)]
    )


def full(finding: Finding, every: bool) -> list[Block]:
    """Everything about a finding, in the order of need."""
    cites = Citations()
    return [
        *sections.applies(finding, every),
        *sections.remedies(finding, cites, every),
        *sections.fixes(finding, cites, every),
        *sections.dont(finding, cites),
        *sections.cause(finding.cause, cites),
        *(sections.headed("What happens", paragraphs(finding.details)) if every else []),
        *sections.verification(finding.verification),
        *sections.lookalikes(finding.lookalikes),
        *sections.capture(finding.wanted),
        *sections.superseded(finding, cites),
        *sections.caveats(finding),
        *sections.headed(
            "Sources", [*cites.lines(finding.references, every), item(f"rule {finding.rule}, as of {finding.as_of}")]
        ),
    ]


def others(shown: list[Finding], every: bool) -> list[Block]:
    """The findings after the first: those seen compactly, those that only can happen in a few lines."""
    blocks: list[Block] = []
    for one in shown[1:]:
        if every:
            blocks += [Heading(titled(one), 2, words.TONES[one.status]), *_under(full(one, every))]
        elif one.status in SEEN:
            blocks += [Heading(titled(one), 2, words.TONES[one.status]), *compact(one)]
    short = [] if every else [block for one in shown[1:] if one.status not in SEEN for block in brief(one)]
    return [*blocks, *sections.headed("Less likely, or only possible here", short)]


def _under(blocks: list[Block]) -> list[Block]:
    return [Heading(one.text, 3, one.tone) if isinstance(one, Heading) else one for one in blocks]


def titled(finding: Finding) -> str:
    """Status and verdict of a finding that does not lead."""
    return f"{words.LABELS[finding.status]}: {finding.headline or finding.summary}"


def compact(finding: Finding) -> list[Block]:
    """A finding without its background: why, what to do, the fix, what not to do."""
    cites = Citations()
    body = [
        *sections.applies(finding, every=False),
        *sections.remedies(finding, cites, every=False),
        *sections.fixes(finding, cites, every=False),
        *sections.dont(finding, cites),
    ]
    return [
        Line(standing(finding)),
        *_under(body),
        *_under(sections.headed("Sources", cites.lines())),
        item(f"more: advisor explain {finding.rule}", tone="faint"),
    ]


def brief(finding: Finding) -> list[Block]:
    """A finding in at most three lines: what, why, and what to do or find out."""
    why = "; ".join(words.fact(one) for one in finding.because[:3])
    blocks: list[Block] = [item(f"{finding.rule}: {titled(finding)}", tone=words.TONES[finding.status])]
    if why:
        blocks.append(Line(f"because {why}", depth=1))
    return [*blocks, *_next(finding)]


def _next(finding: Finding) -> list[Block]:
    if finding.status == "possible" and finding.missing:
        return [Line(f"to settle it: {finding.missing[0].question}", depth=1)]
    sound = sections.firm(finding.remedies)
    return [Line(f"[{words.PROOF[sound[0].status]}] {sound[0].what}", depth=1)] if sound else []


def not_this(finding: Finding) -> str:
    """A look-alike in one line, with the fact that rules it out."""
    why = "; ".join(words.fact(one) for one in finding.deciding) or "it cannot happen to this build or launch"
    return f"looks like {finding.rule} ({finding.summary.strip().rstrip('.')}), but {why}"


# after the findings


def unexplained(report: Report) -> list[Block]:
    """What the user came with that no finding explains."""
    return sections.headed(
        "Not explained by any finding", [block for one in report.unexplained for block in sections.fact(one)]
    )


def questions(report: Report, shown: list[Finding]) -> list[Block]:
    """What to find out next, without what the leading finding has asked for already."""
    asked = {one.question for one in shown[0].wanted} if shown and shown[0].status in SEEN else set()
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
    blocks += [item(note, tone="warn") for note in (*seen.notes, *report.build.notes)]
    strange = [one.typed or one.flag for one in report.settings if not one.known]
    if strange:
        blocks.append(item(f"not known as settings of this engine: {', '.join(strange)}", tone="warn"))
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
    """How old all this is."""
    return [
        Heading("As of", 2),
        Line(
            f"Rules and knowledge as of {report.as_of}; advisor {report.advisor}. A match is a resemblance with reasons, not a proof of cause."
        ),
    ]
