"""What runs in the processes for the pages: a form, or an address -> the page's bytes.

A diagnosis is followed by the jobs that the terminal uses (`answering`, `diagnose`); here its form is read and written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from advisor.errors import UsageError
from advisor.faces.web import carried, form, judging
from advisor.faces.web.form import Form, Told
from advisor.faces.web.parcels import Received
from advisor.jobs import names
from advisor.jobs.answering import NOT_KNOWN, Progress, Step, follow, is_handed, then
from advisor.jobs.check import reported
from advisor.jobs.diagnose import examined, stand
from advisor.jobs.equivalent import check_line, without_secrets
from advisor.jobs.judging import catalogue
from advisor.jobs.request import File
from advisor.model.diagnosis import Standing
from advisor.model.translation import chinese_of
from advisor.render import web_diagnosis, web_flags, web_rules
from advisor.render.language import speaking
from advisor.render.web_diagnosis import OPTIONS, Entry, Listed, Sheet
from advisor.render.web_frame import Frame

ENDINGS = {"json": "json", "markdown": "md", "html": "html"}
"""The formats to take away, and the ending of a file in each."""


@dataclass(frozen=True)
class Turn:
    """What has become of a diagnosis: what it was told by now, where that leads, and what was wrong with an answer."""

    told: Told
    at: Progress
    answered: str = ""
    refused: str = ""


def start(frame: Frame, options: dict[str, str]) -> bytes:
    """The first page, with options filled in that its address names."""
    with speaking(frame.lang):
        return web_diagnosis.start(frame, names.titled(), options).encode()


def diagnosis(given: Received, frame: Frame, room: int = carried.ALL_PACKED) -> judging.Judged:
    """The next page of a diagnosis; `room` is how much it may carry. Raises Refused and UsageError."""
    sent = form.read(given, OPTIONS)
    done = turn(sent)
    judgement, problems = examined(done.at.request)
    now = stand(judgement, done.at.request, done.at.asked)
    frame = replace(_framed(frame), apart=True)
    prose = _prose(now) if frame.lang == "zh" else None
    with speaking(frame.lang):
        sheet = _sheet(sent, done, frame.lang, tuple(one.line() for one in problems), room)
        page = web_diagnosis.diagnosis(now, sheet, frame, names.titled(), _release(now), prose)
    counts: Counter[str] = Counter(one.status for one in now.report.findings)
    return judging.Judged(page.encode("utf-8", "replace"), "text/html", counts)


def download(given: Received, format: str, lang: str) -> judging.Judged:
    """The report on what a diagnosis was told, as `advisor check --format …` writes it."""
    request = turn(form.read(given, OPTIONS)).at.request
    judgement, _ = examined(request)  # where nothing was recognised `check` refuses; here the page has said so
    return judging.written(reported(judgement, request), format, lang)


def turn(sent: Form) -> Turn:
    """What the button that was pressed does. Raises UsageError where the answers from before cannot be ones."""
    what, _, which = sent.do.partition(":")
    told = sent.told
    if what == "undo" and which.isdigit() and int(which) < len(told.steps):
        step = told.steps[int(which)]
        steps = (*told.steps[: int(which)], *told.steps[int(which) + 1 :])
        told = replace(told.without(step.name) if step.name else told, steps=steps, ended=False)
    elif what == "drop":
        told = told.without(which)
    elif what in ("end", "ask"):
        told = replace(told, ended=what == "end")
    at = follow(told.base, told.taken)
    if what not in ("answer", "unsure") or not sent.about:
        return Turn(told, at)
    return _answered(sent, told, at)


def _answered(sent: Form, told: Told, at: Progress) -> Turn:
    """The answer taken, where it can be one. An empty one changes nothing, and a new file may be the answer."""
    text = NOT_KNOWN if sent.do == "unsure" else sent.answer
    if not text and not sent.fresh:
        return Turn(told, at)
    if not text:
        handed = tuple(Step(sent.about, "", name, sent.question) for name in sent.fresh if name != sent.pasted)
        told = replace(told, steps=(*told.steps, *handed))
        return Turn(told, follow(told.base, told.taken))
    if sent.do == "answer" and is_handed(sent.about, sent.kind, text):
        name = form.next_paste([*(one.name for one in told.files), *told.missing])
        step = Step(sent.about, "", name, sent.question)
        told = replace(told, files=(*told.files, File(name, text.encode())), steps=(*told.steps, step))
        return Turn(told, follow(told.base, told.taken), name)
    step = Step(sent.about, text, "", sent.question)
    try:
        return Turn(replace(told, steps=(*told.steps, step)), then(at, step))
    except UsageError as error:
        return Turn(told, at, refused=error.line())


def _sheet(sent: Form, done: Turn, lang: str, problems: tuple[str, ...], room: int) -> Sheet:
    told = done.told
    packed = {} if sent.keeps else _packed(told, room)
    heavy = () if sent.keeps else tuple(one.name for one in told.files if one.name not in packed)
    every = (*(one.name for one in told.files), *told.missing)
    return Sheet(
        options=told.options,
        hidden=(
            ("lang", lang),
            *((("ended", "1"),) if told.ended else ()),
            *(("had", name) for name in every),
            *(("step", form.step_field(one)) for one in told.steps),
            *(("carried", value) for value in packed.values()),
        ),
        steps=tuple(Entry(one.question, one.name or without_secrets(one.text)) for one in told.steps),
        files=tuple(Listed(one.name, size(len(one.content))) for one in told.files),
        number=len(done.at.asked) + 1,
        line=check_line(done.at.request, {}),
        ended=told.ended,
        missing=told.missing,
        heavy=heavy,
        limit=size(min(room, carried.PACKED)),
        pasted=sent.pasted,
        answered=done.answered,
        refused=done.refused,
        problems=problems,
    )


def _packed(told: Told, room: int) -> dict[str, str]:
    """The files as fields, smallest first as long as the page may carry them, in their order."""
    found: dict[str, str] = {}
    left = min(room, carried.ALL_PACKED)
    for one in sorted(told.files, key=lambda one: len(one.content)):
        field = carried.packed(one)
        if field and len(field) <= left:
            found[one.name] = field
            left -= len(field)
    return {one.name: found[one.name] for one in told.files if one.name in found}


def size(count: int) -> str:
    """Bytes as a person says them."""
    return f"{count} B" if count < 1000 else f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1e6:.1f} MB"


def _prose(now: Standing) -> dict[str, str]:
    """The Chinese of the failures that it can still be, as their rules bring it."""
    of = {one.rule for one in now.candidates}
    return {english: said for rule in catalogue() if rule.id in of for english, said in chinese_of(rule).items()}


def _framed(frame: Frame) -> Frame:
    return replace(frame, rules=frozenset(names.rules()))


def _release(now: Standing) -> str:
    """The release whose flags are known for the build that was recognised; "" where none is."""
    from advisor.jobs.flags import known_engine, release_read

    build = now.report.build
    try:
        return release_read(known_engine(build.engine), build.version) if build.version else ""
    except UsageError:
        return ""


# rules and flags


def rules(frame: Frame, q: str, engine: str) -> bytes:
    """The rules, or those nearest to a text. Raises UsageError for an engine that is not known."""
    from advisor.jobs.explain import find
    from advisor.jobs.search import search

    every = sorted(catalogue(), key=lambda one: one.id)
    owners = {one.engine for one in every}
    if engine and engine not in owners:
        raise UsageError(f"no rules are known of {engine!r}", "engine", ", ".join(sorted(owners)))
    called = None
    near = None
    if q.strip():
        near = search(q, "" if engine == "any" else engine, 20)
        try:
            called = find(q)
        except UsageError:
            called = None  # it is no name of one
    with speaking(frame.lang):
        page = web_rules.rules_page(_framed(frame), every, names.titled(), q, engine, near, called)
    return page.encode()


def rule(frame: Frame, name: str) -> bytes:
    """One rule's page. Raises UsageError with the nearest names."""
    from advisor.jobs.explain import find, fixes, settings_of

    found = find(name)
    engine = found.engine if found.engine in names.with_settings() else ""
    with speaking(frame.lang):
        return web_rules.rule_page(_framed(frame), found, fixes(found), settings_of(found) if engine else ()).encode()


def flags_start(frame: Frame) -> bytes:
    """Of which engines and releases settings are known."""
    read = [(name, title, names.releases_read(name)) for name, title in names.titled() if name in names.with_settings()]
    with speaking(frame.lang):
        return web_flags.start(frame, read).encode()


def flags(frame: Frame, engine: str, version: str, grep: str) -> bytes:
    """The settings of a release. Raises UsageError."""
    from advisor.jobs.explain import naming
    from advisor.jobs.flags import settings

    found = settings(engine, version, grep)
    with speaking(frame.lang):
        page = web_flags.settings_page(_framed(frame), found, grep, names.releases_read(found.engine), naming(engine))
    return page.encode()


def flags_changed(frame: Frame, engine: str, old: str, new: str, grep: str) -> bytes:
    """What changed from one release to another. Raises UsageError."""
    from advisor.jobs.explain import naming
    from advisor.jobs.flags import diff

    found = diff(engine, old, new, grep)
    with speaking(frame.lang):
        page = web_flags.changes_page(_framed(frame), found, grep, names.releases_read(found.engine), naming(engine))
    return page.encode()
