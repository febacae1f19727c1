"""A rule -> the page of `advisor explain` as Markdown: for an issue, a wiki, the documentation's site."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.model.report import FixOut
from advisor.model.rule import Rule
from advisor.render.blocks import Heading, Line
from advisor.render.markdown import written
from advisor.render.rule_page import page

_NAMED = re.compile(r"^- ([\w-]+/[\w-]+)(?= \\?\[|: )", re.MULTILINE)  # - vllm/pp-spec-refused: It does not start.


def rule_markdown(rule: Rule, fixes: tuple[FixOut, ...], addresses: Mapping[str, str] | None = None) -> str:
    """The page, its id as the title. Look-alikes whose rule is among `addresses` are links."""
    _, *rest = page(rule, fixes)
    text = written([Heading(rule.id, 1), Line(rule.summary), *rest], top=1)
    known = addresses or {}
    return _NAMED.sub(lambda one: f"- [{one[1]}]({known[one[1]]})" if one[1] in known else one[0], text)
