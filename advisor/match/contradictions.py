"""A case -> where its build is not what it says: each contradiction a discrepancy of its own.

    build-holds-more          0.28.0 does not hold #54436, its files do: patched, picked, or another version
    build-holds-less          0.30.0 holds #54436, its files do not: reverted, edited, or another version
    build-version-conflict    --version says 0.28.0, the log 0.27.1
    build-unknown-release     9.9.9 is no release known here: a slip, or younger than what is known
    build-edited              3 of 3,870 installed files are not what was installed
    build-duplicate-install   two copies of the engine in one environment
    component-conflict        NCCL 2.27.3 is mapped, 2.28.9 installed

What is judged is said in each; none of it changes the judgement. A library pinned otherwise than it is seen is a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from advisor.match.builds import contains
from advisor.match.holdings import listed, since_release
from advisor.model.build import Build, Holding, is_release, local_commit, order_key, public, same_commit
from advisor.model.case import Case
from advisor.model.fact import Fact, printed_versions
from advisor.model.knowledge import Knowledge
from advisor.model.report import Discrepancy, SourceOut
from advisor.model.rule import Boundary, Fix, Level
from advisor.model.shape import Shape
from advisor.model.truth import Truth

COMPARED = ("nccl", "torch", "torch_npu", "deep_ep", "hccl")
"""Libraries of which one process loads one version; of CUDA and its driver several versions are ordinary."""

PATCHED = "patched"
"""What a build is called a fork of when its own files are not those of the release it names."""

_BINARY = Shape(r"cu\d+|cpu|rocm[\d.]*|xpu")  # 0.11.0+cu129: how a release was built, not whose it is


def contradictions(case: Case, knowledge: Knowledge | None, fixes: Iterable[Fix]) -> tuple[Discrepancy, ...]:
    """Every contradiction about the build; `fixes` are those that rules name, knowledge that of the case's engine."""
    found = [*_versions(case), *_copies(case), *_edited(case)]
    if knowledge is not None:
        found += _unknown_release(case, knowledge)
        found += _holdings(case.build, knowledge, fixes)
    return (*found, *_components(case, knowledge))


def _found(code: str, level: Level, subject: str, typed: str, place: str, says: str, *, quote: str = "") -> Discrepancy:
    return Discrepancy(code, level, subject, typed, place, quote, says, "", False, ())


# the build's content


def belied(holding: Holding, bare: Build, knowledge: Knowledge) -> bool:
    """Whether a holding says otherwise than the build without any: its version, or its commit's place."""
    return holding.held is not None and _claimed(holding, bare, knowledge)[0] not in (None, holding.held)


def _claimed(holding: Holding, bare: Build, knowledge: Knowledge) -> tuple[bool | None, str]:
    """Whether the version or commit alone would hold the change, and why."""
    by_key = knowledge.fixes.get(f"{holding.repo}#{holding.pr}") or knowledge.fixes.get(
        f"{holding.repo}@{holding.commit}"
    )
    held = listed(bare, by_key) if by_key else None
    if held is not None and by_key is not None:
        return held, f"{bare.version} {'holds' if held else 'lacks'} it ({', '.join(by_key.by)})"
    boundary = Boundary(by_key.first() if by_key else None, holding.commit, holding.pr)
    truth, why = contains(bare, boundary, knowledge)
    return {Truth.YES: True, Truth.NO: False}.get(truth), why


def _holdings(build: Build, knowledge: Knowledge, fixes: Iterable[Fix]) -> Iterator[Discrepancy]:
    if not build.holdings:
        return
    bare = build.but(holdings=())
    told: dict[tuple[int | None, str | None], list[Holding]] = {}
    for one in build.holdings:
        told.setdefault((one.pr, one.commit), []).append(one)
    named = list(fixes)
    for holdings in told.values():
        decided = [one for one in holdings if one.held is not None]
        chosen = next((one for one in decided if one.by == "fingerprint"), decided[0] if decided else None)
        if chosen is None:
            continue
        fix = next((one for one in named if _is_fix(one, chosen)), None)
        against = next((one for one in decided if one.held is not chosen.held), None)
        claim, why = _claimed(chosen, bare, knowledge)
        if against is not None:
            yield _belying(build, chosen, against.says, fix)
        elif claim is not None and claim is not chosen.held:
            yield _belying(build, chosen, why, fix)


def _is_fix(fix: Fix, holding: Holding) -> bool:
    if fix.repo != holding.repo:
        return False
    same = bool(fix.commit and holding.commit) and same_commit(fix.commit or "", holding.commit or "")
    return same or (fix.pr is not None and fix.pr == holding.pr)


def _belying(build: Build, chosen: Holding, against: str, fix: Fix | None) -> Discrepancy:
    name = f"{chosen.repo}#{chosen.pr}" if chosen.pr is not None else f"{chosen.repo}@{(chosen.commit or '')[:12]}"
    code = "build-holds-more" if chosen.held else "build-holds-less"
    what = "its content holds" if chosen.held else "its content does not hold"
    says = f"{build.label()}: {what} {name}: {chosen.says}; yet {against}; judged by what was seen"
    level: Level = "note" if chosen.held else "warning"
    sources = tuple(map(SourceOut.of, fix.source)) if fix else ()
    return Discrepancy(code, level, "build", build.text or build.label(), "", chosen.says, says, "", False, sources)


# the build's version


