"""Whether what a rule claims can be traced: its commits, its releases, its fixes, and how firm its remedies are.

Knowledge decides where it can: upstream's history, the tags, and the fixes looked for in each release. Past its
horizon, on release branches and in repositories that it does not follow, a source has to say where a commit stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from advisor.catalog.engines import knowledge, profiles
from advisor.model.build import order_key, parse_version, public, same_commit
from advisor.model.knowledge import Commit, FixRecord, Knowledge
from advisor.model.rule import Affected, Boundary, Fix, Need, Remedy, Rule, Source
from advisor.yaml import Path

Fault = tuple[Path, str, str]
"""Where in a rule's file, the problem's stable name, and what is wrong."""

# https://github.com/vllm-project/vllm/issues/53402, https://discuss.vllm.ai/t/x/1
_THREAD = re.compile(r"https://(?:github\.com/[^/]+/[^/]+/(?:issues|pull|discussions)/\d|(?:discuss|forums?)\.)")
# https://github.com/NVIDIA/nccl/commit/25368a7f78ba, https://github.com/vllm-project/vllm/pull/54436
_CHANGE = re.compile(r"https://github\.com/[^/]+/[^/]+/(?:commit/[0-9a-f]{7}|pull/\d)")
# https://github.com/NVIDIA/nccl/releases/tag/v2.29.3-1, https://github.com/vllm-project/vllm/blob/v0.33.0/…
_RELEASE = re.compile(r"https://(?:github\.com/[^/]+/[^/]+/(?:releases|(?:tree|blob)/v?\d)|pypi\.org/project/)")


def untraced(rule: Rule, known: Knowledge | None) -> Iterator[Fault]:
    """Every claim that leads nowhere, or elsewhere; `known` is the engine's, None for the stack below the engines."""
    for index, fix in enumerate(rule.fixes):
        path: Path = ("fixes", index)
        yield from _commit((*path, "commit"), fix, (*fix.source, *_pages(rule)), _of_repo(fix.repo))
        yield from _day((*path, "merged"), fix.commit, fix.merged)
        for place, need in enumerate(fix.needs):
            yield from _commit((*path, "needs", place, "commit"), need, need.source, _of_repo(need.repo or fix.repo))
    for index, entry in enumerate(rule.affected):
        yield from _range(("affected", index), entry, rule, known)
    for index, remedy in enumerate(rule.remedies):
        yield from _remedy(("remedies", index), remedy)
        yield from _cure(("remedies", index, "to"), remedy, rule, known)


def _of_repo(repo: str) -> Knowledge | None:
    return next((one for one in map(knowledge, profiles()) if one.profile.get("repo") == repo), None)


def _pages(rule: Rule) -> tuple[Source, ...]:
    """The references that show a change, as sources."""
    return tuple(Source(one.date or "", one.url, note=one.note) for one in rule.references)


# commits


Change = Fix | Need | Boundary
"""What names a commit, a pull request or both."""


def _commit(path: Path, change: Change, sources: tuple[Source, ...], known: Knowledge | None) -> Iterator[Fault]:
    """The commit can be found, or looked up. One that its number's own on main contradicts is `commit-mismatch`."""
    commit = change.commit
    if commit is None or not re.fullmatch(r"[0-9a-f]{7,40}", commit) or _is_known(commit):
        return
    if known is not None and change.pr and known.history.of_pr(change.pr):
        return
    if not any(_shows(one, commit, change.pr) for one in sources):
        said = "no knowledge holds it, and no source names it or is its pull request"
        yield path, "commit-untraced", f"{commit[:12]}: {said}"


def _day(path: Path, commit: str | None, day: str | None) -> Iterator[Fault]:
    """The day that is given is the commit's, give or take one for the time zone."""
    if not commit or not day or not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        return
    found = next((one for name in profiles() if (one := knowledge(name).history.find(commit))), None)
    if found is not None and abs(found.date - date.fromisoformat(day)) > timedelta(days=1):
        yield path, "date-mismatch", f"{commit[:12]} is of {found.date} on upstream main, not of {day}"


