"""What a guided target is, and where its inputs lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

HERE = Path(__file__).parent
CORPUS, FOUND = HERE / "corpus", HERE / "found"


@dataclass(frozen=True)
class Target:
    """`one` raises for an input of which `holds` is not true; `most` is how many bytes an input has at the most."""

    name: str
    holds: str
    one: Callable[[bytes], None]
    most: int = 8192

    def inputs(self) -> list[Path]:
        """The seeds, and the inputs that once broke it."""
        return sorted(one for where in (CORPUS, FOUND) for one in (where / self.name).glob("*") if one.is_file())


def picked(data: bytes, choices: Sequence[T]) -> tuple[T, bytes]:
    """What the first byte chooses, as the letters a, b, c do, and the rest of the input."""
    return choices[(data[0] - ord("a")) % len(choices) if data else 0], data[1:]
