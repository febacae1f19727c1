"""A launch and its release -> the smallest release that clears it of every known exposure and adds none.

    sglang 0.5.18, --tp 4 with SGLANG_REQ_WAITING_TIMEOUT=60    -> 0.5.20; 0.5.19 is skipped: the same rule

Each release that was read is tried in order: its version is put in the place of the file's, flags that it does not take
are replaced as `advisor fix` would, and the file is judged anew. A release counts as clear where no rule is exposed and
no flag is refused. A plugin (vllm-ascend) is what the launches of the engine below it run: its releases are tried,
candidates too, each with the release of that engine for which it is made. What no rule knows of is not cleared: the
answer is as good as the catalogue, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from advisor.catalog.engines import knowledge, named
from advisor.errors import UsageError
from advisor.jobs import upgrade_changes as changing
from advisor.jobs.fix import diff
from advisor.jobs.flags import known_engine
from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.lint_build import engine_of, place
from advisor.jobs.lint_case import units
from advisor.jobs.lint_exposure import undecided
from advisor.jobs.lint_judging import findings_of
from advisor.jobs.mending import Mended, mend
from advisor.jobs.upgrade_changes import Changes
from advisor.launches.files.edit_pins import repinned
from advisor.launches.files.recognise import read_file
from advisor.model.build import is_release, order_key, parse_version
from advisor.model.deployment import Deployment, VersionSource, Workload
from advisor.model.knowledge import Knowledge
from advisor.model.lint import LintFinding
from advisor.model.upgrade import UPGRADE_SCHEMA, Skipped, Undecided, UpgradeReport
from advisor.redaction.cover import covered

FLAGS = "--flags"
SCRIPT = "flags.sh"  # what flags are read as
SETTINGS = frozenset({"setting"})


@dataclass(frozen=True)
class UpgradeRequest:
    """What to upgrade: a file's name and content, or flags. Empty `engine` and `start` are taken from the file."""

    engine: str = ""
    start: str = ""
    limit: str = ""
    flags: str = ""
    name: str = ""
    content: bytes = b""


@dataclass(frozen=True)
class _Tried:
    """One release: the launch mended for it, and what speaks against it."""

    release: str
    mended: Mended
    reasons: tuple[str, ...]


def upgrade(request: UpgradeRequest) -> UpgradeReport:
    """The answer. UsageError where engine or release are not known or not said, or nothing is recognised."""
    known = {one: knowledge(one) for one in named()}
    deployment = _read(request, known)
    engine = _engine(request, deployment)
    start = _start(request, deployment, engine)
    of = known_engine(engine)
    notes = [] if of.reads(start) else [f"the settings of {engine} {start} itself were not read: the release before"]
    if any(not one.launch.model for one in _launches(deployment, engine)):
        notes.append("no model is named: what hangs on the model is not known here")
    first = _try(deployment, engine, start, known)
    now = _of(first.mended.before, deployment, engine)
    needed = any(one.kind == "exposure" or _refused(one) for one in now)
    candidates = list(_candidates(of, start, request.limit))
    best, skipped = (first, []) if not needed else _search(deployment, engine, candidates, known)
    best = best or first
    final, pin_notes = _final(best, deployment, engine, start, known)
    changes, defaults = _changes(of, start, best.release, _launches(deployment, engine))
    found = UpgradeReport(
        schema=UPGRADE_SCHEMA,
        engine=engine,
        start=start,
        limit=request.limit or (candidates[-1] if candidates else start),
        release=best.release,
        clears=not best.reasons if needed else True,
        needed=needed,
        skipped=tuple(skipped),
        now=now,
        remain=_of(best.mended.after, deployment, engine) if best.release != start else now,
        changes=changes,
        defaults=defaults,
        repairs=best.mended.repairs if best.release != start else (),
        diff=diff(deployment.file, deployment.text, final) if best.release != start else "",
        undecided=tuple(_undecided(best, deployment, engine)),
        notes=(*notes, *_of_plugin(of, best.release), *pin_notes),
        as_of=max((rule.as_of for rule in catalogue()), default=""),
    )
    return covered(found)


