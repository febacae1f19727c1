"""A verification -> text: the verdict first, then what is missing, then each step with what was seen."""

from __future__ import annotations

from advisor.model.verification import StepVerdict, VerificationReport
from advisor.render import sections, words
from advisor.render.blocks import Block, Heading, Line, Tone, item
from advisor.render.text import lay

_TONES: dict[str, Tone] = {"pass": "good", "fail": "alarm", "not enough": "warn"}
_CHANGED = {
    "yes": "The change is in place: the failure can no longer happen to this build and launch.",
    "no": "The change is not in place: the failure can still happen to this build and launch.",
    "unknown": "Whether the change is in place is not known.",
}


def page(found: VerificationReport, width: int) -> str:
    """The whole verdict."""
    return lay(_blocks(found), colour=False, width=width)


def _blocks(found: VerificationReport) -> list[Block]:
    looked = [item(f"{one.name}: {one.kind}, {words.counted(one.lines, 'line')}") for one in found.coverage.inputs]
    return [
        Heading(found.headline, 1, _TONES[found.outcome]),
        Line(found.summary),
        *sections.headed("Missing for a verdict", [item(one) for one in found.missing]),
        *sections.headed("Seen again", sections.facts(found.again, every=True)),
        Heading("The change"),
        Line(_CHANGED[found.changed]),
        *(item(one) for one in found.change),
        *(item(one) for one in found.differs),
        *sections.headed("Steps", [block for one in found.steps for block in _step(one)]),
        *sections.headed("What was looked at", [*looked, *(item(one, tone="warn") for one in found.coverage.notes)]),
        Line("A pass says that the steps known for this failure are met; it is no proof that nothing else is wrong."),
    ]


def _step(one: StepVerdict) -> list[Block]:
    return [
        Line(f"[{one.outcome}] {one.do}", f"{one.number}.", tone=_TONES[one.outcome]),
        item(f"must be: {one.expect}", 1),
        *(item(text, 1) for text in one.says),
        *(item(f"missing: {text}", 1) for text in one.missing),
    ]
