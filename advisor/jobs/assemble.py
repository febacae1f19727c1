"""Request → Case: every input goes to its reader, and what the readers found becomes one body of evidence.

What the user says with an option wins over what a paste mentions; what a log's banner shows is kept beside both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache

from advisor.catalog.engines import engines, knowledge, named
from advisor.errors import AdvisorError, UsageError
from advisor.jobs.engines_seen import keep_to_one
from advisor.jobs.gathering import Gathering, merge
from advisor.jobs.merging import compare_images, say_version, take_located
from advisor.jobs.request import File, Request
from advisor.launches import reading
from advisor.model.build import Build, Component, plain_build
from advisor.model.case import Case
from advisor.model.fact import Fact, Note, Span, printed_versions
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Variable
from advisor.model.shape import Shape

_FLAG = Shape(r"(?<!\S)-{1,2}[A-Za-z][\w.-]*(?:[ =](?![-+])(?:'[^']*'|\"[^\"]*\"|[^\s,，;；]+))?|\b[A-Za-z_]\w*=\S*")
_WORDS = Shape(r"[A-Za-z][A-Za-z]{2,}|[\u4e00-\u9fff]{2,}")
_REMEMBERED = 1 << 13  # characters of a launch that is kept, in case that it comes again
_COMMANDED = Shape(
    r"\b(?:vllm serve|sglang serve|lmdeploy serve|launch_server|api_server|docker run|python3? -m)\b|[./]xllm\b"
    r"|\bxllm +-|^\s*#!"
)


def assemble(request: Request) -> tuple[Case, tuple[AdvisorError, ...]]:
    """The case that a request describes, and the options that could not be read (each also noted in the case)."""
    known = {name: knowledge(name) for name in engines()}
    gathering = Gathering(notes=[Note("unreadable", line) for line in request.unread])
    _stated_build(request, gathering)
    say_version(request, gathering)
    take_located(request, gathering)
    _commanded_engine(request, known, gathering)
    texts = list(_texts(request))
    if texts or request.hardware:
        from advisor.jobs import taking

        for text in request.hardware:
            with gathering.excused():
                gathering.facts += taking.machines(text, strict=request.strict)
            gathering.facts += reading.read(text, knowledge=known, artifact="--hardware").facts
        taking.take_all(texts, known, gathering)
    _settle_build(gathering)
    for index, text in enumerate(request.flags):
        _launch(text, _numbered("--flags", index, len(request.flags)), request, gathering)
    _settle_build(gathering)
    compare_images(gathering)
    if gathering.mentioned:
        from advisor.jobs.comparing import compare_arguments, compare_files

        compare_arguments(gathering)
        compare_files(gathering)
    _compare_others(request, gathering)
    keep_to_one(request, gathering)
    _told_beside(request, gathering)
    _answers(request, gathering)
    _environment(request, gathering)
    if request.model:
        from advisor.jobs.comparing import compare_model

        compare_model(request, gathering)
        gathering.facts.append(Fact("model", request.model, "stated", Span("--model"), request.model))
    return _case(request, gathering), tuple(gathering.problems)


def _compare_others(request: Request, gathering: Gathering) -> None:
    """Say where one command has a flag twice, where a process that was looked at has another command, and where
    machines are others than is said; what each needs is loaded where there is something to compare."""
    launches = (*gathering.launches, *gathering.mentioned)
    if any(len({one.flag for one in launch.settings}) < len(launch.settings) for launch in launches):
        from advisor.jobs.comparing_commands import say_given_twice

        say_given_twice(gathering)
    if launches and any(one.kind == "stack" for one in gathering.artifacts):
        from advisor.jobs.comparing_commands import compare_processes

        compare_processes(gathering)
    if request.files and (request.hardware or request.components):
        from advisor.jobs.comparing_machines import compare_machines

        compare_machines(gathering)


def _case(request: Request, gathering: Gathering) -> Case:
    launches = merge(gathering.launches, gathering.mentioned)
    return Case(
        build=gathering.build,
        launches=tuple(launches),
        facts=tuple(dict.fromkeys(gathering.facts)),
        artifacts=tuple(gathering.artifacts),
        threads=tuple(gathering.threads),
        notes=tuple(dict.fromkeys(gathering.notes)),
        situation=gathering.situation,
        timeline=gathering.timeline,
        originals=tuple(gathering.originals),
        id=request.id,
    )


def _numbered(name: str, index: int, count: int) -> str:
    return f"{name} {index + 1}" if count > 1 else name


def _texts(request: Request) -> Iterable[File]:
    for index, text in enumerate(request.symptoms):
        yield File(_numbered("--symptom", index, len(request.symptoms)), text.encode("utf-8", "replace"), "text")
    yield from request.files


def engine_name(text: str, *, strict: bool) -> str:
    """The engine's name as knowledge spells it. Raises UsageError with the nearest name when there is none such."""
    name = text.strip().lower()
    if not name or name in named():
        return name
    if not strict:
        return name
    near = get_close_matches(name, named(), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known engines: {', '.join(named())}"
    raise UsageError(f"unknown engine {text!r}", "--engine", hint)


def _stated_build(request: Request, gathering: Gathering) -> None:
    """The build as the options say it."""
    engine = ""
    with gathering.excused():
        engine = engine_name(request.engine, strict=request.strict)
    build = plain_build(request.version, engine) or Build(engine=engine)
    components: list[Component] = []
    if request.components or (request.version and not build.known()):
        from advisor.jobs import taking

        for text in request.components:
            with gathering.excused():
                components.append(taking.component(text))
        if not build.known() and request.version:
            with gathering.excused():
                build, said = taking.version(request, engine, gathering)
                components += [one for one in said if one.name not in {given.name for given in components}]
    gathering.build = build.but(engine=engine or build.engine, components=tuple(components))


def _commanded_engine(request: Request, known: dict[str, Knowledge], gathering: Gathering) -> None:
    """Take the engine from a command in `--flags` before anything is read that depends on it."""
    for text in request.flags if not gathering.build.engine else ():
        found = reading.read(text, knowledge=known, version=gathering.build.version, strict=False)
        engine = next((one.engine for one in found.launches if one.engine), "")
        gathering.build = gathering.build.but(engine=gathering.build.engine or engine)


def _told_beside(request: Request, gathering: Gathering) -> None:
    """Words among the flags and the hardware ("HiCache storage backend", "DeepSeek-V4"): what they say counts too."""
    for name, given in (("--flags", request.flags), ("--hardware", request.hardware)):
        for index, text in enumerate(given):
            if _has_words(text):
                from advisor.jobs import taking

                taking.take_words(text, _numbered(name, index, len(given)), gathering)


def _answers(request: Request, gathering: Gathering) -> None:
    """What was answered to questions; where something that was read says otherwise, that is said and holds."""
    if not request.said:
        return
    from advisor.jobs.said import fact_of

    for one in request.said:
        with gathering.excused():
            fact = fact_of(one)
            if (against := _against(fact, gathering)) is not None:
                text = f"the answer “{one.answer}” to {one.about} is not followed: this says otherwise"
                gathering.notes.append(Note("conflict", text, against.span or Span(against.name)))
            gathering.facts.append(fact)


def _against(answer: Fact, gathering: Gathering) -> Fact | None:
    """What was read or given that an answer does not agree with."""
    kind, _, name = answer.name.partition(":")
    if kind == "setting" and gathering.launches:
        told = [launch.setting(name) for launch in gathering.launches]
        if all(one is not None or launch.complete for one, launch in zip(told, gathering.launches, strict=True)):
            given = next((one for one in told if one is not None), None)
            if given is None or given.value != answer.value:
                return Fact(gathering.launches[0].artifact, None, "stated", given.span if given else None)
    return next((one for one in gathering.facts if one.name == answer.name and one.value != answer.value), None)


def _has_words(text: str) -> bool:
    """Whether a text says something beside flags with their values and the command that takes them."""
    head = text[:4000]
    rest = _FLAG.sub(" ", head) if "-" in head or "=" in head else head
    return _WORDS.search(rest) is not None and not _COMMANDED.search(text)


def _launch(text: str, name: str, request: Request, gathering: Gathering) -> None:
    base = gathering.base

    def read(strict: bool) -> reading.Reading:
        read_it = _read if len(text) <= _REMEMBERED else _read.__wrapped__
        return read_it(text, name, base.engine or None, base.version, request.bare_is_complete, strict)

    found = None
    with gathering.excused():
        found = read(request.strict)
    found = found or read(False)
    gathering.launches += found.launches
    gathering.facts += found.facts
    gathering.notes += found.notes


@lru_cache(maxsize=512)  # a fleet has many cases and few launches
def _read(text: str, name: str, engine: str | None, version: str | None, bare: bool, strict: bool) -> reading.Reading:
    known = {one: knowledge(one) for one in engines()}
    return reading.read(
        text, knowledge=known, engine=engine, version=version, artifact=name, bare_is_complete=bare, strict=strict
    )


def _settle_build(gathering: Gathering) -> None:
    """Take engine, version and image from launches, banners and lists of packages where the user did not say."""
    launches = gathering.launches + gathering.mentioned
    names = {f"component.{name.replace('-', '_')}": name for name in named()}
    installed = {names[fact.name]: fact for fact in gathering.facts if fact.name in names}
    seen = next((str(fact.value) for fact in reversed(gathering.facts) if fact.name == "banner.engine"), "")
    engine = gathering.build.engine or next((one.engine for one in launches if one.engine), "") or seen
    hosts = [name for name in installed if name in engines()]
    engine = engine or (hosts[0] if len(hosts) == 1 else "")
    gathering.build = gathering.build.but(engine=engine)
    image = next((one.image for one in launches if one.image), "")
    banners = printed_versions(gathering.facts, engine)
    if (image and not gathering.build.known()) or banners:
        from advisor.jobs import taking

        if image and not gathering.build.known():
            taking.image(image, gathering)
        if banners and not (gathering.build.known() and gathering.build.origin == "observed"):
            taking.banner_version(banners[-1], gathering)
    if engine in installed and not gathering.build.known():
        from advisor.jobs import taking

        taking.banner_version(installed[engine], gathering)


def _environment(request: Request, gathering: Gathering) -> None:
    """`--env` holds for every launch; with no launch it makes one of its own."""
    variables: tuple[Variable, ...] = ()
    for text in request.env:
        if " " in text.strip():
            gathering.facts += reading.tried_in_environment(text)
        with gathering.excused():
            variables += reading.environment([text] if request.strict else text, "--env", strict=request.strict)
    if not variables:
        return
    known = [one.name for launch in (*gathering.launches, *gathering.mentioned) for one in launch.environment]
    if len({*known, *(one.name for one in variables)}) < len({*known}) + len(variables):
        from advisor.jobs.comparing import compare_variables

        compare_variables(gathering, variables)
    if not gathering.launches and not gathering.mentioned:
        gathering.launches.append(Launch(gathering.base.engine, environment=variables, artifact="--env"))
        return
    for launches in (gathering.launches, gathering.mentioned):
        launches[:] = [replace(one, environment=one.environment + variables) for one in launches]
