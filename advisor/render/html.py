"""Report -> one HTML file to look at and to forward: no script, nothing loaded, safe whatever the logs hold.

Words and judgements are those of the other outputs (`words`, `findings`, `sections`, `outline`); the layout is this
page's own: the verdict, the evidence in its place, who stopped when, the change, and the rest in the order of need. The
policy in its head lets a browser run nothing and apply no style but ours, known by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from advisor.model.report import Finding, Report
from advisor.render import findings, html_markup, outline, sections, words
from advisor.render.blocks import Block, Heading, item
from advisor.render.citations import Citations
from advisor.render.findings import SEEN
from advisor.render.html_evidence import evidence
from advisor.render.html_picture import pictures
from advisor.render.language import Language, say, spoken

if TYPE_CHECKING:
    from jinja2 import Environment

LANG = {"en": "en", "zh": "zh-CN"}


def html(report: Report) -> str:
    """The report as one HTML document, in the language that is spoken."""
    page = {"style": _style(), "policy": _policy()}
    return environment().get_template("report.html.j2").render(view(outline.localised(report), spoken()) | page)


@cache
def environment() -> Environment:
    """The template engine, which escapes whatever is not finished markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("advisor.render"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        autoescape=True,
        finalize=html_markup.safe,
    )
    made.globals |= {"say": say, "words": words, "sections": sections, "findings": findings, "evidence": evidence}
    made.filters |= {
        "prose": html_markup.prose,
        "paragraphs": html_markup.paragraphs,
        "blocks": html_markup.block_list,
        "diff": html_markup.diff,
        "command": html_markup.command,
        "link": html_markup.link,
        "cited": html_markup.cited,
    }
    return made


@dataclass(frozen=True)
class Section:
    """A section of the page that is made of the other outputs' own blocks."""

    id: str
    title: str
    body: Markup


def view(report: Report, lang: Language, elsewhere: bool = False) -> dict[str, object]:
    """What the templates of a report show, part by part. `elsewhere`: what to ask and to capture stands beside it."""
    shown = [one for one in report.findings if one.status != "ruled_out"]
    led = bool(shown) and shown[0].status in SEEN
    opening = outline.opening(report, shown)
    return {
        "report": report,
        "lang": LANG[lang],
        "title": words.first_sentence(opening[0].text) if isinstance(opening[0], Heading) else "advisor",
        "opening": opening,
        "tally": outline.tally(report, shown),
        "lead": shown[0] if shown else None,
        "led": led,
        "others": [one for one in shown[1:] if one.status in SEEN],
        "weaker": [one for one in shown[1:] if one.status not in SEEN],
        "pictures": pictures(report.timeline),
        "excerpts": report.excerpts,
        "parts": {one.id: one for one in _parts(report, shown) if not (elsewhere and one.id == "questions")},
        "elsewhere": elsewhere,
        "first_step": findings.first_step(shown[0]) if led else [],
        "citations": Citations,
        "ground": _ground,
    }


def _parts(report: Report, shown: list[Finding]) -> list[Section]:
    ruled_out = [one for one in report.findings if one.status == "ruled_out"]
    not_this = [item(findings.not_this(one)) for one in ruled_out]
    made: dict[str, list[Block]] = {
        "situation": outline.situation(report, every=False),
        "unfit": outline.discrepancies(report),
        "ruled-out": sections.headed(say("Looked at and ruled out"), not_this),
        "unexplained": outline.unexplained(report),
        "questions": outline.questions(report, shown, every=True),
        "related": sections.headed(say("Resembles in words only (not judged)"), sections.resemblances(report.related)),
        "coverage": outline.coverage(report),
        "understood": outline.understood(report),
        "closing": outline.closing(report),
    }
    said = {name: blocks for name, blocks in made.items() if blocks}
    return [Section(name, _title(blocks), html_markup.block_list(blocks[1:])) for name, blocks in said.items()]


def _title(blocks: list[Block]) -> str:
    return blocks[0].text if isinstance(blocks[0], Heading) else ""


def _ground(finding: Finding) -> tuple[str, str]:
    """How firm the ground is: what is held of the cause, and whether this build has the fix."""
    cause = say("cause {status}", status=say(words.CAUSE.get(finding.cause.status, finding.cause.status)))
    return cause, findings.fixed_here(finding)


# the style and the policy


def source(name: str) -> str:
    """A file of the templates' folder as it stands."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), name)[0]


@cache
def _style() -> Markup:
    """The style sheet, which is ours and holds nothing of anyone else's."""
    return Markup(source("report.css").strip())  # noqa: S704 - a file of ours


@cache
def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
