"""What was given at a prompt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Typed:
    """The text, and whether it was pasted."""

    text: str
    pasted: bool = False