# what is asked


def _read(request: UpgradeRequest, known: dict[str, Knowledge]) -> Deployment:
    if request.name:
        found = read_file(request.name, request.content, known)
        if not found.workloads:
            said = "; ".join(one.text for one in found.unread)[:300]
            raise UsageError("no launch is recognised" + (f": {said}" if said else ""), request.name, None)
        return found
    if not request.engine:
        raise UsageError("needs the engine", "--engine", "such as vllm")
    of = known_engine(request.engine)
    of = knowledge(of.host) if of.host else of
    text = _command(request.flags, of)
    found = read_file(SCRIPT, text.encode("utf-8", "replace"), known)
    if not found.workloads:
        raise UsageError("cannot be read as flags", FLAGS, f'such as --flags "{_head(of)} --tp 8"')
    return found


def _head(of: Knowledge) -> str:
    words = next(iter(of.profile.get("commands") or ()), [of.engine])
    return " ".join(map(str, words)) if not isinstance(words, str) else words


def _command(flags: str, of: Knowledge) -> str:
    """The flags as a command: themselves where they name the engine's, else after it."""
    words = flags.split()
    return flags + "\n" if words and not words[0].startswith("-") else f"{_head(of)} {flags}\n"


def _engine(request: UpgradeRequest, deployment: Deployment) -> str:
    there = sorted({name for one in deployment.workloads if (name := engine_of(one))})
    if request.engine:
        of = known_engine(request.engine)
        if of.engine in there or (of.host and of.host in there):
            return of.engine
        plugins = [one for one in there if known_engine(one).host == of.engine]
        hint = f"--engine {plugins[0]}, by which {of.engine} runs here" if plugins else None
        raise UsageError(f"starts no {of.engine}: {', '.join(there) or 'no engine'}", request.name or FLAGS, hint)
    if len(there) != 1:
        raise UsageError(f"starts {', '.join(there) or 'no engine known'}", request.name, "say which with --engine")
    return there[0]


def _start(request: UpgradeRequest, deployment: Deployment, engine: str) -> str:
    wanted = request.start.strip().removeprefix("v")
    if not wanted:
        told = {place((one,)).build.version or "" for one in _launches(deployment, engine)} - {""}
        if len(told) != 1:
            says = f"names {', '.join(sorted(told))}" if told else f"names no release of {engine}"
            raise UsageError(f"{request.name or FLAGS} {says}", "--from", "such as --from 0.28.0")
        wanted = told.pop()
    if parse_version(wanted) is None:
        raise UsageError(f"not a version: {wanted!r}", "--from", "such as 0.28.0")
    return wanted


def _launches(deployment: Deployment, engine: str) -> list[Workload]:
    """The launches that run it; for a plugin that none names, those of the engine below it."""
    mine = [one for one in deployment.workloads if engine_of(one) == engine]
    return mine or [one for one in deployment.workloads if engine_of(one) == knowledge(engine).host]


def _candidates(of: Knowledge, start: str, limit: str) -> Iterator[str]:
    """The releases after `start` whose settings were read, up to `limit`, oldest first."""
    if limit and parse_version(limit.removeprefix("v")) is None:
        raise UsageError(f"not a version: {limit!r}", "--to", f"such as {of.releases_read[-1]}")
    top = limit.removeprefix("v")
    if top and order_key(top) <= order_key(start):
        raise UsageError(f"{top} is not after {start}", "--to", "an upgrade goes to a later release")
    there = (each for each in of.releases_read if each != "main" and (of.host or is_release(each)))
    for one in sorted(there, key=order_key):
        if order_key(one) > order_key(start) and (not top or order_key(one) <= order_key(top)):
            yield one


# trying releases


def _at(deployment: Deployment, engine: str, release: str) -> Deployment:
    """The deployment as if it said outright which release runs."""

    mine = _launches(deployment, engine)

    def said(one: Workload) -> Workload:
        if one not in mine:
            return one
        source = VersionSource("explicit", f"{engine}=={release}", one.place)
        launch = replace(one.launch, engine=engine)
        return replace(one, launch=launch, versions=(source, *_others(one, engine)))

    return replace(deployment, workloads=tuple(map(said, deployment.workloads)))


