"""Every output of every hand-made report, held against a file."""

import pytest

from advisor.render.html import html
from advisor.render.json import json
from advisor.render.language import speaking
from advisor.render.markdown import markdown
from advisor.render.rule_page import rule_page
from advisor.render.schema import schema_of
from advisor.render.text import text
from tests.render.reports import FIX, REPORTS
from tests.render.rules import RULE


@pytest.mark.parametrize("name", REPORTS)
def test_reports(name, assert_golden):
    report = REPORTS[name]
    assert_golden(f"{name}.txt", text(report, colour=False, width=80))
    assert_golden(f"{name}.verbose.txt", text(report, colour=False, width=100, verbose=True))
    assert_golden(f"{name}.md", markdown(report))
    assert_golden(f"{name}.json", json(report))


def test_a_page(assert_golden):
    assert_golden("hung.html", html(REPORTS["hung"]))


def test_colours(assert_golden):
    assert_golden("hung.colour.txt", text(REPORTS["hung"], colour=True, width=80))


def test_chinese(assert_golden):
    with speaking("zh"):
        assert_golden("hung.zh.txt", text(REPORTS["hung"], colour=False, width=80))
        assert_golden("hung.zh.md", markdown(REPORTS["hung"]))
        assert_golden("uncertain.zh.txt", text(REPORTS["uncertain"], colour=False, width=80))
        assert_golden("rule.zh.txt", rule_page(RULE, (FIX,)))


def test_a_rule(assert_golden):
    assert_golden("rule.txt", rule_page(RULE, (FIX,)))


def test_the_schema(assert_golden):
    assert_golden("schema.json", schema_of("report"))
