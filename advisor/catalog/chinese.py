"""A rule's `zh:` → what is wrong with it: fields that are no prose, lists of another length, text that is no Chinese.

zh.remedies: has 2 entries, remedies has 3 [zh-length]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from advisor.catalog.provenance import Fault
from advisor.model.condition import atoms
from advisor.model.rule import Rule
from advisor.model.translation import PROSE
from advisor.yaml import Path

_HAN = re.compile(r"[\u3400-\u9fff]")


def untranslatable(rule: Rule) -> Iterator[Fault]:
    """Every fault of the rule's Chinese, with its path in the file."""
    for name, said in (rule.zh or {}).items():
        if name == "means":
            yield from _means(rule, said)
        else:
            yield from _field(rule, name, said, ("zh", name))


def _means(rule: Rule, said: Any) -> Iterator[Fault]:
    path: Path = ("zh", "means")
    if not isinstance(said, dict):
        yield path, "zh-shape", "zh.means is a mapping, from what a condition means to its Chinese"
        return
    signs = rule.symptoms
    conditions = (rule.exposure, signs.signature, *signs.supporting, *signs.contrary, *signs.downstream)
    known = {atom.means for one in conditions for atom in atoms(one) if atom.means}
    for english, chinese in said.items():
        if english not in known:
            yield (*path, english), "zh-unknown", f"no condition of the rule has means: {english!r}"
        yield from _text(chinese, (*path, english))


def _field(noun: Any, name: str, said: Any, path: Path) -> Iterator[Fault]:
    where = ".".join(map(str, path))
    english = getattr(noun, name, None)
    if name not in PROSE[type(noun)]:
        yield path, "zh-unknown", f"{where}: is no prose of a rule; known here: {', '.join(PROSE[type(noun)])}"
    elif english is None or english == ():
        yield path, "zh-unknown", f"{where}: the rule has no {name} there"
    else:
        yield from _said(english, said, path)


def _said(english: Any, said: Any, path: Path) -> Iterator[Fault]:
    where = ".".join(map(str, path))
    if isinstance(english, str):
        yield from _text(said, path)
    elif isinstance(english, tuple) and isinstance(said, list):
        if len(said) != len(english):
            yield path, "zh-length", f"{where}: has {len(said)} entries, {where[3:]} has {len(english)}"
        for index, (one, its) in enumerate(zip(english, said, strict=False)):
            yield from _said(one, its, (*path, index))
    elif is_dataclass(english) and isinstance(said, dict):
        for name, its in said.items():
            yield from _field(english, name, its, (*path, name))
    else:
        yield path, "zh-shape", f"{where}: is not shaped as {where[3:]} is"


def _text(said: Any, path: Path) -> Iterator[Fault]:
    if not isinstance(said, str) or not _HAN.search(said):
        yield path, "zh-not-chinese", f"{'.'.join(map(str, path))}: holds no Chinese"
