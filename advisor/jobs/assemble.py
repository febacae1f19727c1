"""Request → Case: every input goes to its reader, and what the readers found becomes one body of evidence.

What the user says with an option wins over what a paste mentions; what a log's banner shows is kept beside both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from advisor import evidence, intake
from advisor.catalog.engines import engines, knowledge
from advisor.errors import AdvisorError, UsageError
from advisor.evidence import builds, hardware
from advisor.jobs.request import File, Request
from advisor.launches import reading
from advisor.model.build import Build, Component
from advisor.model.case import Case
from advisor.model.fact import Artifact, Fact, Note, Span, Thread
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Variable


@dataclass
class Gathering:
    """The evidence as it comes together."""

    build: Build = field(default_factory=Build)
    launches: list[Launch] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    mentioned: list[Launch] = field(default_factory=list)
    problems: list[AdvisorError] = field(default_factory=list)

    @contextmanager
    def excused(self) -> Iterator[None]:
        """What cannot be read is kept as a problem and said; the rest of the input is still used."""
        try:
            yield
        except AdvisorError as error:
            self.problems.append(error)
            self.notes.append(Note("unreadable", error.line()))


def assemble(request: Request) -> tuple[Case, tuple[AdvisorError, ...]]:
    """The case that a request describes, and the options that could not be read (each also noted in the case)."""
    known = {name: knowledge(name) for name in engines()}
    gathering = Gathering(notes=[Note("unreadable", line) for line in request.unread])
    _stated_build(request, gathering)
    for text in request.hardware:
        with gathering.excused():
            gathering.facts += hardware.read_hardware(text, artifact="--hardware", strict=request.strict)
    for index, text in enumerate(request.flags):
        _launch(text, _numbered("--flags", index, len(request.flags)), request, known, gathering)
    for file in _texts(request):
        _take(file, request, known, gathering)
    _settle_build(gathering, known)
    _environment(request, gathering)
    if request.model:
        gathering.facts.append(Fact("model", request.model, "stated", Span("--model"), request.model))
    return _case(request, gathering), tuple(gathering.problems)


def _case(request: Request, gathering: Gathering) -> Case:
    launches = _merge(gathering.launches, gathering.mentioned)
    return Case(
        build=gathering.build,
        launches=tuple(launches),
        facts=tuple(dict.fromkeys(gathering.facts)),
        artifacts=tuple(gathering.artifacts),
        threads=tuple(gathering.threads),
        notes=tuple(dict.fromkeys(gathering.notes)),
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
    if not name or name in engines():
        return name
    if not strict:
        return name
    near = get_close_matches(name, engines(), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known engines: {', '.join(engines())}"
    raise UsageError(f"unknown engine {text!r}", "--engine", hint)


def _stated_build(request: Request, gathering: Gathering) -> None:
    """The build as the options say it."""
    engine = ""
    with gathering.excused():
        engine = engine_name(request.engine, strict=request.strict)
    build = Build(engine=engine)
    components: list[Component] = []
    for text in request.components:
        with gathering.excused():
            components.append(builds.component(text))
    if request.version:
        with gathering.excused():
            build, said, notes = builds.read_build(request.version, engine=engine or None, strict=request.strict)
            components += [one for one in said if one.name not in {given.name for given in components}]
            gathering.notes += notes
    gathering.build = build.but(engine=engine or build.engine, components=tuple(components))


def _launch(text: str, name: str, request: Request, known: dict[str, Knowledge], gathering: Gathering) -> None:
    engine, version = gathering.build.engine or None, gathering.build.version
    bare = request.bare_is_complete

    def read(strict: bool) -> reading.Reading:
        return reading.read(
            text, knowledge=known, engine=engine, version=version, artifact=name, bare_is_complete=bare, strict=strict
        )

    found = None
    with gathering.excused():
        found = read(request.strict)
    found = found or read(False)
    gathering.launches += found.launches
    gathering.facts += found.facts
    gathering.notes += found.notes


def _take(file: File, request: Request, known: dict[str, Knowledge], gathering: Gathering) -> None:
    taken = intake.take(file.name, file.content, file.kind)
    gathering.notes += taken.notes
    for artifact in taken.artifacts:
        found = evidence.read(artifact)
        gathering.artifacts.append(found.artifact)
        gathering.facts += found.facts
        gathering.threads += found.threads
        gathering.notes += found.notes
        if artifact.kind in ("text", "launch"):
            _mentions(artifact, request, known, gathering)
    _banners(file.name, request, known, gathering)
    whole = "\n".join(one.text for one in taken.artifacts if one.kind in ("text", "launch"))
    if whole:
        _said_build(whole, gathering)


def _mentions(artifact: Artifact, request: Request, known: dict[str, Knowledge], gathering: Gathering) -> None:
    """Launches and hardware that a paste or script states; a script's launches stand beside those of `--flags`."""
    gathering.facts += hardware.read_hardware(artifact.text, artifact=artifact.name)
    engine = gathering.build.engine or _guess(artifact.text, known)
    found = reading.read(
        artifact.text,
        knowledge=known,
        engine=engine or None,
        version=gathering.build.version,
        artifact=artifact.name,
        first_line=artifact.first_line,
    )
    gathering.mentioned += found.launches
    gathering.facts += found.facts
    gathering.notes += found.notes


