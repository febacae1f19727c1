"""A verification -> text: the verdict first, then what is missing, then each step with what was seen."""

from __future__ import annotations

from advisor.model.verification import StepVerdict, VerificationReport
from advisor.render import sections
from advisor.render.below import translated
from advisor.render.blocks import Block, Heading, Line, Tone, item
from advisor.render.language import counted, say
from advisor.render.text import lay

_TONES: dict[str, Tone] = {"pass": "good", "fail": "alarm", "not enough": "warn"}
CHANGED = {
    "yes": "This failure cannot happen to this build and launch.",
    "no": "This failure can still happen to this build and launch.",
    "unknown": "Whether this failure can still happen to this build and launch is not known.",
}


def page(found: VerificationReport, width: int) -> str:
    """The whole verdict."""
    return lay(_blocks(translated(found, found.zh)), colour=False, width=width)


def _blocks(found: VerificationReport) -> list[Block]:
    lacking = say("Missing for a verdict") if found.outcome == "not enough" else say("A pass would also need")
    return [
        Heading(found.headline, 1, _TONES[found.outcome]),
        Line(found.summary),
        *sections.headed(lacking, [item(one) for one in found.missing]),
        *sections.headed(say("Seen again"), sections.facts(found.again, every=True)),
        Heading(say("The change")),
        Line(say(CHANGED[found.changed])),
        *(item(one) for one in found.change),
        *(item(one) for one in found.differs),
        *sections.headed(say("Steps"), [block for one in found.steps for block in _step(one)]),
        *sections.headed(say("What was looked at"), _looked_at(found)),
        Line(
            say("A pass says that the steps known for this failure are met; it is no proof that nothing else is wrong.")
        ),
    ]


def _looked_at(found: VerificationReport) -> list[Block]:
    inputs = [
        item(say("{name}: {kind}, {lines}", name=one.name, kind=say(one.kind), lines=counted(one.lines, "line")))
        for one in found.coverage.inputs
    ]
    return [*inputs, *(item(one, tone="warn") for one in found.coverage.notes)]


def _step(one: StepVerdict) -> list[Block]:
    return [
        Line(f"[{say(one.outcome)}] {one.do}", f"{one.number}.", tone=_TONES[one.outcome]),
        item(say("must be: {expect}", expect=one.expect), 1),
        *(item(text, 1) for text in one.says),
        *(item(say("missing: {what}", what=text), 1) for text in one.missing),
    ]