@cache
def _is_known(commit: str) -> bool:
    """Whether upstream's main, a tag, a release or a fix looked for is this commit, of any engine or component."""
    for one in map(knowledge, profiles()):
        named = [tag.commit for tag in one.tags.values()] + [fix.commit for fix in one.fixes.values()]
        named += [release.commit for release in one.releases]
        if one.history.find(commit) or any(same_commit(commit, name) for name in named if name):
            return True
    return False


def _shows(source: Source, commit: str, pr: int | None) -> bool:
    """Whether the source names the commit, seven digits or more of it, or is the page of the change itself."""
    if pr is not None and source.url and source.url.rstrip("/").endswith(f"/pull/{pr}"):
        return True
    return commit[:7] in f"{source.url} {source.artefact} {source.note}"


# ranges


def _range(path: Path, entry: Affected, rule: Rule, known: Knowledge | None) -> Iterator[Fault]:
    about = knowledge(entry.component) if entry.component in profiles() else None if entry.component else known
    own = (entry.source,) if entry.source else ()
    sources = (*own, *(source for fix in rule.fixes for source in fix.source), *_pages(rule))
    for end in ("introduced", "fixed"):
        boundary: Boundary | None = getattr(entry, end)
        if boundary is None:
            continue
        yield from _commit((*path, end, "commit"), boundary, sources, about)
        yield from _day((*path, end, "date"), boundary.commit, boundary.date)
        if about is None:
            continue
        yield from _number((*path, end, "commit"), boundary, own, about)
        if boundary.version and holds(about, boundary.version, boundary, own) is False:
            message = (
                f"{about.engine} {boundary.version} does not hold {_name(boundary)}, which is given as {end} there"
            )
            yield (*path, end), f"{end}-elsewhere", message
    if entry.fixed and not _is_proved(entry, entry.fixed, rule):
        message = "rests on a thread alone: name the merged change, or the release source that was read"
        yield (*path, "fixed"), "fixed-unproved", message
    if about is not None and entry.fixed and entry.fixed.version and (early := _earlier(entry, about)):
        message = f"{about.engine} {early} holds {_name(entry.fixed)} already: {entry.fixed.version} is not the first"
        yield (*path, "fixed"), "fixed-late", message


def _name(change: Boundary) -> str:
    return change.commit[:12] if change.commit else f"#{change.pr}"


def _number(path: Path, boundary: Boundary, sources: tuple[Source, ...], known: Knowledge) -> Iterator[Fault]:
    """The commit is the one that main has for its pull request; a pick has one of its own, which a source names."""
    commit = boundary.commit
    found = known.history.of_pr(boundary.pr) if boundary.pr else None
    if found is None or commit is None or same_commit(found.sha, commit):
        return
    if known.history.find(commit) or not any(_shows(one, commit, None) for one in sources):
        message = f"{known.profile.get('repo')}#{boundary.pr} is {found.sha} on upstream main, not {commit[:12]}"
        yield path, "commit-mismatch", message


def _is_proved(entry: Affected, fixed: Boundary, rule: Rule) -> bool:
    """Whether something firmer than a thread says that it is fixed: what was read, or a change that was merged."""
    source = entry.source
    if source is not None and (
        source.artefact or (source.url and (_CHANGE.match(source.url) or _RELEASE.match(source.url)))
    ):
        return True
    if fixed.commit and _is_known(fixed.commit):
        return True
    merged = [fix for fix in rule.fixes if fix.state == "merged"]
    return any(
        (fix.pr is not None and fix.pr == fixed.pr)
        or bool(fix.commit and fixed.commit and same_commit(fix.commit, fixed.commit))
        for fix in merged
    )


def _earlier(entry: Affected, known: Knowledge) -> str | None:
    """A release inside the range that surely holds the fix; None when there is none."""
    assert entry.fixed is not None and entry.fixed.version is not None
    start = order_key(entry.introduced.version) if entry.introduced and entry.introduced.version else None
    for release in known.releases:
        here = order_key(release.version)
        within = (start is None or here >= start) and here < order_key(entry.fixed.version)
        if within and holds(known, release.version, entry.fixed):
            return release.version
    return None


