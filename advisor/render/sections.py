"""The parts of a finding as blocks, each on its own, so that every page takes the parts it has room for.

A part with nothing to say is an empty list, heading included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from advisor.model.report import (
    AdviceOut,
    BringsOut,
    CauseOut,
    FactOut,
    Finding,
    FixOut,
    LookalikeOut,
    MissingOut,
    NeedOut,
    RemedyOut,
    ResemblanceOut,
    StepOut,
)
from advisor.model.rule import PROOFS
from advisor.model.shape import Shape
from advisor.render import words
from advisor.render.blocks import Block, Heading, Line, Quote, Tone, Verbatim, item, paragraphs
from advisor.render.citations import Citations
from advisor.render.language import say

QUOTED = 3
NAMED = 6  # further facts named without their quotes, shortest first
"""Facts of the leading finding shown with their quotes unless everything is asked for."""

WORD = Shape(r"\w+")

TELLING = {"observed": 0, "stated": 1, "derived": 2, "default": 3}


def headed(text: str, blocks: Sequence[Block], level: int = 2) -> list[Block]:
    """The blocks under a heading; nothing when there are none."""
    return [Heading(text, level), *blocks] if blocks else []


def facts(given: Sequence[FactOut], every: bool) -> list[Block]:
    """Facts with their place and quote; unless all are asked for, the most telling ones so and the others by name."""
    if every or len(given) <= QUOTED:
        return told(given)
    telling = sorted(given, key=lambda one: (TELLING.get(one.origin, 4), not one.quote))[:QUOTED]
    quoted = [one for one in given if one in telling]
    others = sorted((words.fact(one) for one in given if one not in telling), key=len)
    return [*told(quoted), *_also(others)]


def told(given: Sequence[FactOut]) -> list[Block]:
    """Every fact, those that were read off the same text together, with it once."""
    together: dict[tuple[str, str], list[FactOut]] = {}
    for number, one in enumerate(given):
        together.setdefault((one.place, one.quote) if one.quote else ("", str(number)), []).append(one)
    blocks: list[Block] = []
    for each in together.values():
        found = [block for one in each for block in fact(one)]
        quotes = [one for one in found if isinstance(one, Quote)]
        blocks += [one for one in found if not isinstance(one, Quote)]
        blocks += sorted(quotes, key=lambda one: not one.focus)[:1]
    return blocks


def _also(others: Sequence[str]) -> list[Block]:
    named = say("; ").join(others[:NAMED])
    if len(others) > NAMED:
        return [item(say("also: {named}; and {count} more (--verbose)", named=named, count=len(others) - NAMED))]
    return [item(say("also: {named}", named=named))] if others else []


def fact(one: FactOut, depth: int = 0) -> list[Block]:
    """One fact and, where it was read off something, the text itself."""
    said = words.fact(one)
    if one.quote and not set(WORD.findall(one.quote)) <= set(WORD.findall(one.says)):
        return [item(said, depth), Quote(one.place, one.quote, depth + 1, focus(one))]
    return [item(f"{said}  [{one.place}]" if one.place and one.place not in said else said, depth)]


def focus(one: FactOut) -> str:
    """The part of the quote to keep in sight when the quote is cut short."""
    return one.value if isinstance(one.value, str) and one.value in one.quote else ""


def applies(finding: Finding, every: bool) -> list[Block]:
    """Whether the finding applies here, why, and what is still not known about that."""
    unknown: list[Block] = []
    for one in finding.missing if every else captures(finding.missing)[:3]:
        unknown += [item(say("not known yet: {question}", question=one.question)), *_command(one.how, 1)]
    shown = finding.deciding if finding.status == "ruled_out" else finding.because
    return [
        Heading(say("Does it apply to you?")),
        Line(words.applies(finding)),
        *facts(shown, every),
        *(block for one in finding.against for block in _against(one)),
        *unknown,
    ]


def captures(missing: Sequence[MissingOut]) -> list[MissingOut]:
    """Of what one capture would answer the first alone, in order."""
    return list({one.how or one.question: one for one in reversed(missing)}.values())[::-1]


def _against(one: FactOut) -> list[Block]:
    said = fact(one)
    return [item(say("speaks against it: {fact}", fact=words.fact(one))), *said[1:]]


def ordered(remedies: Iterable[RemedyOut]) -> list[RemedyOut]:
    """Remedies as given, least disruptive first; neighbours that do the same kind of thing firmest first."""
    return [
        one
        for _, equals in groupby(remedies, key=lambda one: one.do)
        for one in sorted(equals, key=lambda one: PROOFS.index(one.status))
    ]


def firm(remedies: Iterable[RemedyOut]) -> list[RemedyOut]:
    """Remedies better than suggested that are not known to be beside the point here; advised against ones last."""
    sound = [one for one in ordered(remedies) if one.status != "suggested" and one.applies != "no"]
    return sorted(sound, key=is_advised_against)


def is_advised_against(one: RemedyOut) -> bool:
    """Whether a rule that can be met here says that it makes things worse."""
    return any(each.how == "harmful" and not each.beside for each in one.brings)


def brings(one: RemedyOut, depth: int = 0) -> list[Line]:
    """What else a remedy would bring, a line each, to be read before it is carried out."""
    return [_brought(each, depth) for each in one.brings]


def _brought(one: BringsOut, depth: int) -> Line:
    what, beside = words.unstopped(one.says), words.unstopped(words.first_sentence(one.beside))
    if one.how == "exposed":
        return Line(say("with it you can meet {rule}: {what}", rule=one.rule, what=what), depth=depth, tone="warn")
    if one.how == "contradicts":
        told = say("not together with {rule}, which asks for something else of {what}: {beside}",
                   rule=one.rule, what=what, beside=beside)  # fmt: skip
    elif one.beside:
        told = say(
            "{rule} advises against it together with “{beside}”: {what}", rule=one.rule, what=what, beside=beside
        )
    else:
        told = say("{rule} advises against it: {what}", rule=one.rule, what=what)
    return Line(told, depth=depth, tone="alarm")


def remedies(finding: Finding, cites: Citations, every: bool) -> list[Block]:
    """What to change now; what is only suggested stands apart and says so."""
    sound = firm(finding.remedies)
    weak = [one for one in ordered(finding.remedies) if one.status == "suggested" and one.applies != "no"]
    beside = [one for one in finding.remedies if one.applies == "no"]
    blocks: list[Block] = [Heading(say("What to change now"))]
    if not finding.remedies:
        return [*blocks, Line(say("Nothing is known that helps."))]
    if not sound:
        blocks.append(Line(say("Nothing better than a suggestion is known for this deployment.")))
    for number, one in enumerate(sound, 1):
        blocks += remedy(one, number, cites, every)
    blocks += [item(say("Not for this deployment: {what}", what=one.what), tone="faint") for one in beside]
    if weak:
        blocks.append(Heading(say("Only suggested (not verified)"), 3))
    for number, one in enumerate(weak, len(sound) + 1):
        blocks += remedy(one, number, cites, every)
    return blocks


def remedy(one: RemedyOut, number: int, cites: Citations, every: bool) -> list[Block]:
    """One remedy with its proof in brackets, its cost, and its diff."""
    unsure = say(" (whether it applies here is not known)") if one.applies == "unknown" else ""
    cost = say(" — cost: {cost}", cost=one.cost.strip()) if one.cost.strip() else ""
    proven = say("[{proof}] {what}", proof=say(words.PROOF[one.status]), what=words.unstopped(one.what))
    head = f"{proven}{unsure}{cost}{cites.cite(one.sources)}"
    blocks: list[Block] = [Line(head, f"{number}.", tone="good" if one.status != "suggested" else "")]
    proof = say("proof: {proof}", proof=one.proof) if one.proof else ""
    known = one.status_says if every and one.status_says else proof
    if known:
        blocks.append(Line(known, depth=1))
    blocks += brings(one, 1)
    if one.diff:
        blocks.append(Verbatim(one.diff, "diff", 1))
    elif said := words.change(one):
        blocks.append(Line(said, depth=1))
    return blocks


def fixes(finding: Finding, cites: Citations, every: bool, here: bool = True) -> list[Block]:
    """The upstream fixes, or what is known about there being none. `here` False: there is no build to judge."""
    if not finding.fixes:
        return [Heading(say("The fix upstream")), *paragraphs(finding.no_fix or say("No fix is known."))]
    blocks: list[Block] = [Heading(say("The fix upstream"))]
    for one in finding.fixes:
        blocks += fix(one, cites, every, here)
    return [*blocks, *paragraphs(finding.no_fix)]


def fix(one: FixOut, cites: Citations, every: bool, here: bool) -> list[Block]:
    """One fix: where upstream stands with it, the commit, the releases, and this build."""
    name = words.fix_name(one)
    if one.component:
        name = say("{fix} in {component}", fix=name, component=one.component)
    complete = say(words.COMPLETENESS.get(one.completeness, one.completeness))
    head = say("{fix}: {state}; {complete}", fix=name, state=words.state(one), complete=complete)
    head += cites.cite(one.sources)
    return [
        item(head, tone="strong"),
        *([Line(words.sentence(one.what), depth=1)] if one.what else []),
        Line(commit(one), depth=1),
        *(Line(said, depth=1) for said in words.releases(one, every)),
        *([Line(in_this_build(one), depth=1, tone="warn" if one.in_this_build == "no" else "")] if here else []),
        *([Line(one.url, depth=1)] if one.url else []),
        *(Line(say("when carried elsewhere it needs {need}", need=need(each, one)), depth=1) for each in one.needs),
    ]


def need(one: NeedOut, of: FixOut) -> str:
    """A commit that comes along, and why."""
    where = one.repo if one.repo != of.repo else ""
    name = f"{where}#{one.pr}" if one.pr else f"{where} {one.commit[:12]}".strip()
    name = f"{name} ({one.commit[:12]})" if one.pr else name
    return say("{name}: {what}", name=name, what=words.sentence(one.why))


def commit(one: FixOut) -> str:
    """The full commit, or as much of it as is known."""
    if not one.commit:
        return say("commit: not established")
    said = say("commit {commit}", commit=one.commit)
    return said + (say(" (only this beginning is known)") if one.commit_is_prefix else "")


def in_this_build(one: FixOut) -> str:
    """Whether this build has the fix, and why we think so."""
    said = say("This build: {answer}", answer=say(words.HAS_FIX[one.in_this_build]))
    return said + (say(" ({why})", why=words.unstopped(one.why)) if one.why else "")


def dont(finding: Finding, cites: Citations) -> list[Block]:
    """Advice not to follow: what makes it worse first, then what did not help."""
    harmful = [advice(one, say("makes it worse"), cites, "alarm") for one in finding.harmful]
    useless = [advice(one, say("does not help"), cites, "") for one in finding.not_helpful]
    return headed(say("What not to do"), [*harmful, *useless])


def advice(one: AdviceOut, verdict: str, cites: Citations, tone: Tone) -> Line:
    """One piece of advice, why not, and whether it was tried already."""
    tried = say(" You already do this.") if one.tried == "yes" else ""
    said = say("{verdict}: {what}", verdict=verdict, what=words.because(one.what, one.why))
    return item(f"{said}{tried}{cites.cite(one.sources)}", tone=tone)


def cause(one: CauseOut, cites: Citations) -> list[Block]:
    """The cause as far as upstream holds it."""
    said = paragraphs(one.text)
    status = say("Status: {status}.", status=say(words.CAUSE.get(one.status, one.status))) + cites.cite(one.sources)
    return [Heading(say("Cause")), Line(status), *said]


def resemblances(given: Sequence[ResemblanceOut]) -> list[Block]:
    """Failures that share words with a text, and which words."""
    return [
        block
        for one in given
        for block in (
            item(say("{name}: {what}", name=one.rule, what=one.summary)),
            item(say("{shares}; more: advisor explain {rule}", shares=_shares(one), rule=one.rule), 1, "faint"),
        )
    ]


def _shares(one: ResemblanceOut) -> str:
    if one.shares:
        return say("shares: {words}", words=say(", ").join(one.shares))
    return say("shares no word, only what was understood")


def verification(steps: Sequence[StepOut]) -> list[Block]:
    """Numbered steps, each with what passing means."""
    blocks: list[Block] = []
    for number, one in enumerate(steps, 1):
        blocks += step(one, number)
    return headed(say("How to verify a cure"), blocks)


def step(one: StepOut, number: int) -> list[Block]:
    """One step: what to do, what passes, and the parts a machine can check."""
    return [
        Line(words.sentence(one.do), f"{number}."),
        *_command(one.run, 1),
        *([item(say("passes when: {expect}", expect=one.expect), 1)] if one.expect else []),
        *(item(say("must stay out of the logs: `{pattern}`", pattern=pattern), 1) for pattern in one.absent),
        *_growing(one),
        *([item(say("watch for at least {time}", time=words.duration(one.duration_s)), 1)] if one.duration_s else []),
    ]


def _growing(one: StepOut) -> list[Block]:
    said = say("must keep growing while requests run: `{counter}`", counter=one.advancing)
    return [item(said, 1)] if one.advancing else []


def lookalikes(given: Sequence[LookalikeOut]) -> list[Block]:
    """What else looks so, how it fares in this case, and the tell."""
    return headed(say("Look-alikes"), [item(lookalike(one)) for one in given])


def lookalike(one: LookalikeOut) -> str:
    """One look-alike with its status here."""
    label = next((say(word).lower() for status, word in words.LABELS.items() if status == one.status), one.status)
    name = say("{rule} [{status} here]", rule=one.rule, status=label) if label else one.rule
    said = say("{name}: {what}", name=name, what=words.sentence(one.tell))
    return said + (say(" Here: {why}", why=words.sentence(one.why)) if one.why else "")


def capture(given: Sequence[MissingOut]) -> list[Block]:
    """Wanted evidence: `about` is what to capture, `how` its command, `question` what it tells. Most telling first."""
    blocks: list[Block] = []
    for number, one in enumerate(given, 1):
        blocks += [Line(one.about, f"{number}."), *_command(one.how, 1)]
        if one.question:
            blocks.append(Line(say("tells: {what}", what=one.question), depth=1))
    return headed(say("What to capture next"), blocks)


def superseded(finding: Finding, cites: Citations) -> list[Block]:
    """Claims that no longer stand, so that nobody acts on an old thread."""
    lines: list[Line] = []
    for one in finding.superseded:
        now = words.because(one.by, one.why)
        said = say("once said: {claim} Now: {now}", claim=words.sentence(one.claim), now=now)
        lines.append(item(said + cites.cite(one.sources)))
    return headed(say("Superseded claims"), lines)


def caveats(finding: Finding) -> list[Block]:
    """What the match does not prove."""
    draft = [say("This rule is a draft.")] if finding.maturity == "draft" else []
    retired = [say("This rule is retired.")] if finding.maturity == "retired" else []
    return headed(say("Caveats"), [item(one) for one in (*finding.caveats, *draft, *retired)])


def _command(text: str, depth: int) -> list[Block]:
    return [Verbatim(text, "sh", depth)] if text.strip() else []
