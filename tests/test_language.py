"""Reports in Chinese as a user meets them: headings, prose, the option and the variable, and what must not change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Any

import pytest

from advisor.jobs.check import check
from advisor.jobs.judging import catalogue
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.model.report import Report
from advisor.model.rule import Rule
from advisor.model.translation import PROSE, chinese_of
from advisor.render.blocks import Heading
from advisor.render.language import speaking
from advisor.render.layout import columns, wrap
from advisor.render.outline import outline
from advisor.render.text import text
from tests.front_door import advisor

FOUNDING = (
    "any/nccl-proxy-slot-leak-arm",
    "lmdeploy/mtp-dp-meta",
    "lmdeploy/mtp-silent-hang",
    "sglang/spec-tp-state-divergence",
    "vllm/pp-broadcast-skew",
    "xllm/shm-h2d-graph-race",
)
RULES = {rule.id: rule for rule in catalogue()}
FIRING = [case for rule in FOUNDING for case in cases(only=rule) if case.kind == "fires" and not case.todo]
HAN = re.compile("[\u4e00-\u9fff]")
NOT_FIRST, NOT_LAST = "。，、；：）！？”〕", "（“〔"
DEMO = "docs/demo"


@cache
def reported(name: str) -> Report:
    return check(next(case for case in FIRING if str(case) == name).request).report


def headings(report: Report) -> set[str]:
    return {one.text for one in outline(report, every=True) if isinstance(one, Heading) and one.level > 1}


def chinese(report: Report, width: int = 80) -> str:
    with speaking("zh"):
        return text(report, colour=False, width=width, verbose=True)


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_a_founding_failures_report_has_no_english_heading(case: RuleCase) -> None:
    report = reported(str(case))
    english = {one for one in headings(report) if case.rule not in one}
    with speaking("zh"):
        said = {one for one in headings(report) if not HAN.search(one)}
    assert english and not said
    assert not [one for one in english if one.upper() in chinese(report)]


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_its_first_lines_and_what_it_tells_of_the_leading_rule_are_chinese(case: RuleCase) -> None:
    report = reported(str(case))
    said = chinese(report)
    assert said.startswith(("匹配 ", "很可能 "))
    first = RULES[report.findings[0].rule]
    assert first.id in FOUNDING
    shown = re.sub(r"\s", "", said)
    for english, its in chinese_of(first).items():
        if english in (first.summary, first.cause.text, *(one.what for one in report.findings[0].remedies)):
            assert re.sub(r"\s", "", its).rstrip("。") in shown


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_no_line_of_it_is_too_wide_or_begins_with_a_closing_mark(case: RuleCase) -> None:
    report = reported(str(case))
    for line in chinese(report).splitlines():
        told = HAN.search(line) and " | " not in line and "://" not in line
        assert not told or columns(line) <= 80, line
        assert not (told and (line.strip()[0] in NOT_FIRST or line[-1] in NOT_LAST)), line


def prose(noun: Any) -> Iterator[str]:
    """The prose that a rule's Chinese has to match, but for notes on references."""
    for name in PROSE.get(type(noun), ()):
        value = getattr(noun, name, None)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str) and name != "note":
                yield one.strip()
            elif is_dataclass(one):
                yield from prose(one)


@pytest.mark.parametrize("rule", FOUNDING)
def test_a_founding_rule_has_chinese_for_all_its_prose(rule: str) -> None:
    told = chinese_of(RULES[rule])
    lacking = [one for one in prose(RULES[rule]) if one not in told]
    assert not [
        one for one in lacking if not re.fullmatch(r"[A-Z][A-Z_0-9]+(=\w+)?\.?", one)
    ]  # a variable stays as typed


def values(noun: Any) -> Iterator[str]:
    if isinstance(noun, str):
        yield noun
    elif isinstance(noun, dict):
        yield from (text for one in noun.values() for text in values(one))
    elif isinstance(noun, list | tuple):
        yield from (text for one in noun for text in values(one))


@pytest.mark.parametrize("rule", FOUNDING)
def test_flags_versions_and_commits_of_the_english_are_in_the_chinese(rule: str) -> None:
    named = re.compile(r"--[a-z][\w-]+|\b[A-Z][A-Z0-9]*_[A-Z0-9_]{3,}\b|#\d{3,}|\b\d+\.\d+\.\d+(?:\.\w+)?\b|`[^`]+`")
    told = chinese_of(RULES[rule])
    assert not {one: gone for one, its in told.items() if (gone := set(named.findall(one)) - set(named.findall(its)))}


