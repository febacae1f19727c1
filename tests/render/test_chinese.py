"""Every sentence of the renderers has its Chinese, and the tables hold nothing that nobody says."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import advisor.render
from advisor.model.fact import ArtifactKind
from advisor.model.lint import Edit, SuppressionOut
from advisor.model.report import YesNoUnknown
from advisor.model.rule import Level
from advisor.render import patch_page, rule_page, verify_page, words
from advisor.render.chinese import CHINESE
from advisor.render.language import counted, say, speaking

RENDER = Path(advisor.render.__file__).parent
HELD_BY = ("date", "descent", "fingerprint", "git")
MATURITY = ("draft", "stable", "retired")
CODES = {
    *get_args(ArtifactKind),
    *get_args(Level),
    *get_args(Edit),
    *get_args(YesNoUnknown),
    *get_args(get_type_hints(SuppressionOut)["how"]),
    *verify_page._TONES,
    *words.STATES,
    *HELD_BY,
    *MATURITY,
    *(f"{{count}} {level}" for level in get_args(Level)),
} - {""}
"""What is said of a code that comes with the report: `say(one.kind)`."""
CODED = (
    words.LABELS,
    words.PROOF,
    words.CAUSE,
    words.COMPLETENESS,
    words.HAS_FIX,
    words.SOME_FIXED,
    words.ANSWERS,
    words.SIGNATURE,
    words.EXPOSURE,
    words.STATES,
    patch_page.APPLIES,
    patch_page.STATES,
    patch_page.PLACES,
    patch_page.HUNKS,
    rule_page.BUILDS,
    rule_page.JOINS,
    verify_page.CHANGED,
)


def coded() -> Iterator[str]:
    return (one for table in CODED for one in table.values() if one)


def trees() -> Iterator[ast.AST]:
    for path in sorted(RENDER.glob("*.py")):
        if not path.name.startswith("chinese"):
            yield ast.parse(path.read_text(encoding="utf-8"), path.name)


def said() -> Iterator[str]:
    """The English of every `say("…")` and `counted(n, "…")` in the renderers."""
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                place = {"say": 0, "counted": 1}.get(name)
                given = node.args[place] if place is not None and len(node.args) > place else None
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value if name == "say" else f"{{count}} {given.value}"


def constants() -> Iterator[str]:
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def names(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_there_is_something_said() -> None:
    assert len(set(said())) > 100


@pytest.mark.parametrize("english", sorted({*said(), *CODES, *coded()}))
def test_every_sentence_has_its_chinese(english: str) -> None:
    assert english in CHINESE


def test_every_line_of_the_table_is_said_somewhere() -> None:
    known = {*constants(), *CODES}
    assert not [one for one in CHINESE if one not in known and one.removeprefix("{count} ") not in known]


@pytest.mark.parametrize("english", sorted(CHINESE))
def test_a_line_names_the_same_values_in_both_languages(english: str) -> None:
    assert names(english) == names(CHINESE[english])


def test_a_number_of_things_has_a_singular_a_plural_and_chinese() -> None:
    assert (counted(1, "line"), counted(2, "line")) == ("1 line", "2 lines")
    with speaking("zh"):
        assert (counted(1, "line"), counted(2, "line")) == ("1 行", "2 行")


def test_what_has_no_chinese_is_said_in_english_and_the_language_ends_with_its_block() -> None:
    with speaking("zh"):
        assert say("nobody says {this}", this="so") == "nobody says so"
        assert say("Cause") == "原因"
    assert say("Cause") == "Cause"
