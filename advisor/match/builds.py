"""Is a build inside a rule's range? What was seen in it first, then commits, releases, dates; otherwise unknown.

`contains` answers whether a build holds the change that a boundary names. Where the build's own files or git history
were looked at, they decide (files before history). Else a commit is placed on upstream main by
`knowledge/<engine>/history.txt`; a release by its number; a dev build, whose number is only the last tag before it,
by its commit or its date, never by its number alone where that would be a guess.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

from advisor.match.holdings import seen, since_release
from advisor.model.build import Build, base, is_release, order_key, parse_version, same_commit
from advisor.model.fact import Fact, Origin
from advisor.model.knowledge import Commit, Knowledge, Tag
from advisor.model.outcome import Missing, Outcome
from advisor.model.rule import Affected, Boundary
from advisor.model.truth import Truth, every, some, truth_of

Verdict = tuple[Truth, str]

_ASK_BUILD = "Which exact build is running: version, commit, or image digest?"


def how_to_tell(engine: str | None) -> str:
    """Where the build that runs can be read."""
    shown = f"pip show {engine} | head -2" if engine else "pip list | grep -iE '^(vllm|sglang|lmdeploy|xllm) '"
    return f"{shown}, or the first lines of the log"


@lru_cache(maxsize=4096)
def affected(entries: tuple[Affected, ...], build: Build, knowledge: Knowledge | None) -> Outcome:
    """Whether the build is in any of the ranges; YES when a rule gives no range (every build has it).

    Component ranges are not judged here: they are conditions on a component (see `conditions`).
    """
    if not entries:
        return Outcome(Truth.YES)
    verdicts = [_in_range(entry, build, knowledge) for entry in entries]
    truth = some(verdict for verdict, _ in verdicts)
    if truth is Truth.UNKNOWN:
        why = next(why for verdict, why in verdicts if verdict is Truth.UNKNOWN)
        return Outcome(truth, missing=(Missing("build", f"{_ASK_BUILD} {why}".strip(), how_to_tell(build.engine)),))
    whys = dict.fromkeys(why for verdict, why in verdicts if verdict is truth)
    origin: Origin = "observed" if build.origin == "observed" else "default" if build.origin == "default" else "stated"
    fact = Fact("build", build.label(), origin, quote=build.text, why="; ".join(whys))
    return Outcome(truth, because=(fact,))


def _in_range(entry: Affected, build: Build, knowledge: Knowledge | None) -> Verdict:
    if not build.known():
        return Truth.UNKNOWN, ""
    if build.commit and any(same_commit(build.commit, one) for one in entry.commits):
        return Truth.YES, f"commit {build.commit[:12]} is a build known to have it"
    if entry.only == "forks":
        return _fork(entry, build, knowledge)
    numbered = build.version and not build.commit and build.branch != "main" and is_release(build.version)
    if entry.only == "commits" and numbered and not (entry.introduced and seen(build, entry.introduced, knowledge)):
        return (
            Truth.NO,
            entry.why
            or f"{build.version} is a tagged release, and no tagged release holds the change that brought it in",
        )
    after, since = contains(build, entry.introduced, knowledge) if entry.introduced else (Truth.YES, "")
    fixed, until = contains(build, entry.fixed, knowledge) if entry.fixed else (Truth.NO, "")
    truth = every((after, ~fixed))
    if truth is Truth.NO:
        return truth, "; ".join(
            why for verdict, why in ((after, since), (~fixed, until)) if verdict is Truth.NO and why
        )
    if truth is Truth.UNKNOWN:
        return truth, since if after is Truth.UNKNOWN else until
    return truth, "; ".join(why for why in (since, until) if why) or "no fixed build is known"


def _fork(entry: Affected, build: Build, knowledge: Knowledge | None) -> Verdict:
    if entry.fixed:
        fixed, why = contains(build, entry.fixed, knowledge)
        if fixed is Truth.YES:
            return Truth.NO, why
    if build.fork:
        return Truth.YES, f"a fork ({build.fork}); stock releases do not reach this failure"
    history = [one for one in build.holdings if one.by != "fingerprint"]
    if history and build.origin != "observed" and all(one.held is None for one in history):
        return Truth.UNKNOWN, "Its history is not upstream's: is it more than a copy of the release?"
    if build.version and history:
        return Truth.NO, entry.why or "its git history is upstream's alone; only forks and patched builds have it"
    if (
        build.commit
        and knowledge
        and not on_main(build.commit, knowledge)
        and not _released_commit(build.commit, knowledge)
    ):
        return (
            Truth.UNKNOWN,
            f"Commit {build.commit[:12]} is not on the upstream history known here: is this a fork or a patched build?",
        )
    if build.version and is_release(build.version):
        return Truth.NO, entry.why or f"{build.version} is a stock release; only forks and patched builds have it"
    return Truth.UNKNOWN, "Is this a fork or a patched build?"


@lru_cache(maxsize=4096)
def in_releases(build: Build, start: str | None, before: str | None, knowledge: Knowledge | None) -> Outcome:
    """Whether a build without a number is of the releases from `start` on, before `before`: by range or date."""
    after = contains(build, Boundary(start), knowledge) if start else (Truth.YES, "")
    until = contains(build, Boundary(before), knowledge) if before else (Truth.NO, "")
    truth = every((after[0], ~until[0]))
    if truth is Truth.UNKNOWN:
        return Outcome(truth, missing=(Missing("build", _ASK_BUILD, how_to_tell(build.engine)),))
    why = "; ".join(said for said in (after[1], until[1]) if said)
    return Outcome(truth, because=(Fact("build", build.label(), "stated", quote=build.text, why=why),))


def contains(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    """Whether `build` holds the change of `boundary`, and why in words."""
    for decide in (_by_content, _by_commit, _by_release, _by_range, _by_date, _by_floor):
        truth, why = decide(build, boundary, knowledge)
        if truth is not Truth.UNKNOWN:
            return truth, why
    wanted = _name(boundary)
    if not build.known():
        return Truth.UNKNOWN, ""
    return Truth.UNKNOWN, f"Whether it holds {wanted} is not established from “{build.text or build.label()}”."


def _by_content(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    holding = seen(build, boundary, knowledge) if build.holdings else None
    if holding is None:
        return Truth.UNKNOWN, ""
    return truth_of(bool(holding.held)), f"{_name(boundary)} is {'' if holding.held else 'not '}in: {holding.says}"


def _name(boundary: Boundary) -> str:
    parts = [f"#{boundary.pr}" if boundary.pr else "", boundary.commit[:12] if boundary.commit else ""]
    name = " ".join(part for part in parts if part)
    return f"{name} ({boundary.version})" if name and boundary.version else name or f"{boundary.version}"


def on_main(commit: str, knowledge: Knowledge) -> Commit | None:
    """The commit's place on upstream main, or None."""
    return knowledge.history.find(commit)


