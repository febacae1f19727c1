"""The readers' own patterns -> those that go over a line again from every place in it, on a line made for it.

    python -m tests.linear_patterns [PART OF A NAME]        one row for each, and a count

Those of rules are RE2's and linear by nature; these are Python's. It takes minutes, so no test of the suite asks it.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import advisor
from advisor.model.shape import Shape
from tests.hostile_lines import LIMIT_S, lines, seconds

ROOMS = ("evidence", "launches", "intake", "match", "jobs", "model", "render", "advice", "capture", "faces", "catalog")
SHORT, LONG = 1_000, 4_000  # characters; a line is cut at 20,000
ENOUGH_S = 0.02  # what is done by then is not worth a second look
GROWTH = 8  # four times the line takes four times as long, sixteen where it is gone over from every place


@cache
def patterns() -> dict[str, Any]:
    """Every pattern that a module has a name for, by that name."""
    found: dict[str, Any] = {}
    for info in pkgutil.walk_packages(advisor.__path__, "advisor."):
        if info.name.split(".")[1] not in ROOMS or info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            for at, one in enumerate(_inside(value)):
                if re.search(rf"\b{name}\b", _source(info.name)) and f"import {name}" not in _source(info.name):
                    found.setdefault(f"{info.name.removeprefix('advisor.')}.{name}" + (f"[{at}]" if at else ""), one)
    return found


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, re.Pattern | Shape) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, tuple | list) or (isinstance(value, dict) and (value := [*value.values(), *value])):
        for one in value:
            yield from _inside(one) if isinstance(one, tuple | list | re.Pattern | Shape) else ()


@cache
def _source(module: str) -> str:
    path = Path(importlib.import_module(module).__file__ or "")
    return path.read_text(encoding="utf-8")


@cache
def _all_source() -> str:
    return "\n".join(one.read_text(encoding="utf-8") for one in sorted(Path(advisor.__path__[0]).rglob("*.py")))


def anchored(name: str) -> bool:
    """Whether it is only asked at one place of a text."""
    module, _, simple = name.partition("[")[0].rpartition(".")
    source = _source(f"advisor.{module}") if simple.startswith("_") else _all_source()
    asked = set(re.findall(rf"\b{simple}\.(search|match|fullmatch|finditer|findall|sub|subn|split)\b", source))
    return bool(asked) and asked <= {"match", "fullmatch"}


def slowest(pattern: Any, *, at_start: bool) -> tuple[float, str]:
    """The worst growth over a line made for the pattern, and the line's beginning."""
    flags = pattern.flags if isinstance(pattern, re.Pattern) else pattern._flags
    find = re.compile(pattern.pattern, flags)
    asked = find.match if at_start else find.search
    worst = (0.0, "")
    for short, long in zip(
        lines(pattern.pattern, flags & ~re.U, SHORT), lines(pattern.pattern, flags & ~re.U, LONG), strict=True
    ):
        first = seconds(asked, short)
        if first >= LIMIT_S / GROWTH:
            return 99.0, short[:60]
        taken = seconds(asked, long)
        if taken > ENOUGH_S:
            first = min(first, seconds(asked, short))
            taken = min(taken, seconds(asked, long))
            worst = max(worst, (taken / max(first, 1e-6), short[:60]))
    return worst


def main() -> None:
    """A row for each slow pattern as it is found: how much longer four times the line takes, its name, the line."""
    part = sys.argv[1] if sys.argv[1:] else ""
    asked = {name: one for name, one in patterns().items() if part in name}
    slow = 0
    for name, one in asked.items():
        growth, line = slowest(one, at_start=anchored(name))
        if growth > GROWTH:
            slow += 1
            print(f"{min(growth, 99):5.0f} {name:50} {line!r}", flush=True)
    print(f"{len(asked)} patterns, {slow} slow")


if __name__ == "__main__":
    main()
