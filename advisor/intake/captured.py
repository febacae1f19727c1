"""The files of `advisor collect` that are for people, and its manifest → what of them a report says, and no more.

{"format": "advisor-capture/1", … "steps": [{"step": "stacks", "status": "failed", "said": ["py-spy is not here: …"]}]}
    → a hint for each thing that could not be taken
# advisor-capture: machine
    → nothing: no reader takes it for evidence
"""

from __future__ import annotations

import json

from advisor.model.capture import FORMAT, OURS
from advisor.model.fact import Note, Span

_HEAD = 200
_MAX_SAID = 20


def is_ours(data: bytes) -> bool:
    """Whether `advisor collect` wrote these bytes for people, or as its manifest."""
    head = data[:_HEAD]
    return head.startswith(OURS.encode()) or (
        head.lstrip().startswith(b"{") and f'"format": "{OURS[2:-2]}'.encode() in head
    )


def notes_of(name: str, data: bytes) -> list[Note]:
    """What was not taken, and why; [] for a file that is no manifest."""
    if f'"format": "{FORMAT}"'.encode() not in data[:_HEAD]:
        return []
    try:
        steps = json.loads(data)["steps"]
        first: dict[str, str] = {}  # what a second sample lacks for the same reason is said once
        for step in steps:
            for line in step["said"]:
                first.setdefault(line, f"{step['step']}: {line}")
    except (ValueError, KeyError, TypeError, RecursionError):
        return [Note("unreadable", "a manifest of advisor collect that is damaged", Span(name))]
    return [Note("hint", line[:500], Span(name)) for line in list(first.values())[:_MAX_SAID]]
