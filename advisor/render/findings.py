"""A finding as blocks, as long as it deserves: in full, compact, brief, or a line that rules it out."""

from __future__ import annotations

from advisor.model.report import Finding
from advisor.render import sections, words
from advisor.render.blocks import Block, Heading, Line, item, paragraphs
from advisor.render.citations import Citations
from advisor.render.language import say

SEEN = ("matched", "likely")


def leading(findings: list[Finding], every: bool) -> list[Block]:
    """The leading finding: in full when it was seen to happen, compact when it only can."""
    if not findings:
        return []
    first = findings[0]
    if every or first.status in SEEN:
        return full(first, every)
    told = compact(first) if first.status == "exposed" else short(first)
    return [Heading(titled(first), 2, words.TONES[first.status]), *told]


def full(finding: Finding, every: bool) -> list[Block]:
    """Everything about a finding, in the order of need."""
    cites = Citations()
    return [
        *sections.applies(finding, every),
        *sections.headed(say("Its echoes, not further failures"), sections.facts(finding.echoes, every)),
        *sections.remedies(finding, cites, every),
        *sections.fixes(finding, cites, every),
        *sections.dont(finding, cites),
        *sections.cause(finding.cause, cites),
        *(sections.headed(say("What happens"), paragraphs(finding.details)) if every else []),
        *sections.verification(finding.verification),
        *sections.lookalikes(finding.lookalikes),
        *sections.capture(finding.wanted),
        *sections.superseded(finding, cites),
        *sections.caveats(finding),
        *sections.headed(say("Sources"), [*cites.lines(finding.references, every), item(_as_of(finding))]),
    ]


def _as_of(finding: Finding) -> str:
    return say("rule {rule}, as of {date}", rule=finding.rule, date=finding.as_of)


def others(shown: list[Finding], every: bool) -> list[Block]:
    """The findings after the first: those seen compactly, those that only can happen in a few lines."""
    blocks: list[Block] = []
    for one in shown[1:]:
        if every:
            blocks += [Heading(titled(one), 2, words.TONES[one.status]), *_under(full(one, every))]
        elif one.status in SEEN:
            blocks += [Heading(titled(one), 2, words.TONES[one.status]), *short(one)]
    rest = [] if every else [block for one in shown[1:] if one.status not in SEEN for block in brief(one)]
    return [*blocks, *sections.headed(say("Less likely, or only possible here"), rest)]


def _under(blocks: list[Block]) -> list[Block]:
    return [Heading(one.text, 3, one.tone) if isinstance(one, Heading) else one for one in blocks]


def titled(finding: Finding) -> str:
    """The verdict in a line, its status in capitals first."""
    said = (finding.headline or finding.summary).strip()
    if finding.rule not in said:
        return say("{name}: {what}", name=say(words.LABELS[finding.status]), what=said)
    first, space, rest = said.partition(" ")  # Matches vllm/…: …
    return f"{first.upper()}{space}{rest}"


def compact(finding: Finding) -> list[Block]:
    """A finding that only can happen, without its background: why, what to do, the fix, what not to do."""
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
        *_under(sections.headed(say("Sources"), cites.lines())),
        item(say("more: advisor explain {rule}", rule=finding.rule), tone="faint"),
    ]


def short(finding: Finding) -> list[Block]:
    """A finding that does not lead, or is only possible: why, what would settle it, the first thing to do."""
    captures = sections.captures(finding.missing)
    asked = [item(say("not known yet: {question}", question=one.question)) for one in captures[:3]]
    return [
        Line(standing(finding)),
        *sections.facts(finding.because, every=False),
        *(item(say("speaks against it: {fact}", fact=words.fact(one))) for one in finding.against),
        *asked,
        *(Line(one.text, "-") for one in first_step(finding) if finding.status != "possible"),
        item(say("more: advisor explain {rule}, or this report with --verbose", rule=finding.rule), tone="faint"),
    ]


