"""Knowledge -> the releases of an engine, and which releases hold a rule's fixes."""

from __future__ import annotations

from difflib import get_close_matches

from advisor.errors import UsageError
from advisor.jobs.explain import find, fixes
from advisor.jobs.fixing import knowledge_of
from advisor.jobs.flags import NEWEST, known_with
from advisor.jobs.judging import catalogue
from advisor.model.build import order_key, public
from advisor.model.knowledge import Knowledge
from advisor.model.reference import FixHolders, ReleaseOut, ReleasesOut
from advisor.model.report import FixOut
from advisor.model.rule import Fix


def releases(engine: str, version: str = "") -> ReleasesOut:
    """Every release of an engine or component, or the one asked for. Raises UsageError with the nearest names."""
    known = known_with("releases", lambda one: one.releases, engine)
    brought = _brought(known)
    found = [
        ReleaseOut(
            version=one.version,
            date=one.date.isoformat() if one.date else "",
            commit=one.commit or "",
            pins=dict(sorted(one.pins.items())),
            nccl={arch: nccl for arch, nccl in sorted(one.nccl.items()) if nccl},
            brings=brought.get(one.version, ()),
        )
        for one in known.releases
    ]
    if version:
        found = [_one(found, version, known.engine)]
    about = known.about("releases")
    return ReleasesOut(known.engine, about.get("read", ""), about.get("source", ""), tuple(found))


def _one(found: list[ReleaseOut], version: str, engine: str) -> ReleaseOut:
    wanted = [one for one in found if one.version != "main"][-1].version if version in NEWEST else version
    for one in found:
        if one.version == wanted or (public(wanted) is not None and public(one.version) == public(wanted)):
            return one
    newer = public(wanted) is not None and order_key(wanted) > order_key(found[-1].version)
    near = [] if newer else get_close_matches(wanted.removeprefix("v"), [one.version for one in found], 3)
    hint = f"nearest: {', '.join(near)}" if near else f"newest: {found[-1].version}"
    raise UsageError(f"{engine} {version} is no release known here", "VERSION", hint)


def _brought(known: Knowledge) -> dict[str, tuple[str, ...]]:
    """Release -> the fixes of rules that it is the first to hold: `#54436 (vllm/pp-broadcast-skew)`."""
    found: dict[str, dict[str, list[str]]] = {}
    for rule in catalogue():
        for fix in rule.fixes:
            record = known.fixes.get(fix.key())
            first = record.first() if record else None
            if first:
                name = f"#{fix.pr}" if fix.pr else (fix.commit or "")[:12]
                found.setdefault(first, {}).setdefault(name, []).append(rule.id)
    return {
        release: tuple(f"{name} ({', '.join(sorted(set(rules)))})" for name, rules in sorted(names.items()))
        for release, names in found.items()
    }


def fix_holders(name: str) -> tuple[FixHolders, ...]:
    """Every fix of a rule with the releases that hold and lack it, and how that is known. Raises UsageError."""
    rule = find(name)
    shown = dict(zip(rule.fixes, fixes(rule), strict=True))
    return tuple(_holders(rule.id, fix, out) for fix, out in shown.items())


def _holders(rule: str, fix: Fix, out: FixOut) -> FixHolders:
    known = knowledge_of(fix)
    record = known.fixes.get(fix.key()) if known else None
    held = tuple(sorted(record.held_by, key=order_key)) if record else ()
    lacked = tuple(sorted(record.lacked_by, key=order_key)) if record else ()
    told = {*held, *lacked}
    listed = [one.version for one in known.releases if one.version != "main"] if known else []
    mark = fix.fingerprint
    marks = [f"{mark.file} holds {mark.present!r}"] if mark and mark.present else []
    marks += [f"{mark.file} no longer holds {mark.absent!r}"] if mark and mark.absent else []
    return FixHolders(
        rule=rule,
        fix=out,
        held_by=held,
        lacked_by=lacked,
        open=tuple(one for one in listed if one not in told),
        note=(record.note or "") if record else "",
        fingerprints=tuple(marks),
        needs=tuple(f"{one.commit[:12]}{f' (#{one.pr})' if one.pr else ''}: {one.why}" for one in fix.needs),
    )
