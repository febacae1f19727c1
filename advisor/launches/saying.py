"""One value of a fact as a text says it once: what the readers of prose hand to `stated`, which chooses among them."""

from __future__ import annotations

from advisor.model.fact import Value
from advisor.model.late import dataclass

AT_LEAST_2 = "at least 2 was said"
COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "sixteen": 16,
    "单": 1, "一": 1, "两": 2, "双": 2, "二": 2, "三": 3, "四": 4, "六": 6, "八": 8, "十六": 16,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Saying:
    """One value as said once. The higher `weight`, the more it stands as configuration."""

    fact: str
    value: Value
    weight: int
    start: int
    end: int
    why: str = ""


def count(said: str) -> int:
    """A number in digits or words; 0 when it is none."""
    return COUNTS.get(said.lower()) or (int(said) if said.isdigit() else 0)