def _versions(case: Case) -> Iterator[Discrepancy]:
    """One discrepancy for every version said or seen that is another than the one judged."""
    build = case.build
    here = build.version
    if not here:
        return
    said = tuple(_said(case))
    judged = next((one for one in said if str(one.value) == here), None)
    beside: dict[str, Fact] = {}
    for fact in said:
        if _differ(here, build.commit, str(fact.value)):
            beside.setdefault(str(fact.value), fact)
    for version, fact in beside.items():
        by = f" ({_place(judged)})" if judged is not None and _place(judged) else ""
        says = f"{_place(fact) or 'the evidence'} says {build.engine} {version}; judged as {here}{by}"
        yield _found("build-version-conflict", "warning", "build", version, _place(fact), says, quote=fact.quote)


def _said(case: Case) -> Iterator[Fact]:
    engine = case.build.engine
    printed = printed_versions(case.facts, engine)
    for fact in case.facts:
        mine = fact.name in ("build.version", f"component.{engine}") or fact in printed
        if mine and isinstance(fact.value, str) and public(fact.value) is not None:
            yield fact


def _place(fact: Fact) -> str:
    return str(fact.span or "")


def _differ(here: str, commit: str | None, other: str) -> bool:
    """Whether two versions cannot be one build's. A checkout's number is only the release below it: commits decide."""
    mine, theirs = local_commit(here) or commit, local_commit(other)
    if mine and theirs:
        return not same_commit(mine, theirs)
    if since_release(here) or since_release(other):
        return False
    return public(here) != public(other)


def _copies(case: Case) -> Iterator[Discrepancy]:
    copies = [one for one in case.facts if one.name == "build.copy"]
    if len(copies) > 1:
        first, *more = copies
        told = ", ".join(f"{one.value} in {_place(one)}" for one in more)
        says = f"{case.build.engine} is installed more than once: {told}; judged as {first.value} in {_place(first)}"
        yield _found("build-duplicate-install", "warning", "build", str(first.value), _place(first), says)


def _edited(case: Case) -> Iterator[Discrepancy]:
    for fact in (one for one in case.facts if one.name == "build.edited"):
        yield _found(
            "build-edited", "warning", "build", case.build.text or case.build.label(), _place(fact), fact.quote
        )


def _unknown_release(case: Case, knowledge: Knowledge) -> Iterator[Discrepancy]:
    """A release number that upstream did not publish, as far as is known; never a fork's, nor one before the first."""
    build = case.build
    version = public(build.version) if build.version and is_release(build.version) else None
    if version is None or build.commit or build.branch or build.fork not in ("", PATCHED) or not knowledge.releases:
        return
    local = (build.version or "").partition("+")[2]
    if (
        str(version) in _numbers(knowledge)  # as written: to read all takes far longer
        or version in _published(knowledge)
        or version < order_key(knowledge.releases[0].version)
        or (local and not _BINARY.fullmatch(local))
    ):
        return
    newest = max(knowledge.releases, key=lambda one: order_key(one.version))
    day, read = newest.date, knowledge.about("releases").get("read", "")
    says = f"{build.engine} {build.version} is no release known here; the newest is {newest.version}"
    says += (f" of {day}" if day else "") + (f" (read {read})" if read else "")
    fact = next((one for one in _said(case) if str(one.value) == build.version), None)
    place = _place(fact) if fact else ""
    yield _found("build-unknown-release", "warning", "build", build.version or "", place, says)


@cache
def _numbers(knowledge: Knowledge) -> frozenset[str]:
    return frozenset(one.version for one in knowledge.releases)


@cache
def _published(knowledge: Knowledge) -> frozenset[object]:
    """Every version that upstream gave a release or a tag."""
    return frozenset(order_key(one) for one in (*(each.version for each in knowledge.releases), *knowledge.tags))


# libraries


def _components(case: Case, knowledge: Knowledge | None) -> Iterator[Discrepancy]:
    for name in COMPARED:
        given: dict[str, tuple[str, str]] = {}
        for version, place in _given(case, name):
            given.setdefault(_bare(version), (version, place))
        if len(given) > 1:
            told = ", ".join(f"{version}{f' by {place}' if place else ''}" for version, place in given.values())
            says = f"{name} is given in {len(given)} versions: {told}; which one does every rank load?"
            first = next(iter(given.values()))
            yield _found("component-conflict", "warning", name, first[0], first[1], says)
        elif given and knowledge is not None:
            yield from _unpinned(case, knowledge, name, *next(iter(given.values())))


def _given(case: Case, name: str) -> Iterator[tuple[str, str]]:
    for fact in case.facts:
        if fact.name == f"component.{name}" and isinstance(fact.value, str):
            yield fact.value, _place(fact)
    for one in case.build.components:
        if one.name == name:
            yield one.version, one.where


def _unpinned(case: Case, knowledge: Knowledge, name: str, version: str, place: str) -> Iterator[Discrepancy]:
    """A note where the engine's release brings another version than the one seen."""
    build = case.build
    release = knowledge.release(build.version) if build.version and not build.commit else None
    if release is None or name not in ("nccl", "torch"):
        return
    arch = next((str(one.value) for one in case.facts if one.name == "hardware.arch"), "")
    pinned = release.nccl.get(arch) if name == "nccl" else release.pins.get("torch", "").partition("==")[2]
    if pinned and _bare(pinned) != _bare(version):
        says = f"{name} here is {version}; {build.engine} {release.version} brings {pinned}; judged by {version}"
        yield _found("component-conflict", "note", name, version, place, says)


def _bare(version: str) -> str:
    return version.partition("+")[0].strip()
