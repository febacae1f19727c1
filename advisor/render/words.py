"""The words for what a report says in codes: plain, and never stronger than the code.

Everything printed about a status, a proof or an origin comes from here: no output can promise more than another.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.condition import show
from advisor.model.fact import Value
from advisor.model.report import BuildOut, Discrepancy, FactOut, Finding, FixOut, RemedyOut, Status
from advisor.model.rule import Proof
from advisor.render.blocks import Tone
from advisor.render.language import counted as counted
from advisor.render.language import say
from advisor.render.layout import is_wide

LABELS: dict[Status, str] = {
    "matched": "MATCHED",
    "likely": "LIKELY",
    "possible": "POSSIBLE",
    "exposed": "EXPOSED",
    "ruled_out": "RULED OUT",
}
TONES: dict[Status, Tone] = {
    "matched": "alarm",
    "likely": "warn",
    "possible": "calm",
    "exposed": "calm",
    "ruled_out": "faint",
}
PROOF: dict[Proof, str] = {
    "released": "released",
    "merged": "merged upstream",
    "maintainer_confirmed": "maintainer confirmed",
    "reporter_verified": "reporter verified",
    "derived": "derived from source, not tried",
    "suggested": "suggested, not verified",
}
CAUSE = {
    "established": "established upstream",
    "proposed": "proposed upstream, not established",
    "unknown": "not known upstream",
}
COMPLETENESS = {
    "complete": "a complete fix",
    "partial": "a partial fix",
    "unverified_for_this_case": "not verified for this very case",
}
HAS_FIX = {"yes": "has it", "no": "does not have it", "unknown": "not known whether it has it"}
FIXED_HERE = {
    "yes": ("fix in this build", "fixes in this build"),
    "no": ("fix not in this build", "fixes not in this build"),
    "unknown": ("fix not known to be in this build", "fixes not known to be in this build"),
}
SOME_FIXED = {
    "yes": "{count} in this build",
    "no": "{count} not in this build",
    "unknown": "{count} not known to be in this build",
}
ANSWERS: dict[Status, str] = {
    "matched": "Yes: {can}; {seen}.",
    "likely": "Probably: {can}; {seen}.",
    "possible": "Perhaps: {can}; {seen}.",
    "exposed": "It can: {can}; {seen}.",
    "ruled_out": "No: {can}; {seen}.",
}
SIGNATURE = {
    "yes": "the signature that tells it from its look-alikes was seen",
    "no": "what was seen decides against its signature",
    "unknown": "its signature was not seen in what was given",
}
EXPOSURE = {
    "yes": "this build and launch can meet it",
    "no": "this build or launch cannot meet it",
    "unknown": "whether this build and launch can meet it is not known",
}
STATES = {"open": "open, not merged", "closed": "closed without being merged", "fork": "only in a fork"}
UNITS = (("{count} d", 86400), ("{count} h", 3600), ("{count} min", 60), ("{count} s", 1))


def refused(build: BuildOut, unfit: list[Discrepancy]) -> str:
    """The conclusion about a launch whose engine will not start with it."""
    subjects = list(dict.fromkeys(one.typed for one in unfit))
    named = say(", ").join(subjects[:3])
    if len(subjects) > 3:
        named = say("{named} and {count} more", named=named, count=len(subjects) - 3)
    if not all(one.code.startswith("setting-") for one in unfit):
        return say("Does not fit together: {named}.", named=named)
    engine = f"{build.engine} {build.version or ''}".strip() or say("This engine")
    return say("{engine} does not start with this command line: {named}.", engine=engine, named=named)


def origin(fact: FactOut) -> str:
    """How a fact is known, in parentheses, where it was not read off what the machine printed or the user typed."""
    if fact.origin == "default":
        said = fact.says.lower()
        if any(one in said for one in ("not observed", say("not observed"))):
            return ""
        known = any(one in said for one in ("default", say("default")))
        return say(" (not observed)") if known else say(" (default, not observed)")
    if fact.origin == "derived":
        return say(" (derived)")
    return say(" (as stated)") if fact.origin == "stated" and not fact.place else ""


def fact(one: FactOut) -> str:
    """A fact in a line, with its rank and how it is known, without its place."""
    said = f"{one.says or f'{one.name} = {show(one.value)}'}{origin(one)}"
    if one.rank and f"rank {one.rank}" not in one.says.lower():
        return say("rank {rank}: {said}", rank=one.rank, said=said)
    return said


def applies(finding: Finding) -> str:
    """Does it apply here: the two judgements behind the status, each in words."""
    can, seen = say(EXPOSURE[finding.exposure]), say(SIGNATURE[finding.signature])
    return say(ANSWERS[finding.status], can=can, seen=seen)


def state(fix: FixOut) -> str:
    """Where upstream stands with a fix."""
    if fix.state == "merged":
        return say("merged {date}", date=fix.merged) if fix.merged else say("merged")
    return say(STATES.get(fix.state, fix.state))


def fix_name(fix: FixOut) -> str:
    """`repo#pr`, or the repository alone for a change without a pull request."""
    return f"{fix.repo}#{fix.pr}" if fix.pr is not None else fix.repo


def releases(fix: FixOut, every: bool) -> list[str]:
    """Which releases hold a fix, how that is known, and all their names when everything is asked for."""
    said = fix.releases_says or (
        say("first in {first}, newest {newest}", first=fix.releases[0], newest=fix.releases[-1])
        if fix.releases
        else say("no release is known to hold it")
    )
    by = say(" (by {means})", means=say(", ").join(map(say, fix.releases_by))) if fix.releases_by else ""
    many = every and len(fix.releases) > 1
    named = [say("held by {releases}", releases=say(", ").join(fix.releases))] if many else []
    return [say("releases: {said}{by}", said=said, by=by), *named]


def change(remedy: RemedyOut) -> str:
    """What a remedy changes, for when there is no file to show it in; "" when its own words say as much."""
    edits = remedy.do in ("set", "unset", "env")
    told = [show(one) for one in remedy.change.values() if one is not None] + (list(remedy.change) if edits else [])
    if all(one in remedy.what for one in told):
        return ""
    given = [
        typed(key, one) if edits else f"{key}: {show(one)}" for key, one in remedy.change.items() if one is not None
    ]
    gone = [key for key, one in remedy.change.items() if one is None]
    names, settings = say(", ").join(gone), say(", ").join(given)
    if not edits:
        return listed((say("remove {names}", names=names) if gone else "", settings))
    if gone and given:
        return say("Remove {names}; set {settings}", names=names, settings=settings)
    return say("Remove {names}", names=names) if gone else say("Set {settings}", settings=settings) if given else ""


def typed(name: str, given: Value) -> str:
    """A flag or variable as it is typed: gflags (`--enable_shm=false`), switches (`--eager-mode`), `NAME=value`."""
    if not name.startswith("-") or "_" in name:
        return f"{name}={show(given)}"
    if given is True:
        return name
    return say("no {name}", name=name) if given is False else f"{name} {show(given)}"


def duration(seconds: int) -> str:
    """`1 h 6 min` for 3960: every unit that is not zero, for a least time must not be rounded down."""
    parts: list[str] = []
    for unit, size in UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(say(unit, count=count))
    return " ".join(parts) or say("{count} s", count=0)


def value(one: Value) -> str:
    """A setting's value as typed; a switch's `null` as a dash."""
    return "-" if one is None else show(one)


def sentence(text: str) -> str:
    """The text, ending in a full stop."""
    text = text.strip()
    if not text or text.endswith((".", "!", "?", "。", "！", "？", ":")):
        return text
    return f"{text}。" if is_wide(text[-1]) else f"{text}."


def first_sentence(text: str) -> str:
    """The first sentence, for lines that must be short. A version such as 0.30.0 does not end one."""
    said = " ".join(text.split())
    ends = [at for mark in (". ", "; ", "。", "；") if (at := said.find(mark)) >= 0]
    return said[: min(ends)] if ends else said.rstrip(".。")


def because(what: str, why: str) -> str:
    """What, and after a dash why."""
    if not why.strip():
        return sentence(what)
    return sentence(say("{what} — {why}", what=unstopped(what), why=why.strip()))


def unstopped(text: str) -> str:
    """The text without its full stop, for what goes on behind it."""
    return text.strip().rstrip(".。")


def listed(parts: Iterable[str]) -> str:
    """The parts that say something, in one line."""
    return say("; ").join(part for part in parts if part)
