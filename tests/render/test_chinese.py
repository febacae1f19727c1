"""Every sentence of the renderers has its Chinese, and the tables hold nothing that nobody says."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import advisor.render
from advisor.jobs.judging import catalogue
from advisor.jobs.vocabulary import kinds
from advisor.model.fact import ArtifactKind
from advisor.model.lint import Edit, SuppressionOut
from advisor.model.report import YesNoUnknown
from advisor.model.rule import Level, Rule
from advisor.render import collect_page, diagnosis_page, patch_page, rule_page, verify_page, words
from advisor.render.below import told
from advisor.render.chinese import CHINESE
from advisor.render.chinese_below import BELOW, PLACES
from advisor.render.chinese_conflicts import DIFFERENCES
from advisor.render.language import counted, say, speaking
from advisor.render.markdown import markdown
from advisor.render.text import text
from tests.render.reports import REPORTS

HAN = re.compile("[\u4e00-\u9fff]")
SAID = re.compile(r'\bsay\("([^"]+)"')  # {{ say("Cost") }}
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
    diagnosis_page.YES_NO,
    collect_page.WHAT,
    collect_page.STATUS,
    {name: name for name in collect_page.WHAT},
)


def coded() -> Iterator[str]:
    return (one for table in CODED for one in table.values() if one)


def trees() -> Iterator[ast.AST]:
    for path in sorted(RENDER.glob("*.py")):
        if not path.name.startswith("chinese"):
            yield ast.parse(path.read_text(encoding="utf-8"), path.name)


def in_templates() -> Iterator[str]:
    """The English of every `say("…")` of a template."""
    for path in sorted(RENDER.glob("templates/**/*.j2")):
        yield from SAID.findall(path.read_text(encoding="utf-8"))


def said() -> Iterator[str]:
    """The English of every `say("…")` and `counted(n, "…")` in the renderers."""
    yield from in_templates()
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                place = {"say": 0, "counted": 1}.get(name)
                given = node.args[place] if place is not None and len(node.args) > place else None
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value if name == "say" else f"{{count}} {given.value}"


def constants() -> Iterator[str]:
    yield from in_templates()
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def names(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_there_is_something_said() -> None:
    assert len(set(said())) > 100


def test_every_sentence_has_its_chinese() -> None:
    assert sorted({*said(), *CODES, *coded()} - set(CHINESE)) == []


def test_every_line_of_the_table_is_said_somewhere() -> None:
    known = {*constants(), *CODES}
    assert not [one for one in CHINESE if one not in known and one.removeprefix("{count} ") not in known]


@pytest.mark.parametrize("table", [CHINESE, BELOW, PLACES, DIFFERENCES])
def test_a_line_names_the_same_values_in_both_languages(table: dict[str, str]) -> None:
    assert [english for english, said in table.items() if names(english) != names(said)] == []


def test_a_number_of_things_has_a_singular_a_plural_and_chinese() -> None:
    assert (counted(1, "line"), counted(2, "line")) == ("1 line", "2 lines")
    with speaking("zh"):
        assert (counted(1, "line"), counted(2, "line")) == ("1 行", "2 行")


def test_what_has_no_chinese_is_said_in_english_and_the_language_ends_with_its_block() -> None:
    with speaking("zh"):
        assert say("nobody says {this}", this="so") == "nobody says so"
        assert say("Cause") == "原因"
    assert say("Cause") == "Cause"


def test_what_a_fact_means_and_its_question_have_chinese() -> None:
    texts = [text for one in kinds().values() for text in (one.summary, one.question)]
    with speaking("zh"):
        assert [one for one in texts if not HAN.search(told(one))] == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "rank 0 waits in a gloo broadcast, called from f (a.py)",
            "rank 0 在等待：gloo broadcast，由 f (a.py) 调用",
        ),
        (
            "ranks 3, 5 and 7 wait for broadcast #40427 of group pp_broadcast with 6 elements each",
            "rank 3、5、7 在等待进程组 pp_broadcast 的 broadcast #40427，各 6 个元素",
        ),
        (
            "vllm 0.28.0: 0.28.0 is not before 0.26.0; 0.28.0 is before 0.30.0, the first release with #50514 d87a440f88e2",
            "vllm 0.28.0：0.28.0 不早于 0.26.0；0.28.0 早于首个含 #50514 d87a440f88e2 的版本 0.30.0",
        ),
        ("seen: a watchdog fired (three times)", "看到：看门狗已触发（three times）"),
        ("topology.tp is 8; sglang is 0.5.16", "topology.tp 为 8；sglang 为 0.5.16"),
        (
            "nccl here is 2.28.9 (default); the fix is in from 2.29.3",
            "此处的 nccl 为 2.28.9（默认值）；修复自 2.29.3 起",
        ),
    ],
)
def test_sentences_of_the_rooms_below_are_known_again(english: str, chinese: str) -> None:
    assert told(english) == english
    with speaking("zh"):
        assert told(english) == chinese


@pytest.mark.parametrize("rule", catalogue(), ids=lambda rule: rule.id)
def test_a_rules_own_prose_is_never_taken_for_a_sentence_of_ours(rule: Rule) -> None:
    with speaking("zh"):
        assert [one for one in prose_of(rule) if told(one) not in (one, BELOW.get(one))] == []


def prose_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        yield from (text for one in value for text in prose_of(one))
    elif is_dataclass(value):
        yield from (text for one in fields(value) for text in prose_of(getattr(value, one.name)))


class Asked(dict[str, str]):
    """The table, remembering what it was asked for in vain."""

    def __init__(self) -> None:
        super().__init__(CHINESE)
        self.lacking: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self.lacking.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("name", REPORTS)
def test_nothing_that_is_said_of_a_report_lacks_its_chinese(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    monkeypatch.setattr("advisor.render.chinese.CHINESE", asked)
    with speaking("zh"):
        assert text(REPORTS[name], colour=False, width=80, verbose=True) and markdown(REPORTS[name])
    assert asked.lacking == set()