def _guess(text: str, known: dict[str, Knowledge]) -> str:
    build, _, _ = builds.find_build(text, engine=None)
    return build.engine if build.engine in known else ""


def _banners(name: str, request: Request, known: dict[str, Knowledge], gathering: Gathering) -> None:
    """A log's dump of the arguments really in force is a launch, observed."""
    dumps = [
        fact for fact in gathering.facts if fact.name == "banner.args" and fact.span and fact.span.artifact == name
    ]
    for fact in dumps:
        found = reading.read(
            str(fact.value),
            knowledge=known,
            engine=gathering.build.engine or None,
            version=gathering.build.version,
            artifact=name,
        )
        for launch in found.launches:
            settings = tuple(
                replace(one, span=fact.span, origin="observed", start=-1, end=-1) for one in launch.settings
            )
            gathering.mentioned.append(replace(launch, settings=settings, complete=False, text="", rank=fact.rank))


def _said_build(text: str, gathering: Gathering) -> None:
    said, components, notes = builds.find_build(text, engine=gathering.build.engine or None)
    have = gathering.build
    if have.engine and said.engine and said.engine != have.engine:
        return
    if not have.known():
        gathering.build = said.but(engine=have.engine or said.engine, components=have.components)
        gathering.notes += notes
    elif not have.engine and said.engine:
        gathering.build = have.but(engine=said.engine)
    names = {one.name for one in gathering.build.components}
    fresh = tuple(one for one in components if one.name not in names)
    gathering.build = gathering.build.but(components=gathering.build.components + fresh)


def _settle_build(gathering: Gathering, known: dict[str, Knowledge]) -> None:
    """Take engine, version and image from launches and banners where the user did not say."""
    build = gathering.build
    launches = gathering.launches + gathering.mentioned
    engine = build.engine or next((one.engine for one in launches if one.engine), "")
    banner = {fact.name: fact for fact in gathering.facts if fact.name in ("banner.engine", "banner.version")}
    if "banner.engine" in banner:
        engine = engine or str(banner["banner.engine"].value)
    build = build.but(engine=engine)
    image = next((one.image for one in launches if one.image), "")
    if image and not build.known():
        named, components, notes = builds.read_build(image, engine=engine or None)
        build = named.but(engine=engine or named.engine, components=build.components + components)
        gathering.notes += notes
    if "banner.version" in banner and banner.get("banner.engine", banner["banner.version"]).value in (
        engine,
        banner["banner.version"].value,
    ):
        build = _with_banner(build, banner["banner.version"], gathering)
    gathering.build = build


def _with_banner(build: Build, banner: Fact, gathering: Gathering) -> Build:
    seen, _, _ = builds.read_build(str(banner.value), engine=build.engine or None, origin="observed")
    if not build.known():
        return seen.but(engine=build.engine or seen.engine, components=build.components, origin="observed")
    if build.version and seen.version and build.version.removeprefix("v") != seen.version.removeprefix("v"):
        text = f"you say {build.engine} {build.version}, the log says {seen.version}; judged as {build.version}"
        gathering.notes.append(Note("conflict", text, banner.span))
    return build


def _environment(request: Request, gathering: Gathering) -> None:
    """`--env` holds for every launch; with no launch it makes one of its own."""
    variables: tuple[Variable, ...] = ()
    for text in request.env:
        with gathering.excused():
            variables += reading.environment([text] if request.strict else text, "--env", strict=request.strict)
    if not variables:
        return
    if not gathering.launches and not gathering.mentioned:
        gathering.launches.append(Launch(gathering.build.engine, environment=variables, artifact="--env"))
        return
    add: Callable[[Launch], Launch] = lambda launch: replace(launch, environment=launch.environment + variables)  # noqa: E731
    gathering.launches = [add(one) for one in gathering.launches]
    gathering.mentioned = [add(one) for one in gathering.mentioned]


def _merge(given: list[Launch], mentioned: list[Launch]) -> list[Launch]:
    """Launches given as such stand; what a paste mentions fills in only where a launch leaves it open."""
    if not given:
        return _united(mentioned)
    extra = [one for launch in mentioned for one in launch.environment]
    merged = []
    for launch in given:
        names = {one.name for one in launch.environment}
        more = tuple(one for one in extra if one.name not in names)
        flags = {one.flag for one in launch.settings}
        said = (
            ()
            if launch.complete
            else tuple(one for other in mentioned for one in other.settings if one.flag not in flags)
        )
        merged.append(replace(launch, environment=launch.environment + more, settings=said + launch.settings))
    return merged


def _united(mentioned: list[Launch]) -> list[Launch]:
    """Partial mentions of one deployment, in several parts of a paste, are one partial launch; commands stand alone."""
    commands = [one for one in mentioned if one.complete]
    if commands or len(mentioned) < 2:
        return _merge(commands, [one for one in mentioned if not one.complete]) if commands else mentioned
    first = mentioned[0]
    settings = tuple(dict.fromkeys(one for launch in reversed(mentioned) for one in launch.settings))
    environment = tuple(dict.fromkeys(one for launch in reversed(mentioned) for one in launch.environment))
    model = next((one.model for one in mentioned if one.model), "")
    return [replace(first, settings=settings, environment=environment, model=model, text="")]