@pytest.mark.parametrize("width", [24, 40, 61, 80, 110])
@pytest.mark.parametrize("rule", FOUNDING)
def test_chinese_prose_wraps_at_any_width_and_loses_nothing(rule: str, width: int) -> None:
    for said in values(RULES[rule].zh):
        lines = wrap(said, width, "- ", "  ")
        assert "".join("".join(lines).removeprefix("- ").split()) == "".join(said.split())
        for line in lines:
            assert columns(line) <= width or "://" in line
            assert line.strip()[0] not in NOT_FIRST
            assert line[-1] not in NOT_LAST


def test_the_option_goes_before_the_variable_and_lang_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("check", "--engine", "vllm", "--version", "0.28.0")
    english = advisor(*given).out
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert advisor(*given).out == english
    monkeypatch.setenv("ADVISOR_LANG", "zh")
    said = advisor(*given).out
    assert HAN.search(said) and not HAN.search(english)
    assert advisor(*given, "--lang", "en").out == english
    monkeypatch.delenv("ADVISOR_LANG")
    assert advisor(*given, "--lang", "zh").out == said


def test_a_language_that_is_not_spoken_is_one_line_and_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = advisor("check", "--engine", "vllm", "--lang", "de")
    assert ran.code == 2 and ran.out == "" and ran.err.count("\n") == 1
    assert "'de' is not one of 'en', 'zh'" in ran.err
    monkeypatch.setenv("ADVISOR_LANG", "zh_CN")
    ran = advisor("search", "decode hangs")
    assert ran.code == 2 and ran.err.count("\n") == 1 and "ADVISOR_LANG" in ran.err


@pytest.mark.parametrize(
    "given",
    [
        ("check", DEMO, "--format", "json"),
        ("explain", "#53402"),
        ("search", "卡死 投机解码"),
        ("flags", "vllm", "0.28.0", "--grep", "spec"),
        ("flags", "diff", "vllm", "0.27.1", "0.29.0"),
        ("release", "sglang"),
        ("fix", "#53402"),
        ("upgrade", "--engine", "vllm", "--from", "0.28.0", "--flags", "vllm serve m -pp 8"),
        ("verify", "vllm/pp-broadcast-skew", "--engine", "vllm", "--version", "0.30.0"),
        ("lint", "tests/deployments/compose"),
        ("lint", "tests/deployments/compose", "--format", "markdown"),
        ("knowledge", "status"),
    ],
    ids=" ".join,
)
def test_every_command_that_prints_for_people_speaks_chinese_and_exits_alike(given: tuple[str, ...]) -> None:
    english, said = advisor(*given), advisor(*given, "--lang", "zh")
    assert (english.code, english.err) == (said.code, said.err)
    if "json" in given:
        assert english.out == said.out
        assert json.loads(said.out)["findings"][0]["zh"]
    else:
        assert len(HAN.findall(said.out)) > len(HAN.findall(english.out))


@pytest.mark.parametrize("format", ["sarif", "junit", "github", "gitlab", "json"])
def test_what_machines_read_is_the_same_in_both_languages(format: str) -> None:
    given = ("lint", "tests/deployments/compose", "--format", format)
    assert advisor(*given).out == advisor(*given, "--lang", "zh").out


def test_a_rule_without_chinese_is_told_in_english_under_chinese_headings() -> None:
    rule: Rule = RULES["lmdeploy/tp-init-hang"]
    assert rule.zh is None
    said = advisor("explain", rule.id, "--lang", "zh", columns=110).out
    assert "【原因】" in said and "CAUSE" not in said
    assert rule.cause.text.split()[0] in said


def test_the_leading_lines_of_the_demo() -> None:
    said = advisor("check", DEMO, "--lang", "zh", columns=80).out.splitlines()
    assert said[0].startswith("匹配 any/nccl-proxy-slot-leak-arm：Arm 上的 NCCL 2.28.9 或 2.29.2")
    assert "本构建不含修复。" in said
    assert any(line.startswith("首先〔已随版本发布〕：在每个节点上安装 NCCL 2.29.7") for line in said)
    assert any(line.startswith("不要做（会加重故障）：") for line in said)
    order = [line for line in said if line.startswith("【")]
    assert order[:6] == [
        "【是否适用于你的部署？】",
        "【现在该改什么】",
        "【上游修复】",
        "【不要做什么】",
        "【原因】",
        "【如何验证已修好】",
    ]
    assert order[-1] == "【数据日期】"
