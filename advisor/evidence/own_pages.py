"""A text -> the places in it that are this product's own: a report, a rule's page, the list of rules, a rule file.

A report fed back would else prove itself: it quotes the signature of every rule that it names. Recognised by the fixed
lines that each face prints. A person's words above or below a report stay. Empty: nothing of the kind.

**Source:** advisor/render (text, Markdown, JSON, rule page), `advisor rules list`, rules/*/*/rule.yaml, README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from advisor.model.shape import Shape
from advisor.scan.several import Several

_STATUS = "MATCHES|MATCHED|LIKELY|POSSIBLE|EXPOSED|RULED OUT"
_ID = r"(?:any|vllm|sglang|lmdeploy|xllm|vllm-ascend)/[a-z0-9][a-z0-9-]+"
# LIKELY sglang/spec-tp-state-divergence: …  (in Markdown "## LIKELY …")
_LEAD = Shape(
    rf"^(?:#+ )?(?:{_STATUS}|匹配|很可能|可能|有风险) {_ID}[:：\s]|^(?:#+ )?No (?:known|documented) failure matches\b",
    re.M,
)
_FOOT = Shape(
    r"A match is a resemblance with reasons,\s+not\s+a\s+proof\s+of\s+cause\.?"
    r"|匹配只表示有理由的相似，\s*并不证明原因。"
)
_HTML = Shape(r'<meta name="generator" content="advisor ')
_JSON = Shape(r"[\"']schema[\"']\s*:\s*[\"']advisor-report/")
# "lmdeploy/mtp-silent-hang: …" then "Level error, stable, as of 2026-11-29."
_PAGE = Shape(rf"^(?:#+ )?{_ID}:? ", re.M)
_PAGE_LEVEL = Shape(r"\bLevel (?:error|warning|note),\s+(?:draft|stable|retired),\s+as\s+of\s+\d{4}-\d\d-\d\d")
_PAGE_HEAD = Shape(r"^(?:#+ )?WHAT HAPPENS\s*$|^#+ What happens\s*$", re.M | re.I)
_LISTED = Shape(rf"^{_ID}\s{{2,}}(?:error|warning|note)\s{{2,}}\S[^\n]*$", re.M)
_RULE_KEYS = tuple(Shape(rf"^{key}:", re.M) for key in ("id", "maturity", "symptoms", "as_of"))
_README = Shape(r"^# advisor\s*$", re.M)
_CHANGES = Shape(r"^# Changelog\s+What changes for those who use the advisor\b", re.M)
_README_TELLS = Shape(r"`advisor` holds those known failures as rules|`?advisor check`?")


@cache
def _marks() -> Several:
    """Of all pages: most texts hold none of them."""
    pages = (_JSON, _HTML, *_RULE_KEYS, _CHANGES, _README, _FOOT, _LEAD, _PAGE, _LISTED)
    return Several([one.pattern for one in pages], re.MULTILINE | re.IGNORECASE)


def own(text: str) -> Iterator[tuple[int, int]]:
    """The places of this product's own pages, each from its first line to its last."""
    if not _marks().numbers(text):
        return
    if _JSON.search(text) or _HTML.search(text) or all(key.search(text) for key in _RULE_KEYS):
        yield 0, len(text)
        return
    if _CHANGES.search(text) or (_README.search(text) and _README_TELLS.search(text)):
        yield 0, len(text)
        return
    yield from _reports(text)
    yield from _pages(text)
    for found in _LISTED.finditer(text):
        yield found.span()


def _reports(text: str) -> Iterator[tuple[int, int]]:
    """From the line that leads a report to its last; a report without its head begins with the text."""
    place = 0
    for foot in _FOOT.finditer(text):
        lead = _LEAD.search(text, place, foot.start())
        yield lead.start() if lead else place, foot.end()
        place = foot.end()
    cut = _LEAD.search(text, place)
    if cut:  # cut short: the head alone
        end = re.search(r"\n\s*\n\s*\n|\Z", text[cut.start() :])
        yield cut.start(), cut.start() + (end.start() if end else 0)


def _pages(text: str) -> Iterator[tuple[int, int]]:
    """Rule pages: from the id to the next page, or to the end, for a page ends with its references."""
    starts = [
        found.start()
        for found in _PAGE.finditer(text)
        if _PAGE_LEVEL.search(text, found.start(), found.start() + 900)
        or _PAGE_HEAD.search(text, found.start(), found.start() + 900)
    ]
    yield from pairwise([*starts, len(text)])
