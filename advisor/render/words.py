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
FIXED = {"yes": "in", "no": "not in", "unknown": "not known to be in"}
NOTHING_MATCHES = "No documented failure matches what was given. That is not a clean bill of health."


def refused(build: BuildOut, unfit: list[Discrepancy]) -> str:
    """The conclusion about a launch whose engine will not start with it."""
    subjects = list(dict.fromkeys(one.typed for one in unfit))
    named = ", ".join(subjects[:3]) + (f" and {len(subjects) - 3} more" if len(subjects) > 3 else "")
    about = all(one.code.startswith("setting-") for one in unfit)
    engine = f"{build.engine} {build.version or ''}".strip() or "This engine"
    return f"{engine} does not start with this command line: {named}." if about else f"Does not fit together: {named}."


def origin(fact: FactOut) -> str:
    """How a fact is known, in parentheses, where it was not read off what the machine printed or the user typed."""
    if fact.origin == "default":
        said = fact.says.lower()
        return "" if "not observed" in said else " (not observed)" if "default" in said else " (default, not observed)"
    if fact.origin == "derived":
        return " (derived)"
    return " (as stated)" if fact.origin == "stated" and not fact.place else ""


def fact(one: FactOut) -> str:
    """A fact in a line, with its rank and how it is known, without its place."""
    rank = f"rank {one.rank}: " if one.rank and f"rank {one.rank}" not in one.says.lower() else ""
    return f"{rank}{one.says or f'{one.name} = {show(one.value)}'}{origin(one)}"


def applies(finding: Finding) -> str:
    """Does it apply here: the two judgements behind the status, each in words."""
    seen = {
        "yes": "the signature that tells it from its look-alikes was seen",
        "no": "what was seen decides against its signature",
        "unknown": "its signature was not seen in what was given",
    }[finding.signature]
    can = {
        "yes": "this build and launch can meet it",
        "no": "this build or launch cannot meet it",
        "unknown": "whether this build and launch can meet it is not known",
    }[finding.exposure]
    answer = {"matched": "Yes", "likely": "Probably", "possible": "Perhaps", "exposed": "It can", "ruled_out": "No"}
    return f"{answer[finding.status]}: {can}; {seen}."


def state(fix: FixOut) -> str:
    """Where upstream stands with a fix."""
    if fix.state == "merged":
        return f"merged {fix.merged}" if fix.merged else "merged"
    return {"open": "open, not merged", "closed": "closed without being merged", "fork": "only in a fork"}.get(
        fix.state, fix.state
    )


def fix_name(fix: FixOut) -> str:
    """`repo#pr`, or the repository alone for a change without a pull request."""
    return f"{fix.repo}#{fix.pr}" if fix.pr is not None else fix.repo


def releases(fix: FixOut, every: bool) -> list[str]:
    """Which releases hold a fix, how that is known, and all their names when everything is asked for."""
    by = f" (by {', '.join(fix.releases_by)})" if fix.releases_by else ""
    said = fix.releases_says or (
        f"first in {fix.releases[0]}, newest {fix.releases[-1]}" if fix.releases else "no release is known to hold it"
    )
    named = [f"held by {', '.join(fix.releases)}"] if every and len(fix.releases) > 1 else []
    return [f"releases: {said}{by}", *named]


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
    verb = "set " if edits else ""
    said = listed((f"remove {', '.join(gone)}" if gone else "", f"{verb}{', '.join(given)}" if given else ""))
    return f"{said[0].upper()}{said[1:]}" if edits else said


def typed(name: str, given: Value) -> str:
    """A flag or variable as it is typed: gflags (`--enable_shm=false`), switches (`--eager-mode`), `NAME=value`."""
    if not name.startswith("-") or "_" in name:
        return f"{name}={show(given)}"
    if given is True:
        return name
    return f"no {name}" if given is False else f"{name} {show(given)}"


def duration(seconds: int) -> str:
    """`1 h 6 min` for 3960: every unit that is not zero, for a least time must not be rounded down."""
    parts: list[str] = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"


def counted(count: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def value(one: Value) -> str:
    """A setting's value as typed; a switch's `null` as a dash."""
    return "-" if one is None else show(one)


def sentence(text: str) -> str:
    """The text, ending in a full stop."""
    text = text.strip()
    return text if not text or text.endswith((".", "!", "?", "。", "！", "？", ":")) else f"{text}."


def first_sentence(text: str) -> str:
    """The first sentence, for lines that must be short. A version such as 0.30.0 does not end one."""
    said = " ".join(text.split())
    ends = [at for mark in (". ", "; ", "。", "；") if (at := said.find(mark)) >= 0]
    return said[: min(ends)] if ends else said.rstrip(".")


def because(what: str, why: str) -> str:
    """What, and after a dash why."""
    return sentence(f"{what.strip().rstrip('.。')} — {why.strip()}" if why.strip() else what)


def listed(parts: Iterable[str]) -> str:
    """The parts that say something, in one line."""
    return "; ".join(part for part in parts if part)