def _others(one: Workload, engine: str) -> tuple[VersionSource, ...]:
    """Sources of other things than the engine, such as a library pinned beside it."""
    return tuple(each for each in one.versions if each.kind == "pip" and not each.text.startswith(engine))


def _try(deployment: Deployment, engine: str, release: str, known: dict[str, Knowledge]) -> _Tried:
    mended = mend(
        deployment,
        known,
        unsafe=False,
        kinds=SETTINGS,
        seen=lambda one: _at(one, engine, release),
        judged=lambda one: _of(findings_of(one), one, engine),  # another engine in the file is left as it is
    )
    found = _of(mended.after, deployment, engine)
    return _Tried(release, mended, tuple(dict.fromkeys(_reasons(found))))


def _reasons(found: tuple[LintFinding, ...]) -> Iterator[str]:
    for one in found:
        if one.kind == "exposure":
            yield f"{one.id} exposed"
        elif _refused(one):
            yield one.says


def _refused(one: LintFinding) -> bool:
    return one.kind == "setting" and one.level == "error"


def _of(found: tuple[LintFinding, ...], deployment: Deployment, engine: str) -> tuple[LintFinding, ...]:
    """The findings that are about this engine's launches and their release."""
    names = {one.identity() for one in _launches(deployment, engine)}
    return tuple(one for one in found if one.workload in names and one.kind in ("exposure", "setting"))


def _search(
    deployment: Deployment, engine: str, candidates: list[str], known: dict[str, Knowledge]
) -> tuple[_Tried | None, list[Skipped]]:
    """The first release that is clear, else the one with least against it; and why the others were left."""
    tried = []
    for release in candidates:
        one = _try(deployment, engine, release, known)
        tried.append(one)
        if not one.reasons:
            break
    if not tried:
        return None, []
    best = min(tried, key=lambda one: (len(one.reasons), order_key(one.release)))
    return best, [Skipped(one.release, one.reasons) for one in tried if one is not best]


def _undecided(best: _Tried, deployment: Deployment, engine: str) -> Iterator[Undecided]:
    """What may or may not be met at the release: no reason against it, and no clean bill either."""
    found: dict[str, dict[str, None]] = {}
    names = {one.identity() for one in _launches(deployment, engine)}
    for unit in units(_at(best.mended.deployment, engine, best.release).workloads):
        for rule, question in undecided(view_of(unit.case)) if unit.name in names else ():
            found.setdefault(question, {})[rule.id] = None
    yield from (Undecided(question, tuple(ids)) for question, ids in found.items())


def _changes(of: Knowledge, start: str, release: str, launches: Sequence[Workload]) -> tuple[Changes, Changes]:
    """What changes of the settings on the way; for a plugin also those of the engine below it."""
    changes, defaults = changing.between(of, start, release, launches)
    old, new = _below(of, start), _below(of, release)
    if not (old and new):
        return changes, defaults
    below = changing.between(knowledge(of.host), old, new, launches)
    return (*changes, *below[0]), (*defaults, *below[1])


def _below(of: Knowledge, release: str) -> str:
    """The release of the engine below for which a plugin's is made; "" when it is no plugin, or that is not known."""
    found = of.release(release) if of.host else None
    return found.pins.get(of.host, "").removeprefix("==") if found else ""


def _of_plugin(of: Knowledge, release: str) -> Iterator[str]:
    if below := _below(of, release):
        yield f"{of.engine} {release} is made for {of.host} {below}, whose known failures and flags are judged too"
    if of.host and not is_release(release):
        yield f"{of.engine} {release} is a candidate, as most of its releases are"


def _final(
    best: _Tried, deployment: Deployment, engine: str, start: str, known: dict[str, Knowledge]
) -> tuple[str, tuple[str, ...]]:
    """The text with its flags edited and its release named anew, and what could not be."""
    now = best.mended.deployment
    if best.release == start or deployment.file == SCRIPT:
        return now.text, ()
    return repinned(now, engine, start, best.release, known)