def _released_commit(commit: str, knowledge: Knowledge) -> str | None:
    return next((tag.name for tag in knowledge.tags.values() if same_commit(commit, tag.commit)), None)


def _place(boundary: Boundary, knowledge: Knowledge) -> Commit | None:
    found = on_main(boundary.commit, knowledge) if boundary.commit else None
    return found or (knowledge.history.of_pr(boundary.pr) if boundary.pr else None)


def _by_commit(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    if build.commit and boundary.commit and same_commit(build.commit, boundary.commit):
        return Truth.YES, f"it is {_name(boundary)} itself"
    if knowledge is None or not (build.commit or build.after_pr):
        return Truth.UNKNOWN, ""
    target = _place(boundary, knowledge)
    here = on_main(build.commit, knowledge) if build.commit else None
    if build.commit and here is None and (tag := _released_commit(build.commit, knowledge)):
        return _by_release(build.but(version=tag, commit=None), boundary, knowledge)
    if here and target:
        truth = truth_of(here.position >= target.position)
        relation = "already in" if truth is Truth.YES else "not in"
        return truth, f"{_name(boundary)} of {target.date} is {relation} commit {here.sha} of {here.date}"
    if here and not target and boundary.date and here.date < date.fromisoformat(boundary.date):
        return Truth.NO, f"commit {here.sha} of {here.date} is older than {_name(boundary)}, merged {boundary.date}"
    after = knowledge.history.of_pr(build.after_pr) if build.after_pr else None
    if after and target and after.position >= target.position:
        return (
            Truth.YES,
            f"it is said to be after #{build.after_pr} of {after.date}, which is not older than {_name(boundary)}",
        )
    return Truth.UNKNOWN, ""


def _by_release(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    if not build.version or not _ordered(build.version) or build.branch == "main":
        return Truth.UNKNOWN, ""  # a build of main calls itself by the last release's number, or by none that holds
    version = build.version.removeprefix("v")
    if boundary.version:
        edge, here = order_key(boundary.version), order_key(version)
        candidate = not is_release(version) and base(version) == base(boundary.version) and edge != here
        if candidate and (is_release(boundary.version) or not _both_published(version, boundary.version, knowledge)):
            return Truth.UNKNOWN, ""
        if here >= edge:
            return (
                Truth.YES,
                f"{_name(boundary)} is already in {version}"
                if boundary.commit
                else f"{version} is not before {boundary.version}",
            )
        return Truth.NO, f"{version} is before {boundary.version}" + (
            f", the first release with {_name(Boundary(commit=boundary.commit, pr=boundary.pr))}"
            if boundary.commit
            else ""
        )
    return _unreleased(version, boundary, knowledge)


def _by_range(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    """Every release that a series or a range leaves open lies on one side of the change.

    A fork of a release holds what that holds; what it has picked besides is not known.
    """
    if not boundary.version or build.version or build.branch == "main":
        return Truth.UNKNOWN, ""
    edge = order_key(boundary.version)
    if build.least and order_key(build.least) >= edge:
        return Truth.YES, f"{_name(boundary)} is already in {build.least}, and the build is that or later"
    if build.below and not build.fork and order_key(build.below) <= edge:
        return Truth.NO, f"the build is before {build.below}, {_name(boundary)} is not in any release before that"
    return Truth.UNKNOWN, ""


def _both_published(one: str, other: str, knowledge: Knowledge | None) -> bool:
    """Whether two candidates of one release were both published: then their numbers order them."""
    return knowledge is not None and None not in (knowledge.release(one), knowledge.release(other))


def _unreleased(version: str, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    if knowledge is None:
        return Truth.UNKNOWN, ""
    tag = knowledge.tags.get(f"v{version}") or knowledge.tags.get(version)
    here = on_main(tag.main, knowledge) if tag and tag.main else None
    target = _place(boundary, knowledge)
    if here and target:
        truth = truth_of(here.position >= target.position)
        side = "after" if truth is Truth.YES else "before"
        branched = f"{version} branched from main at {here.sha} of {here.date}"
        return truth, f"{branched}, {side} {_name(boundary)} of {target.date}"
    release = knowledge.release(version)
    if release and release.date and boundary.date and release.date < date.fromisoformat(boundary.date):
        return Truth.NO, f"{version} of {release.date} is older than {_name(boundary)}, merged {boundary.date}"
    return Truth.UNKNOWN, ""


def _ordered(version: str) -> bool:
    """Releases and tagged pre-releases have a place by number; dev builds do not."""
    parsed = parse_version(version)
    return parsed is not None and not parsed.is_devrelease and (is_release(version) or parsed.is_prerelease)


def _by_date(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    merged = boundary.date
    if merged is None and knowledge is not None:
        target = _place(boundary, knowledge) or _left_main(boundary.version, knowledge)
        merged = target.date.isoformat() if target else None
    if merged is None or (build.version and _ordered(build.version) and build.branch != "main"):
        return Truth.UNKNOWN, ""
    day = date.fromisoformat(merged)
    if build.latest and build.latest < day:
        return (
            Truth.NO,
            f"the build is from {build.latest} or before, {_name(boundary)} was merged on {merged} (placed by date)",
        )
    lag = 0 if build.branch == "main" else _longest_lag(knowledge) if knowledge and not build.branch else None
    if build.earliest and lag is not None and build.earliest > day + timedelta(days=lag) and not build.fork:
        later = f", and no release is out later than {lag} days after it left main" if lag else ""
        return (
            Truth.YES,
            f"the build is from {build.earliest} or later, {_name(boundary)} was merged on {merged}{later}"
            " (placed by date)",
        )
    return Truth.UNKNOWN, ""


def _left_main(version: str | None, knowledge: Knowledge) -> Commit | None:
    """The commit of main at which a release branched."""
    tag = knowledge.tags.get(f"v{version}") or knowledge.tags.get(version or "")
    return on_main(tag.main, knowledge) if tag and tag.main else None


@lru_cache(maxsize=16)
def _longest_lag(knowledge: Knowledge) -> int | None:
    """Days from the commit of main where a release branched to the day it was out, the most of all that are known."""
    lags = []
    for release in knowledge.releases:
        left = _left_main(release.version, knowledge)
        if left and release.date:
            lags.append((release.date - left.date).days)
    return max(lags, default=None)


def _by_floor(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Verdict:
    """A dev build comes after the last release before its number; what that release holds, it holds.

    So does a checkout: it comes after every release before the one it is counted from.
    """
    version = build.version
    parsed = parse_version(version) if version else None
    placed = parsed is not None and (parsed.is_devrelease or since_release(version or ""))
    if not placed or not boundary.version:
        return Truth.UNKNOWN, ""
    number = base(version or "")
    edge = base(boundary.version)
    if number is not None and edge is not None and edge < number:
        return Truth.YES, f"{version} was built after {boundary.version}"
    return Truth.UNKNOWN, ""


def _older(tag: Tag, commit: Commit, knowledge: Knowledge) -> bool:
    """Whether the tag left main before the commit."""
    base_of_tag = on_main(tag.main, knowledge) if tag.main else None
    return base_of_tag is None or base_of_tag.position < commit.position


def nearest_release(build: Build, knowledge: Knowledge | None) -> str | None:
    """The release whose settings and pins hold for this build: its own, or the last one before its commit or date.

    A commit of main younger than every release line has `main`'s settings, where those were read. A checkout has those
    of the release it is counted from, the nearest below it. None when the build has no place: a fork's commit, say,
    whose version number is only the last tag before it.
    """
    if build.version and parse_version(build.version) and not build.commit:
        return build.version.removeprefix("v")
    if knowledge is None:
        return build.version
    commit = on_main(build.commit, knowledge) if build.commit else None
    if (
        commit
        and "main" in knowledge.releases_read
        and all(_older(tag, commit, knowledge) for tag in knowledge.tags.values())
    ):
        return "main"
    if build.version and (counted := since_release(build.version)):
        return counted
    day = commit.date if commit else build.latest
    dated = [one for one in knowledge.releases if one.date and day and one.date <= day]
    return dated[-1].version if dated else None
