"""Python patterns of which one pass says which are worth trying: it may name too many, never too few."""

from __future__ import annotations

import importlib
import pkgutil
import re
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

import advisor.evidence
import advisor.launches
from advisor.patterns import PatternSet
from advisor.scan.several import Several, loose

RULES = Path(__file__).parents[2] / "rules"
WORDS = (
    "two nodes",
    "TP=2 PP2",
    "两卡部署，没有报错",
    "ranks' sizes differ",
    "８卡 H200",
    "tp\u00a02",
    "a\x1fb",
    "ſpark",
)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?<!\w)tp\d(?![\w.])", "with tp2"),
        (r"(['\"])x\1", "'x'"),
        (r"(?P<quote>['\"])x(?P=quote)", "'x'"),
        (r"end$", "end\n"),
        (r"\BHi\B", "说Hi吗"),
        (r"\d+ 卡", "８ 卡"),
        (r"a\sb", "a\x1fb"),
        (r"[\s-]b", "\u3000b"),
        (r"[^\W]x", "是x"),
        (r"(?>ab|a)c", "abc"),
        (r"a*+b{2}+c?+[d]++\+e", "aabbd+e"),
        (r"a{2000}", "a" * 2000),
        (r"a{,9}b", "ab"),
        (r"[]x]y", "]y"),
        (r"(?![(\]])x(?=[)])", "(x)"),
        (r"\u5361", "卡"),
    ],
)
def test_a_loose_pattern_matches_wherever_its_own_does(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert Several([pattern]).numbers(text) == [0]


def test_it_tells_which_and_finds_what_they_find() -> None:
    several = Several([r"(?<!\w)tp\d", r"(?i)\bnodes\b(?! only)", "卡"])
    assert several.numbers("two nodes") == [1]
    assert several.numbers("nothing") == []
    assert list(several.numbers("\udc80 nodes")) == [0, 1, 2]  # no text for RE2
    assert [(number, found[0]) for number, found in several.finditer("卡 tp2 tp4 Nodes only")] == [
        (0, "tp2"),
        (0, "tp4"),
        (2, "卡"),
    ]


@pytest.mark.parametrize("pattern", ["(?#note)a", "(?x) a", "(a)(?(1)b|c)"])
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError):
        Several([pattern]).numbers("ab")


def test_no_pattern_of_the_readers_is_lost() -> None:
    """Every pattern of the readers that can be loosened, on the words and logs of the rules' own cases."""
    patterns = [*chain(_patterns(advisor.launches), _patterns(advisor.evidence))]
    assert len(patterns) > 350
    several = PatternSet(loose(one.pattern, _flags(one)) for one in patterns)
    for text in (*WORDS, *_texts(40)):
        found = set(several.found(text))
        lost = [one.pattern for number, one in enumerate(patterns) if number not in found and one.search(text)]
        assert not lost, (text[:80], lost)


def _texts(count: int) -> list[str]:
    """What rules' cases say (their `expect.yaml`) and the heads of the logs beside it."""
    files = sorted((*RULES.glob("*/*/cases/*/expect.yaml"), *RULES.glob("*/*/cases/*/*.log")))
    return [file.read_text("utf-8", "replace")[:1000] for file in files[:: len(files) // count]]


def _patterns(package: ModuleType) -> list[re.Pattern[str]]:
    found = []
    for one in pkgutil.iter_modules(package.__path__):
        for value in vars(importlib.import_module(f"{package.__name__}.{one.name}")).values():
            value = getattr(getattr(value, "search", None), "__self__", None)  # of a Shape, what it compiles
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                found.append(value)
    return found


def _flags(pattern: re.Pattern[str]) -> int:
    """Those given beside the pattern: what it sets itself is in it."""
    return 0 if re.match(r"\(\?[ims]+\)", pattern.pattern) else pattern.flags & ~re.UNICODE
