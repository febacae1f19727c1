"""What is wrong with a deployment itself: settings its release does not have, a build that is not what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

from advisor.catalog.compiled import rules
from advisor.catalog.engines import engines, knowledge
from advisor.catalog.replacements import replacements
from advisor.match.contradictions import contradictions
from advisor.match.misfits import Release, misfits
from advisor.match.view import View
from advisor.model.build import Build, order_key
from advisor.model.case import Case
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch
from advisor.model.report import Discrepancy
from advisor.model.rule import LEVELS, Fix
from advisor.redaction import redact


@cache
def _fixes() -> tuple[Fix, ...]:
    return tuple(fix for rule in rules().rules for fix in rule.fixes)


def discrepancies(view: View) -> tuple[Discrepancy, ...]:
    """Every discrepancy of a case, errors first; the same thing said of several ranks is said once."""
    found = [each for one in view.case.launches for each in _misfits(one, view)]
    known = view.layer(view.case.build.engine).knowledge
    named = _fixes() if view.case.build.holdings else ()  # only then is any asked for: they take every rule to find
    return _told([*_engines(view.case), *found, *contradictions(view.case, known, named)])


def _engines(case: Case) -> Iterable[Discrepancy]:
    """That another engine shows in the evidence than is judged."""
    for one in case.notes:
        if one.kind == "engines":
            engine, place = case.build.engine, str(one.span or "")
            yield Discrepancy("engines-mixed", "warning", "build", engine, place, "", one.text, "", False, ())


def of_settings(view: View) -> tuple[Discrepancy, ...]:
    """The settings and variables that do not fit of a file that starts what it says, told as of a case.

    What stands in such a file is given to the engine, whatever else may be.
    """
    typed = [replace(one, complete=one.complete or one.exact) for one in view.case.launches]
    return _told([each for one in typed for each in _misfits(one, view, deployed=True)])


def _misfits(launch: Launch, view: View, *, deployed: bool = False) -> Iterable[Discrepancy]:
    known = view.knowledge
    if known is None or not known.releases_read or launch.engine not in ("", *view.engines):
        return ()  # a plugin's launch takes the flags of the engine below it
    by = partial(foreign, known=known)
    return misfits(
        launch, known, release_at(view), lambda: replacements(known.engine), by, _added(view), deployed=deployed
    )


def _added(view: View) -> Callable[[str], tuple[Value, ...]]:
    """The values that a plugin adds to those that a flag of the engine below it takes (`--quantization ascend`)."""

    def added(flag: str) -> tuple[Value, ...]:
        found = [one.knowledge.setting(flag, one.build.version) for one in view.layers[1:] if one.knowledge]
        return tuple(choice for one in found if one is not None for choice in one.choices or ())

    return added


def _told(found: Sequence[Discrepancy]) -> tuple[Discrepancy, ...]:
    if not found:
        return ()
    first = {(one.code, one.typed, one.says): one for one in reversed(found)}
    kept = [one for one in found if first[one.code, one.typed, one.says] is one]
    shown = [replace(one, says=redact(one.says), quote=redact(one.quote)) for one in kept]
    return tuple(sorted(shown, key=lambda one: LEVELS.index(one.level)))


def release_at(view: View) -> Release | None:
    """The release whose settings a case is judged by; None when none stands for its build."""
    known = view.knowledge
    if known is None or not known.releases_read:
        return None
    return release_of(view.base, view.release, known, _pinned_by(view))


def _pinned_by(view: View) -> str:
    """The plugin's release that is made for the very engine below it, where that is all that is known of the engine."""
    above = view.layers[1] if len(view.layers) > 1 and view.base.origin == "default" else None
    if above is None or above.knowledge is None or not above.build.version:
        return ""
    changed = above.build.commit or above.build.fork or above.build.branch == "main"
    is_release = above.knowledge.release(above.build.version) is not None
    return above.build.label() if is_release and not changed and above.build.origin != "inferred" else ""


@lru_cache(maxsize=1024)
def release_of(build: Build, nearest: str | None, known: Knowledge, pinned_by: str = "") -> Release | None:
    """The release whose settings stand for a build; None when none does: no place, or older than all that were read.

    `pinned_by`: the release of a plugin that is made for this one.
    """
    read = known.releases_read
    if nearest is None or order_key(nearest) < order_key(read[0]):
        return None
    own = bool(build.version) and order_key(build.version or "") == order_key(nearest)
    followed = build.origin == "inferred" or (build.origin == "default" and not pinned_by)
    changed = build.commit or build.fork or build.branch == "main" or followed
    exact = own and known.reads(nearest) and not changed
    at = max((one for one in read if order_key(one) <= order_key(nearest)), key=order_key)
    return Release(at, exact, () if exact else _ahead(at, read), pinned_by if exact else "")


def _ahead(at: str, read: tuple[str, ...]) -> tuple[str, ...]:
    """The releases up to the next minor one: a build of main that comes after `at` may be on the way to any of them."""
    later = sorted((one for one in read if order_key(one) > order_key(at)), key=order_key)
    minor = next(
        (place for place, one in enumerate(later) if order_key(one).release[:2] > order_key(at).release[:2]), 0
    )
    return tuple(later[: minor + 1])


# Flags by which the engines set one thing, by what it is; names are those of the engines' own parsers.
_GROUPS = {
    "context length": ("--max-model-len", "--context-length", "--session-len"),
    "share of memory": ("--gpu-memory-utilization", "--mem-fraction-static", "--cache-max-entry-count"),
    "running requests": ("--max-num-seqs", "--max-running-requests", "--max-batch-size"),
    "served name": ("--served-model-name", "--model-name"),
    "trust": ("--trust-remote-code",),
    "reasoning": ("--reasoning-parser", "--enable-reasoning"),
    "adapters": ("--lora-modules", "--lora-paths", "--adapters"),
    "port": ("--port", "--server-port"),
    "host": ("--host", "--server-name"),
}


def _own(name: str, known: Knowledge) -> str | None:
    """The flag by which this engine sets the same thing."""
    return next(
        (one for one in _GROUPS.get(name, ()) if known.setting(one, None) and known.records(one)[-1].until is None),
        None,
    )


def foreign(flag: str, known: Knowledge) -> tuple[str | None, str]:
    """This engine's flag for one that another engine has, and which engine that is; None and "" when none has it.

    Two flags are the same where both engines derive the same fact from them (`topology.tp`), or have the same name.
    """
    for engine in engines():
        other = knowledge(engine)
        name = other.canonical(flag) if engine != known.engine else None
        if name is None:
            continue
        of = f"it is a flag of {engine}"
        for fact, recipe in (other.profile.get("facts") or {}).items():
            ours = (known.profile.get("facts") or {}).get(fact, {}).get("settings") or ()
            if name in (recipe.get("settings") or ()) and ours:
                return str(ours[0]).partition(".")[0], of
        same = next((meant for meant, names in _GROUPS.items() if name in names), "")
        return _own(same, known), of
    return None, ""
