"""A rule's fix → what the report says of it: which releases hold it, and whether this build does."""

from __future__ import annotations

from advisor.catalog.engines import knowledge, profiles
from advisor.match.builds import contains
from advisor.match.holdings import listed, seen
from advisor.match.view import View
from advisor.model.build import order_key
from advisor.model.knowledge import FixRecord, Knowledge
from advisor.model.once import keep, once_each
from advisor.model.report import FixOut, NeedOut, SourceOut, YesNoUnknown
from advisor.model.rule import Boundary, Fix, Source
from advisor.model.truth import Truth, truth_of

_YES_NO: dict[Truth, YesNoUnknown] = {Truth.YES: "yes", Truth.NO: "no", Truth.UNKNOWN: "unknown"}


def fix_out(fix: Fix, view: View) -> FixOut:
    """The fix, its releases from knowledge, and whether the case's build holds it."""
    known = knowledge_of(fix)
    record = known.fixes.get(fix.key()) if known else None
    releases = _in_order(record.held_by) if record else ()
    truth, why = _in_build(fix, view, known, record)
    return FixOut(
        repo=fix.repo,
        pr=fix.pr,
        url=_url(fix),
        commit=fix.commit,
        commit_is_prefix=fix.commit is not None and len(fix.commit) < 40,
        state=fix.state,
        merged=fix.merged,
        completeness=fix.completeness,
        what=fix.what,
        component=fix.component,
        first_release=releases[0] if releases else None,
        releases=releases,
        releases_by=keep(record.by) if record else (),
        releases_says=_releases_say(fix, record, releases, known),
        in_this_build=_YES_NO[truth],
        why=why,
        needs=_needs(fix),
        sources=sources_out(fix.source),
    )


@once_each
def sources_out(sources: tuple[Source, ...]) -> tuple[SourceOut, ...]:
    """What a rule names as its sources."""
    return tuple(map(SourceOut.of, sources))


@once_each
def _needs(fix: Fix) -> tuple[NeedOut, ...]:
    return tuple(
        NeedOut(one.repo or fix.repo, one.pr, one.commit, one.why, sources_out(one.source)) for one in fix.needs
    )


@once_each
def _in_order(releases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(releases, key=order_key))


def _unsettled(record: FixRecord, known: Knowledge | None) -> bool:
    """Whether some published release is in neither list."""
    told = {*record.held_by, *record.lacked_by}
    return known is not None and any(one.version not in told for one in known.releases if one.version != "main")


def _releases_say(fix: Fix, record: FixRecord | None, releases: tuple[str, ...], known: Knowledge | None) -> str:
    if fix.state == "fork":
        return "only in a fork; no upstream release holds it"
    if fix.state in ("open", "closed"):
        return f"not merged: the pull request is {fix.state}"
    if record is None:
        return "which releases hold it is not established"
    if not releases:
        open_question = _unsettled(record, known)
        return f"not established ({record.note})" if open_question else "no tagged release holds it"
    return f"first released in {releases[0]}; newest release checked that holds it: {releases[-1]}"


def _url(fix: Fix) -> str:
    if fix.pr is not None:
        return f"https://github.com/{fix.repo}/pull/{fix.pr}"
    return f"https://github.com/{fix.repo}/commit/{fix.commit}" if fix.commit else f"https://github.com/{fix.repo}"


def knowledge_of(fix: Fix) -> Knowledge | None:
    """The knowledge of the repository the fix is in."""
    name = fix.component or next((name for name, one in profiles().items() if one.get("repo") == fix.repo), None)
    return knowledge(name) if name in profiles() else None


def _in_build(fix: Fix, view: View, known: Knowledge | None, record: FixRecord | None) -> tuple[Truth, str]:
    build = view.layer(known.engine if known else "").build
    boundary = Boundary(
        version=record.first() if record else None, commit=fix.commit or "0000000", pr=fix.pr, date=fix.merged
    )
    of_engine = known is not None and build.engine == known.engine and not fix.component
    if of_engine and seen(build, boundary, known):
        return contains(build, boundary, known)
    if fix.state in ("open", "closed"):
        return (
            Truth.NO if fix.state == "open" else Truth.UNKNOWN,
            f"the pull request is {fix.state}; no release holds it unless a fork picked it",
        )
    if fix.component:
        return _in_component(fix, view, record)
    if known is not None and build.engine != known.engine:
        return Truth.UNKNOWN, f"this is a fix of {known.engine}"
    if fix.state == "fork":
        return Truth.UNKNOWN, "it is in a fork; look in the fork's own history"
    held = listed(build, record) if record else None
    if held is not None and record is not None:
        return truth_of(held), f"{build.version} {'holds' if held else 'lacks'} it ({', '.join(record.by)})"
    return contains(build, boundary, known)


def _in_component(fix: Fix, view: View, record: FixRecord | None) -> tuple[Truth, str]:
    answer = view.ask("component", fix.component or "")
    first = record.first() if record else None
    if not answer.facts or first is None:
        return Truth.UNKNOWN, f"which {fix.component} every rank loads is not known"
    verdicts = {order_key(str(fact.value)) >= order_key(first) for fact in answer.facts}
    truth = Truth.UNKNOWN if len(verdicts) > 1 else Truth.YES if verdicts.pop() else Truth.NO
    seen = ", ".join(sorted({f"{fact.value} ({fact.origin})" for fact in answer.facts}))
    return truth, f"{fix.component} here is {seen}; the fix is in from {first}"
