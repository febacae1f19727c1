"""A rule -> the page that `advisor explain` shows: what the catalogue knows of one failure, without a case.

The rule is put into the words of a finding, so that it reads like one; only the conditions are written out here,
since no case has decided them.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.condition import Atom, Condition, Join
from advisor.model.fact import Value
from advisor.model.report import (
    AdviceOut,
    CauseOut,
    Finding,
    FixOut,
    LookalikeOut,
    MissingOut,
    ReferenceOut,
    RemedyOut,
    SourceOut,
    StepOut,
    SupersededOut,
)
from advisor.model.rule import Advice, Affected, Boundary, Remedy, Rule, Source, Step
from advisor.model.translation import chinese_of
from advisor.render import sections, words
from advisor.render.below import told, translated
from advisor.render.blocks import Block, Heading, Line, item, paragraphs
from advisor.render.citations import Citations
from advisor.render.language import say
from advisor.render.text import lay

BUILDS = {"": "releases", "commits": "builds of main", "forks": "forks and patched builds only"}
JOINS = {"all": "all of these:", "any": "at least one of these:", "not": "not:"}


def rule_page(rule: Rule, fixes: tuple[FixOut, ...], *, colour: bool = False, width: int = 80) -> str:
    """The page. `fixes` are the rule's, as knowledge places them; `in_this_build` is not shown, for there is none."""
    return lay(page(rule, fixes), colour=colour, width=width, clipped=False)


def page(rule: Rule, fixes: tuple[FixOut, ...]) -> list[Block]:
    """The rule in the order of a report: what it is, where it can happen, how it looks, what to do."""
    cites, chinese = Citations(), chinese_of(rule)
    rule, fixes = translated(rule, chinese), translated(fixes, chinese)
    finding = _told(rule, fixes)
    return [
        Heading(say("{name}: {what}", name=rule.id, what=rule.summary), 1),
        Line(_standing(rule)),
        *sections.headed(say("What happens"), paragraphs(rule.details)),
        *sections.headed(say("Affected builds"), [item(affected(one)) for one in rule.affected]),
        *sections.headed(say("Can happen when"), condition(rule.exposure)),
        *sections.headed(say("Told from its look-alikes by"), condition(rule.symptoms.signature)),
        *sections.headed(say("Weaker signs"), _each(rule.symptoms.supporting)),
        *sections.headed(say("Speaks against it"), _each(rule.symptoms.contrary)),
        *sections.headed(say("Only its echoes (they name no cause)"), _each(rule.symptoms.downstream)),
        *sections.remedies(finding, cites, every=False),
        *sections.fixes(finding, cites, every=True, here=False),
        *sections.dont(finding, cites),
        *sections.cause(finding.cause, cites),
        *sections.verification(finding.verification),
        *sections.lookalikes(finding.lookalikes),
        *sections.capture(finding.wanted),
        *sections.superseded(finding, cites),
        *sections.caveats(finding),
        *sections.headed(say("Sources"), cites.lines(finding.references, notes=True)),
    ]


def _standing(rule: Rule) -> str:
    names = (*rule.aliases, *rule.former_ids)
    also = say("Also known as {names}. ", names=say(", ").join(names)) if names else ""
    return also + say(
        "Level {level}, {maturity}, as of {date}. Cause {cause}.",
        level=say(rule.level),
        maturity=say(rule.maturity),
        date=rule.as_of,
        cause=say(words.CAUSE[rule.cause.status]),
    )


# conditions in words


def _each(signs: tuple[Condition, ...]) -> list[Block]:
    """Signs that count each by itself: the parts of one stay together."""
    return [block for one in signs for block in condition(one, 0, joined=True)]


def condition(given: Condition | None, depth: int = 0, *, joined: bool = False) -> list[Block]:
    """A condition as nested items; at the top an `all` is a plain list, unless `joined`."""
    if given is None:
        return []
    if isinstance(given, Atom):
        return [item(atom(given), depth)]
    if (given.kind == "all" and depth == 0 and not joined) or (len(given.parts) == 1 and given.kind != "not"):
        return [block for part in given.parts for block in condition(part, depth)]
    parts = [block for part in given.parts for block in condition(part, depth + 1)]
    return [item(say(JOINS[given.kind]), depth), *parts]


