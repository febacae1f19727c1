"""What a person writes for a build, read as a whole -> Build, the components beside it and what is left open.

    0.28.0 · v0.5.16 · f03bdf1c · 0.11.2.dev278+gccfeb3a8 · lmsysorg/sglang:v0.5.16-cu130 · origin/main 6bc3fd24
    main (July 2026) · main after PR 1964 · LimeChain fork, 0.11.2.dev278 · the output of pip show, docker inspect, …
    0.20.2rc · 0.11.x · <0.29.0                              bounds: 0.20.2rc1 or later, before 0.20.2; …

Each step takes its part of the text, so that none is read twice. What does not name one build is said in a note and
never rounded to one: `0.11.x`, `<0.4.1`, `latest`, `v0.5.12-based`.

**Source:** no tool prints this; the forms are those met in public issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from advisor.errors import UsageError
from advisor.evidence.build_forms import (
    ALIASES,
    BASED,
    BESIDE,
    BRANCH,
    CHANGED,
    COMMIT,
    DIGEST,
    ENGINE,
    ENGINES,
    FORK,
    LOCAL_IMAGE,
    MAIN,
    NAME,
    NEUTRAL,
    NO_NAME,
    PR,
    REPO,
    SERIES,
    SPEC,
    TOOL_CHAIN,
    UNCHANGED,
    UPSTREAM,
    VERSION,
    components_in,
    engine_in,
    word_before,
)
from advisor.evidence.build_images import settle_moving, take_images
from advisor.evidence.build_prose import FORMS, plainly, take_moves, take_on_top, take_ranges
from advisor.evidence.dates import bounds, day, periods
from advisor.evidence.image_labels import inspected
from advisor.evidence.library_versions import contradictions
from advisor.evidence.partial_build import PartialBuild
from advisor.evidence.prose import plain, readable
from advisor.evidence.spellings import spelled
from advisor.model.build import Build, Component, commit_in, local_commit, parse_version, pr_in
from advisor.model.fact import Note, Origin
from advisor.model.knowledge import Knowledge
from advisor.scan.several import Several

MAX_ANSWER = 2000  # characters of an answer that are read
_GLUED = rf"(?<!:){ENGINE}-(?=v?\d+\.\d+\.\d)"  # vllm-0.11.0
_ANY_PATCH = r"(?<=\d)\.\*(?![\w*])"  # vllm==0.28.*, which is pip's 0.28.x
_FROM_MAIN = rf"{MAIN}|\bnightly\b"


@cache
def _forms() -> Several:
    return Several(
        (PR, FORK, REPO, BASED, CHANGED, VERSION, SPEC, SERIES, _FROM_MAIN, DIGEST, LOCAL_IMAGE, *FORMS), re.IGNORECASE
    )


def read_build(
    text: str,
    *,
    engine: str | None,
    origin: Origin = "stated",
    strict: bool = False,
    known: Mapping[str, Knowledge] | None = None,
) -> tuple[Build, tuple[Component, ...], tuple[Note, ...]]:
    """The build that a short answer names, its components (also in the Build) and what could not be taken as a build.

    `engine` None takes the engine that the text names. With `strict`, a text of which nothing is understood raises
    UsageError; else it yields a Build that only keeps the text. `known` has the schemes of images and the releases by
    which a tag is placed; without it a tag says only what stands in it.
    """
    output = inspected(readable(text))
    typed_in, odd = plainly(readable((output.text if output else text.replace("%2B", "+"))[:MAX_ANSWER]))
    words = re.sub(_GLUED, r"\1 ", plain(re.sub(_ANY_PATCH, ".x", typed_in)), flags=re.I)
    typed = spelled(words)
    named = engine or engine_in(typed_in) or ""
    reading = PartialBuild(
        typed.text, named, known or {}, typed.text, fork=typed.fork, notes=[*odd, *typed.notes], forms=_forms()
    )
    for step in _STEPS:
        step(reading)
    if reading.vague and not reading.version and not reading.commit:
        reading.notes.append(reading.vague)
    if output:
        reading.notes += output.notes
        reading.image, reading.digest = output.image or reading.image, output.digest or reading.digest
        reading.earliest = reading.earliest if reading.branch == "main" else None  # an image is younger than its code
    if reading.engine and reading.components and not reading.notes and not reading.placed():
        reading.notes.append(f"that says no build of {reading.engine}: `pip show {reading.engine}` where it runs tells")
    if strict and not reading.understood():
        raise UsageError(
            f"`{text}` names no build", "--version", "for example 0.28.0, f03bdf1c or lmsysorg/sglang:v0.5.16-cu130"
        )
    stated = {one.name for one in reading.components if one.origin != "default"}
    components = tuple(
        one if one.origin == "default" else Component(one.name, one.version, origin, one.where)
        for one in reading.components
        if one.origin != "default" or one.name not in stated
    )
    build = Build(
        engine=reading.engine,
        version=reading.version,
        commit=reading.commit,
        image=reading.image,
        digest=reading.digest,
        branch=reading.branch,
        fork=reading.fork,
        after_pr=reading.after_pr,
        earliest=reading.earliest,
        latest=reading.latest,
        least=None if reading.version or reading.commit else reading.least,
        below=None if reading.version or reading.commit else reading.below,
        components=components,
        text=text.strip(),
        origin="inferred" if reading.inferred else origin,
        notes=tuple(reading.notes),
    )
    hints = tuple(Note("hint", note) for note in reading.notes)
    return build, components, hints + contradictions(components)


def _take_pr(reading: PartialBuild) -> None:
    reading.after_pr = pr_in(reading.left)
    for found in reading.each(PR):
        reading.take(found.start(), found.end())


def _take_fork(reading: PartialBuild) -> None:
    same = re.search(r"fork\W{0,4}(?:==|=|is (?:the same as|identical to)|与上游一致)", reading.left, re.I)
    if same:
        reading.notes.append("said to be a fork that equals upstream; taken as upstream")
    for found in reading.each(FORK):
        who = _forker(found)
        if who and not same and "分支" not in found.group():
            reading.fork = reading.fork or who.partition("/")[0]
            reading.take(found.start(), found.end())
    for found in reading.each(REPO):
        if found["owner"].lower() not in {*UPSTREAM, "origin", "upstream"}:
            if not same:
                reading.fork = reading.fork or found["owner"]
            reading.take(found.start("owner"), found.end())


def _forker(found: re.Match[str]) -> str:
    """Whose fork it is: a name, `own`, or nothing when none is told."""
    if found["by"]:
        return str(found["by"])
    who, lead = str(found["who"]), str(found["lead"] or "")
    if who.lower() in {"our", "my", "own", "private", "internal"}:
        return "own"
    if lead and lead.lower() not in NO_NAME and (who.lower() in NO_NAME or who.islower() or who[0].islower()):
        return lead
    return "" if who.lower() in NO_NAME or parse_version(who) else who


def _take_base(reading: PartialBuild) -> None:
    for found in reading.each(BASED):
        number = found["a"] or found["b"] or found["c"]
        reading.fork, reading.least = reading.fork or f"{number}-based", reading.least or number
        reading.notes.append(f"a build based on {number} is not {number}: which commit, and which changes are on top?")
        reading.take(found.start(), found.end())


def _take_changes(reading: PartialBuild) -> None:
    """A release that is said to be changed is a fork of it, whoever changed it; what is said of a component is not."""
    for found in reading.each(CHANGED):
        before = reading.left[max(0, found.start() - 60) : found.start()]
        after = reading.left[found.end() : found.end() + 60]
        if re.search(UNCHANGED, before[-30:], re.I) or re.match(rf"(?: the| our)? (?:{NAME})\b", after, re.I):
            continue
        if re.search(rf"\b(?:{NAME})[ :]+$", before, re.I) or "equals upstream" in "".join(reading.notes):
            continue
        kind = next(name for name, words in found.groupdict().items() if words)
        reading.fork = reading.fork or kind.removeprefix("zh_")
        reading.take(found.start(), found.end())
    for found in reading.each(VERSION):
        local = found["version"].partition("+")[2].lower()
        if local and not reading.fork and re.match(TOOL_CHAIN, local) is None:
            reading.fork = local


def _take_specs(reading: PartialBuild) -> None:
    for found in reading.each(SPEC):
        name = (found["name"] or reading.engine).lower()
        name = ALIASES.get(name, name)
        mine = name.replace("_", "-") == reading.engine or not name
        if found["sign"] not in ("==", "==="):
            reading.notes.append(f"`{found.group().strip()}` is a range, not one {name or 'build'}")
            if mine:
                for sign, number in re.findall(r"([<>~!]=?|===?)\s*v?(\d+(?:\.\w+)*)", found.group()):
                    if parse_version(number):
                        reading.bound(sign, number)
        elif mine and (series := re.match(r"(\d\.\d+)\.[xX]\Z", found["number"])):
            _take_some_of(reading, series[1])
        elif parse_version(found["number"]) is None:
            reading.notes.append(f"`{found.group().strip()}` names no version")
        elif mine:
            reading.version = reading.version or _pinned(found["number"])
        else:
            reading.components.append(Component(name, found["number"], where=found.group().strip()))
        reading.take(found.start(), found.end())


def _take_components(reading: PartialBuild) -> None:
    for one, start, end in components_in(reading.left):
        reading.components.append(one)
        reading.take(start, end)


def _pinned(number: str) -> str:
    """A pin as pip has it: 0.28 is 0.28.0, and 0.28a the first alpha of that."""
    release = re.match(r"v?\d+(?:\.\d+)*", number)
    head = release[0] if release else ""
    rest = re.sub(r"\A(\.?(?:a|b|rc))(?=\+|\Z)", r"\g<1>0", number[len(head) :])
    return head + ".0" * (2 - head.count(".")) + rest


def _take_versions(reading: PartialBuild) -> None:
    for found in reading.each(VERSION):
        number = found["version"]
        owner = word_before(reading.left[: found.start()])
        reading.take(found.start(), found.end())
        if parse_version(number) is None:
            continue
        if owner in ("", reading.engine) and re.search(r"\A[^+]*\d\.?(?:a|b|rc)\Z", number):
            _take_candidate(reading, number)
        elif owner in ENGINES and owner != reading.engine:
            reading.components.append(Component(owner, number, where=f"{owner} {number}"))
        elif owner and owner != reading.engine:
            reading.notes.append(f"{number} is read as the version of {owner}, not of {reading.engine or 'the engine'}")
        elif reading.version is None:
            reading.version = number
        elif number != reading.version:
            reading.notes.append(f"{number} is named too; {reading.version} came first and is taken")


def _take_candidate(reading: PartialBuild, number: str) -> None:
    """`0.20.2rc`: some candidate of 0.20.2, and which is not said."""
    base = re.sub(r"\.?(?<![a-z])[a-z]+\Z", "", number)
    reading.notes.append(f"some candidate of {base}: {number}1 or later, before {base}; its number is not given")
    reading.least, reading.below = reading.least or f"{number}1", reading.below or base


def _take_builder(reading: PartialBuild) -> None:
    """Who else built it: NVIDIA by its label, the user by a checkout that pip points at."""
    if re.search(r"[+.]nv\d\d\.\d\d$", reading.version or "") and reading.moving is None and not reading.image:
        reading.notes.append(f"{reading.version} is NVIDIA's own build of that release")
    checkout = re.search(r"Editable project location:\s{0,4}(\S{1,200})", reading.said)
    if checkout:
        tell = f"`git -C {checkout[1]} rev-parse HEAD; git -C {checkout[1]} status --short`"
        reading.notes.append(f"it runs from a checkout, which can have been changed: {tell} tells")


def _take_series(reading: PartialBuild) -> None:
    for found in reading.each(SERIES):
        name, series = (found["name"] or "").strip().lower(), found["series"]
        if (name and name in ENGINES and name != reading.engine) or (
            name and name not in ENGINES and name not in NEUTRAL
        ):
            continue
        if int(series.partition(".")[0]) > 9:  # no engine is near that
            continue
        _take_some_of(reading, series)
        reading.take(found.start("series"), found.end())


def _take_some_of(reading: PartialBuild, series: str) -> None:
    """`0.11.x`: bounds, and that the patch number is not given."""
    major, minor = map(int, series.split("."))
    reading.notes.append(
        f"some {series} release: {series}.0 or later, before {major}.{minor + 1}; the patch number is not given"
    )
    reading.least, reading.below = reading.least or f"{series}.0", reading.below or f"{major}.{minor + 1}"


def _take_commit(reading: PartialBuild) -> None:
    found = re.search(COMMIT, reading.left, re.I)
    given = found["sha"].lower() if found else commit_in(reading.left)
    if reading.version and not reading.commit:
        reading.commit = given or local_commit(reading.version)
        dirty = re.search(r"[+.]d(20\d\d)(\d\d)(\d\d)$", reading.version)
        if dirty:  # setuptools-scm: a tree with changes of its own, built that day
            reading.latest = day(int(dirty[1]), int(dirty[2]), int(dirty[3]))
    reading.commit = given if given and reading.commit and given.startswith(reading.commit) else reading.commit or given
    if given:
        at = reading.left.lower().find(given)
        reading.take(at, at + len(given))


def _take_dates(reading: PartialBuild) -> None:
    found = periods(reading.left)
    for earliest, latest in bounds(found):
        reading.earliest = reading.earliest or earliest
        reading.latest = reading.latest or latest
    for one in found:
        reading.take(one.start, one.end)


def _take_branch(reading: PartialBuild) -> None:
    named = re.search(BRANCH, reading.left, re.I)
    if named:
        reading.branch = next(part for part in named.groups() if part)
    elif reading.after_pr or _built_from_main(reading):
        reading.branch = "main"


def _built_from_main(reading: PartialBuild) -> bool:
    """Whether main is what runs, not what was tried beside the release that is named."""
    for found in reading.each(_FROM_MAIN):
        before = reading.left[max(0, found.start() - 60) : found.start()]
        if not reading.version or re.search(BESIDE, before, re.I) is None:
            return True
    return False


_STEPS = (
    take_images,
    take_on_top,
    _take_pr,
    _take_fork,
    _take_base,
    _take_changes,
    _take_specs,
    _take_components,
    _take_dates,
    take_ranges,
    take_moves,
    _take_versions,
    _take_series,
    _take_commit,
    _take_branch,
    _take_builder,
    settle_moving,
)