def brief(finding: Finding) -> list[Block]:
    """A finding in at most three lines: what, why, and what to do or find out."""
    why = say("; ").join(words.fact(one) for one in finding.because[:3])
    named = f"{say(words.LABELS[finding.status])} {finding.rule}"
    said = (
        titled(finding)
        if finding.rule in finding.headline
        else say("{name}: {what}", name=named, what=finding.headline)
    )
    blocks: list[Block] = [item(said, tone=words.TONES[finding.status])]
    if why:
        blocks.append(Line(say("because {why}", why=why), depth=1))
    if finding.against:
        against = say("; ").join(words.fact(one) for one in finding.against[:2])
        blocks.append(Line(say("against it: {facts}", facts=against), depth=1))
    return [*blocks, *_next(finding)]


def _next(finding: Finding) -> list[Block]:
    if finding.status == "possible" and finding.missing:
        return [Line(say("to settle it: {question}", question=finding.missing[0].question), depth=1)]
    sound = sections.firm(finding.remedies)
    if not sound:
        return []
    best = sound[0]
    return [Line(say("[{proof}] {what}", proof=say(words.PROOF[best.status]), what=best.what), depth=1)]


def not_this(finding: Finding) -> str:
    """A look-alike in one line, with the fact that rules it out."""
    why = say("; ").join(words.fact(one) for one in finding.deciding)
    return say(
        "looks like {rule} ({summary}), but {why}",
        rule=finding.rule,
        summary=words.unstopped(finding.summary),
        why=why or say("it cannot happen to this build or launch"),
    )


def standing(finding: Finding) -> str:
    """The rule and how firm the ground under it is, in a line."""
    said = titled(finding)
    cause = say("cause {status}", status=say(words.CAUSE.get(finding.cause.status, finding.cause.status)))
    ground = words.listed(("" if say("(cause ") in said else cause, fixed_here(finding)))
    if finding.rule in said:
        return words.sentence(f"{ground[0].upper()}{ground[1:]}")
    return words.sentence(words.listed((finding.rule, ground)))


def fixed_here(finding: Finding) -> str:
    """Whether this build holds the fixes, in a few words."""
    answers = [one.in_this_build for one in finding.fixes]
    if not answers:
        return say("no fix known")
    if len(set(answers)) == 1:
        return say(words.FIXED_HERE[answers[0]][len(answers) > 1])
    each = (say(words.SOME_FIXED[one], count=answers.count(one)) for one in dict.fromkeys(answers))
    return say("fixes: {each}", each=say(", ").join(each))


def first_step(finding: Finding) -> list[Line]:
    """The best known remedy and the harm to stop or to keep from, in a line each."""
    sound = sections.firm(finding.remedies)
    safe = (one for one in sound if one.applies == "yes" and not sections.is_advised_against(one))
    best = next(safe, sound[0] if sound else None)
    if best is None:
        nothing = (
            say("Do first: nothing verified is known to help; capture what is asked for below.")
            if finding.wanted or finding.missing
            else say("Do first: nothing verified is known to help.")
        )
        return [Line(nothing), *dont_first(finding)]
    proof, what = say(words.PROOF[best.status]), words.first_sentence(best.what)
    said = (
        say("Do first [{proof}, if it applies]: {what}", proof=proof, what=what)
        if best.applies == "unknown"
        else say("Do first [{proof}]: {what}", proof=proof, what=what)
    )
    return [Line(said, tone="good"), *sections.brings(best), *dont_first(finding)]


def dont_first(finding: Finding) -> list[Line]:
    """The harm being done already, else the first to keep from."""
    doing = [
        Line(say("You already do what makes it worse: {what}", what=words.first_sentence(one.what)), tone="alarm")
        for one in finding.harmful
        if one.tried == "yes"
    ]
    return doing or [
        Line(say("Do not (makes it worse): {what}", what=words.first_sentence(one.what)), tone="alarm")
        for one in finding.harmful[:1]
    ]