def atom(one: Atom) -> str:
    """One condition as a person would say it."""
    if one.kind in ("log", "stack") and one.means:
        return say("a line: {what}", what=one.means) if one.kind == "log" else say("a thread: {what}", what=one.means)
    if one.kind == "log":
        return say("a line like `{pattern}`", pattern=one.name)
    if one.kind == "stack":
        frames = " < ".join(one.value)
        if one.op:
            return say("one {state} thread with the frames {frames} (innermost first)", state=one.op, frames=frames)
        return say("one thread with the frames {frames} (innermost first)", frames=frames)
    if one.kind == "model":
        return say("the model's name is like `{pattern}`", pattern=one.name)
    return told(f"{one.name} {one.words()}")


def affected(one: Affected) -> str:
    """A range of builds in words."""
    what = one.component or say(BUILDS[one.only or ""])
    if one.introduced:
        what = say("{builds}: from {start}", builds=what, start=_boundary(one.introduced))
    open_end = say("no fixed build is known") if one.only != "forks" else ""
    until = say("before {end}", end=_boundary(one.fixed)) if one.fixed else open_end
    commits = say("commits {commits}", commits=say(", ").join(one.commits)) if one.commits else ""
    return words.listed((what, until, commits, one.why or ""))


def _boundary(one: Boundary) -> str:
    parts = [
        one.version or "",
        say("commit {commit}", commit=one.commit) if one.commit else "",
        f"#{one.pr}" if one.pr else "",
        one.date or "",
    ]
    return say(", ").join(part for part in parts if part) or say("a commit that is not established")


# the rule in the words of a finding


def _told(rule: Rule, fixes: tuple[FixOut, ...]) -> Finding:
    return Finding(
        rule=rule.id,
        status="exposed",
        level=rule.level,
        summary=rule.summary,
        headline=rule.summary,
        aliases=rule.aliases,
        because=(),
        deciding=(),
        against=(),
        echoes=(),
        missing=(),
        exposure="unknown",
        signature="unknown",
        cause=CauseOut(rule.cause.status, rule.cause.text, _sources(rule.cause.source)),
        no_fix=rule.no_fix or "",
        fixes=fixes,
        remedies=tuple(map(_remedy, rule.remedies)),
        not_helpful=tuple(map(_advice, rule.not_helpful)),
        harmful=tuple(map(_advice, rule.harmful)),
        verification=tuple(map(_step, rule.verification)),
        lookalikes=tuple(LookalikeOut(one.rule, one.tell, "", "") for one in rule.lookalikes),
        wanted=tuple(MissingOut(one.what, one.tells, one.run or "") for one in rule.wanted),
        superseded=tuple(SupersededOut(one.claim, one.by, one.why, _sources(one.source)) for one in rule.superseded),
        caveats=rule.caveats,
        references=tuple(ReferenceOut(one.type, one.url, one.note or "") for one in rule.references),
        details=rule.details,
        maturity=rule.maturity,
        as_of=rule.as_of,
    )


def _sources(given: Iterable[Source]) -> tuple[SourceOut, ...]:
    return tuple(map(SourceOut.of, given))


def _remedy(one: Remedy) -> RemedyOut:
    change: dict[str, Value] = {**(one.set or {}), **dict.fromkeys(one.unset or ()), **(one.env or {})}
    named = {"image": one.image, "repo": one.repo, "commit": one.commit, "component": one.component, "to": one.to}
    change |= {name: value for name, value in named.items() if value}
    when = say(" (where {condition})", condition=said) if (said := one_condition(one.applies_when)) else ""
    return RemedyOut(
        do=one.do,
        what=f"{words.unstopped(one.what)}{when}",
        cost=one.cost,
        status=one.status,
        status_says="",
        proof=one.proof or "",
        applies="yes",
        change=change,
        diff="",
        sources=_sources(one.source),
    )


def one_condition(given: Condition | None) -> str:
    """A condition in one line: `topology.pp more than 1 and not (…)`; nothing for None."""
    if given is None:
        return ""
    if isinstance(given, Atom):
        return atom(given)
    if given.kind == "not":
        return say("not ({condition})", condition=one_condition(given.parts[0]))
    joint = say(" and ") if given.kind == "all" else say(" or ")
    return joint.join(f"({one_condition(part)})" if isinstance(part, Join) else atom(part) for part in given.parts)


def _advice(one: Advice) -> AdviceOut:
    return AdviceOut(one.what, one.why, "unknown", _sources(one.source))


def _step(one: Step) -> StepOut:
    return StepOut(one.do, one.expect, one.run or "", one.absent, one.advancing or "", one.duration_s)
