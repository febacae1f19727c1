"""Rules -> the pages that browse them: the list, what a search found, and one rule's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.model.report import FixOut
from advisor.model.rule import Affected, Boundary, Rule
from advisor.model.search import SearchReport
from advisor.model.translation import chinese_of
from advisor.render import rule_page as pages
from advisor.render.below import told
from advisor.render.language import say
from advisor.render.web_frame import Frame, sectioned, written

SHORT = 12  # digits of a commit that is named in a table
ANY = "any"


@dataclass(frozen=True)
class Row:
    """A rule in a line: `shares` are the words that a search found in it."""

    id: str
    level: str
    summary: str
    affected: str
    shares: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """Its name below its engine."""
        return self.id.partition("/")[2]


def rules_page(
    frame: Frame,
    rules: Sequence[Rule],
    titles: Sequence[tuple[str, str]],
    q: str,
    engine: str,
    found: SearchReport | None,
    called: Rule | None,
) -> str:
    """Every rule by engine; of a search what it found, nearest first. `called` is the rule whose name was typed."""
    by_id = {one.id: one for one in rules}
    near = [_row(by_id[one.rule], one.shares) for one in found.resembles] if found else []
    owners = [*((name, title) for name, title in titles if any(one.engine == name for one in rules)), (ANY, below())]
    groups = [
        (name, title, [_row(one) for one in rules if one.engine == name])
        for name, title in owners
        if engine in ("", name)
    ]
    return written(
        "rules.html.j2",
        frame,
        title=say("Known failures"),
        here="rules",
        owners=owners,
        q=q,
        engine=engine,
        searched=found is not None,
        near=near,
        called=_row(called) if called else None,
        groups=[] if found else groups,
        count=sum(len(rows) for _, _, rows in groups),
    )


def below() -> str:
    """What the rules of no single engine are about."""
    return say("Below the engines: NCCL, torch, drivers")


def rule_page(frame: Frame, rule: Rule, fixes: tuple[FixOut, ...], settings: Sequence[str] = ()) -> str:
    """One rule. `settings` are the flags that decide whether it can happen, where those of its engine are known."""
    opening, *sections = sectioned(pages.page(rule, fixes))
    return written(
        "rule.html.j2",
        frame,
        title=rule.id,
        here="rules",
        rule=rule,
        summary=told(rule.summary, chinese_of(rule)),
        standing=opening.body,
        sections=sections,
        settings=settings,
        engine_title=below() if rule.engine == ANY else rule.engine,
    )


def _row(rule: Rule, shares: tuple[str, ...] = ()) -> Row:
    summary = told(rule.summary, chinese_of(rule))
    affected = "; ".join(dict.fromkeys(map(builds, rule.affected))) or say("any build")
    return Row(rule.id, rule.level, summary, affected, shares)


def builds(one: Affected) -> str:
    """A range of builds in a few words."""
    what = one.component or (say(pages.BUILDS[one.only]) if one.only else "")
    since = say("from {start}", start=_named(one.introduced)) if one.introduced else ""
    until = say("before {end}", end=_named(one.fixed)) if one.fixed else ""
    return say(", ").join(part for part in (what, since, until) if part) or say("any release")


def _named(one: Boundary) -> str:
    commit = (one.commit or "")[:SHORT]
    return one.version or commit or one.date or say("a commit that is not established")