def holds(known: Knowledge, version: str, change: Boundary, sources: tuple[Source, ...] = ()) -> bool | None:
    """Whether a release holds a change, as fixes.json says it, else the place of its tag; None where neither tells.

    A release that left main before the change holds it only where it was picked over: one of `sources` names it then.
    """
    record, wanted = _record(known, change), public(version)
    for answer, releases in ((True, record.held_by), (False, record.lacked_by)) if record else ():
        if any(public(one) == wanted for one in releases):
            return answer
    place, left = _place(known, change), _left_main(known, version)
    if place is None or left is None:
        return None
    picked = change.commit is not None and any(_shows(one, change.commit, None) for one in sources)
    return True if place.position <= left.position else None if picked else False


def _record(known: Knowledge, change: Boundary) -> FixRecord | None:
    repo = known.profile.get("repo")
    listed = known.fixes.get(f"{repo}#{change.pr}") if change.pr else None
    named = (
        one for one in known.fixes.values() if one.commit and change.commit and same_commit(one.commit, change.commit)
    )
    return listed or next(named, None)


def _place(known: Knowledge, change: Boundary) -> Commit | None:
    found = known.history.find(change.commit) if change.commit else None
    return found or (known.history.of_pr(change.pr) if change.pr else None)


def _left_main(known: Knowledge, version: str) -> Commit | None:
    """The newest commit of main that the release descends from."""
    return _lines(known).get(str(public(version)))


@cache
def _lines(known: Knowledge) -> dict[str, Commit | None]:
    """Release -> the newest commit of main in it. NCCL's tags carry a number of packaging: v2.29.3-1."""
    found: dict[str, Commit | None] = {}
    for tag in known.tags.values():
        number = re.sub(r"^v|-\d+$", "", tag.name)
        if parse_version(number) is not None:
            found[str(public(number))] = known.history.find(tag.main) if tag.main else None
    return found


# remedies


def _remedy(path: Path, remedy: Remedy) -> Iterator[Fault]:
    """A remedy's status says how it is known: there has to be a source of that kind."""
    wanted = {
        "released": ("what was released: an artefact that was read, or the release's page", (_RELEASE,), True),
        "merged": ("the merged change: its commit, its pull request, or an artefact that holds it", (_CHANGE,), True),
        "maintainer_confirmed": ("the thread in which a maintainer says so", (_THREAD,), False),
        "reporter_verified": ("the thread in which a reporter says so", (_THREAD,), False),
    }.get(remedy.status)
    if wanted is None or not remedy.source:
        return
    words, forms, artefact = wanted
    fits = any((artefact and one.artefact) or any(form.match(one.url or "") for form in forms) for one in remedy.source)
    if not fits:
        yield (*path, "status"), "status-source", f"{remedy.status} needs a source that is {words}"


def _cure(path: Path, remedy: Remedy, rule: Rule, known: Knowledge | None) -> Iterator[Fault]:
    """What is upgraded to is outside of every range of the rule, and holds the fix where knowledge can tell."""
    if remedy.do not in ("upgrade", "downgrade", "component") or remedy.status == "suggested":
        return
    if not remedy.to or parse_version(remedy.to) is None:
        return
    for entry in rule.affected:
        if entry.component == remedy.component and entry.only is None and _within(remedy.to, entry):
            yield path, "cure-affected", f"{remedy.to} is in a range that the rule says is affected"
    about = knowledge(remedy.component) if remedy.component in profiles() else None if remedy.component else known
    if about is None or remedy.do == "downgrade":
        return
    fixes = [fix for fix in rule.fixes if fix.state == "merged" and fix.repo == about.profile.get("repo")]
    told = [
        holds(about, remedy.to, Boundary(commit=fix.commit, pr=fix.pr), (*fix.source, *remedy.source)) for fix in fixes
    ]
    if told and all(one is False for one in told):
        yield path, "cure-without-fix", f"{about.engine} {remedy.to} holds none of the fixes that the rule names"


def _within(version: str, entry: Affected) -> bool:
    here = order_key(version)
    start = entry.introduced.version if entry.introduced else None
    before = entry.fixed.version if entry.fixed else None
    if start is None and before is None:
        return False  # a range by commits alone
    return (start is None or here >= order_key(start)) and (before is None or here < order_key(before))
