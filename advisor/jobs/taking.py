"""Texts and files → the evidence in them: each part goes to its reader, and its launches and build are taken too.

The only job that knows the evidence room; a check of flags alone never loads it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from advisor import intake
from advisor.catalog.engines import knowledge, named, profiles
from advisor.evidence import assertion, builds, collect_env, divergence, hardware, image_tags, machine, spoken
from advisor.evidence import reading as evidence
from advisor.jobs.gathering import Gathering
from advisor.jobs.request import File, Request
from advisor.jobs.signatures import signatures
from advisor.launches import dump, reading
from advisor.model.build import Build, Component
from advisor.model.fact import Artifact, Fact, Note, Span
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Variable
from advisor.model.shape import Shape

MAX_WORDS = 300_000
MAX_PASTE = 1 << 20  # bytes; a longer input is no page of ours
OWN_MARKS = (b"advisor", b"as_of", b"symptoms:")

_COMMAND = Shape(  # a shell line: a flag, an assignment, a comment, a keyword, a program path, a lone bracket
    r"(?:^|\s)--?\w|^\s*(?:export\s|\w+=|#|\$|[./]|(?:docker|python3?|vllm|sglang|lmdeploy|xllm|exec|nohup|source|set|if|then|"
    r"fi|for|do|done|wait|trap|cd|echo|else|sudo|srun|ray|kubectl)\b|[)}(\[\]]+\s*$)"
)


def component(text: str) -> Component:
    """A `--component`. Raises UsageError when it is not name=version."""
    return builds.component(text)


def machines(text: str, *, strict: bool) -> tuple[Fact, ...]:
    """The facts of a `--hardware`. Raises UsageError when nothing in it is understood and `strict`."""
    return hardware.read_hardware(text, artifact="--hardware", strict=strict)


def version(request: Request, engine: str, gathering: Gathering) -> tuple[Build, list[Component]]:
    """The build and components of a `--version`. Raises UsageError when it is not understood and `strict`."""
    build, said, notes = builds.read_build(
        request.version, engine=engine or None, strict=request.strict, known=with_images()
    )
    gathering.notes += notes
    _architecture(build.image, "--version", gathering)
    return build, list(said)


@cache
def with_images() -> dict[str, Knowledge]:
    """Whatever has images of its own: engines, and plugins such as vllm-ascend."""
    return {name: knowledge(name) for name, profile in profiles().items() if "tags" in profile}


def _architecture(image: str | None, artifact: str, gathering: Gathering) -> None:
    """The hosts' architecture, where the image's tag names it."""
    name, _, tag = (image or "").rpartition(":")
    placed = image_tags.place(name, tag, with_images()) if name else None
    if placed and placed.arch:
        fact = Fact(
            "hardware.arch", placed.arch, "derived", Span(artifact), image or "", why="the image's tag names it"
        )
        gathering.facts.append(fact)


_RULE_ID = Shape(r"(?<![\w./-])(?:any|vllm|vllm-ascend|sglang|lmdeploy|xllm)/[a-z0-9][a-z0-9-]+(?![\w/:.-]*:)")


def take_all(files: list[File], known: dict[str, Knowledge], gathering: Gathering) -> None:
    """Read every file and text, then what they say together."""
    digests = _digests(files)
    dumps = [(one.name, b"" if one.kind or digest else one.content) for one, digest in zip(files, digests, strict=True)]
    read = zip(files, digests, intake.take_early(dumps), strict=True)
    seen = [found for file, digest, early in read for found in take(file, known, gathering, digest, early)]
    gathering.situation, facts, gathering.timeline = divergence.fused(seen)
    gathering.facts += (*facts, *machine.across([one.artifact for one in seen], gathering.facts))


def _digests(files: list[File]) -> list[intake.Digest | None]:
    """What is kept of each file that is a large log, several searched at once; None of those read as a whole."""
    places = [at for at, one in enumerate(files) if intake.may_be_large(one.content, one.path)]
    found: list[intake.Digest | None] = [None] * len(files)
    if places:
        inputs = [(intake.Large(files[at].name, files[at].content, files[at].path), files[at].kind) for at in places]
        for at, digest in zip(places, intake.digests(inputs, signatures()), strict=True):
            found[at] = digest
    return found


def take(
    file: File,
    known: dict[str, Knowledge],
    gathering: Gathering,
    digest: intake.Digest | None = None,
    early: intake.Taken | None = None,
) -> list[evidence.Evidence]:
    """Read one file or text, what is kept of it or what was read of it early, and add what is in it."""
    if digest is not None:
        taken = intake.digested(file.name, digest)
    elif early is not None:
        taken = early
    else:
        taken = intake.take(file.name, _foreign(_held(file, gathering), gathering), file.kind, signatures())
    gathering.notes += taken.notes
    seen = []
    engine = gathering.build.engine or None
    artifacts = [_bounded(one, gathering) for one in taken.artifacts]
    for artifact in artifacts:
        seen.append(_add(evidence.read(artifact, engine), gathering))
        if artifact.kind == "collect_env" and (listed := _listed_environment(artifact)):
            gathering.mentioned.append(Launch("", environment=listed, artifact=artifact.name))
        if artifact.kind in ("text", "launch"):
            _mentions(artifact, known, gathering)
        if artifact.kind == "launch" and (said := _beside_commands(artifact)):
            seen.append(_add(evidence.read(said, engine), gathering))
    _banners(file.name, known, gathering)
    whole = "\n".join(one.text for one in artifacts if one.kind in ("text", "launch"))
    if whole:
        _said_build(whole, gathering)
    return seen


def take_words(text: str, name: str, gathering: Gathering) -> None:
    """Take what was said among the flags or the hardware as words too; launches are not looked for in it again."""
    _add(evidence.read(Artifact(name, "text", text), gathering.build.engine or None), gathering)


def _held(file: File, gathering: Gathering) -> File:
    """The file with as much of its content as is read of one that is no log."""
    if not file.path:
        return file
    try:
        content, size = intake.content_of(Path(file.path))
    except OSError as error:
        gathering.notes.append(Note("unreadable", f"cannot be read: {error.strerror or error}", Span(file.name)))
        return file
    if size > len(content):
        said = f"only the first {len(content) >> 20} MiB of {size >> 20} MiB were read"
        gathering.notes.append(Note("limit", said, Span(file.name)))
    return replace(file, content=content)


def _foreign(file: File, gathering: Gathering) -> bytes:
    """The input without this advisor's own reports and pages: they speak of failures, and are none."""
    if len(file.content) > MAX_PASTE or not any(mark in file.content for mark in OWN_MARKS):
        return file.content
    clean = assertion.without_own(file.content.decode("utf-8", "replace"))
    gathering.notes += [Note("ignored", f"not evidence: {note}", Span(file.name)) for note in clean.notes]
    return clean.text.encode("utf-8", "replace") if clean.notes else file.content


def _bounded(artifact: Artifact, gathering: Gathering) -> Artifact:
    """Words and scripts of a length that people write; a longer text is read up to there, and that is said."""
    if artifact.kind not in ("text", "launch") or len(artifact.text) <= MAX_WORDS:
        return artifact
    text = f"only the first {MAX_WORDS} of {len(artifact.text)} characters were read as words or commands"
    gathering.notes.append(Note("limit", text, Span(artifact.name, artifact.first_line)))
    return replace(artifact, text=artifact.text[:MAX_WORDS])


def _add(found: evidence.Evidence, gathering: Gathering) -> evidence.Evidence:
    gathering.artifacts.append(_searchable(found.artifact, gathering))
    gathering.originals.append(found.artifact)
    gathering.facts += found.facts
    gathering.threads += found.threads
    gathering.notes += found.notes
    return found


def _searchable(artifact: Artifact, gathering: Gathering) -> Artifact:
    """The artifact as rules' patterns may search it: only what is said of this deployment, only what was printed."""
    if artifact.kind == "text":
        said = assertion.asserted(_without_ids(artifact.text), engine=gathering.build.engine or None)
    elif artifact.kind == "log":
        said = assertion.printed(artifact.text, paste=not artifact.runs)
    else:
        return artifact
    place = Span(artifact.name, artifact.first_line)
    gathering.notes += [Note("ignored", f"not taken for what happens here: {note}", place) for note in said.notes]
    return artifact if said.text == artifact.text else replace(artifact, text=said.text)


def _without_ids(text: str) -> str:
    """The text with the ids of our rules blanked out: they name failures in words that rules look for."""
    if "/" not in text or not _RULE_ID.search(text):
        return text
    ids = _rule_ids()
    return _RULE_ID.sub(lambda found: " " * len(found[0]) if found[0] in ids else found[0], text)


@cache
def _rule_ids() -> frozenset[str]:
    from advisor.jobs.judging import catalogue

    return frozenset(name for rule in catalogue() for name in (rule.id, *rule.former_ids))


def _listed_environment(artifact: Artifact) -> tuple[Variable, ...]:
    """The variables that a collect_env dump lists, as observed."""
    return tuple(
        Variable(fact.name.partition(".")[2], str(fact.value), fact.span, "observed", fact.quote)
        for fact in collect_env.environment(artifact)
    )


def _beside_commands(artifact: Artifact) -> Artifact | None:
    """The words a person wrote around a command, in their places; None when there are only commands."""
    lines, continued = [], False
    for line in artifact.text.split("\n"):
        command = continued or (bool(_COMMAND.search(line)) and not spoken.is_sentence(line))
        begins = spoken.tail_begins(line) if command else 0
        continued = command and line.rstrip().endswith("\\")
        lines.append(" " * begins + line[begins:] if begins >= 0 else "")
    return replace(artifact, kind="text", text="\n".join(lines)) if any(line.strip() for line in lines) else None


def _mentions(artifact: Artifact, known: dict[str, Knowledge], gathering: Gathering) -> None:
    """Launches and hardware that a paste or script states; a script's launches stand beside those of `--flags`."""
    gathering.facts += hardware.read_hardware(artifact.text, artifact=artifact.name)
    base = gathering.base
    found = reading.read(
        artifact.text,
        knowledge=known,
        engine=base.engine or _guess(artifact.text) or None,
        version=base.version,
        artifact=artifact.name,
        first_line=artifact.first_line,
    )
    gathering.mentioned += found.launches
    gathering.facts += found.facts
    gathering.notes += found.notes


def _guess(text: str) -> str:
    build, _, _ = builds.find_build(text, engine=None, known=with_images())
    return (knowledge(build.engine).host or build.engine) if build.engine in named() else ""


def _banners(name: str, known: dict[str, Knowledge], gathering: Gathering) -> None:
    """A log's dump of the arguments really in force is a launch, observed; complete where the dump lists them all."""
    here = [one for one in gathering.facts if one.span and one.span.artifact.partition("!")[0] == name]
    engines = {one.span.artifact: str(one.value) for one in here if one.name == "banner.engine" and one.span}
    whole = {one.span for one in here if one.name == "banner.complete" and one.value}
    for fact in (one for one in here if one.name == "banner.args" and one.span):
        base = gathering.base
        engine = base.engine or engines.get(fact.span.artifact if fact.span else "") or ""
        dumped = dump.read(str(fact.value), known[engine], name, fact.span) if engine in known else None
        if dumped is not None:
            gathering.mentioned.append(replace(dumped, complete=fact.span in whole, rank=fact.rank))
            continue
        found = reading.read(
            str(fact.value),
            knowledge=known,
            engine=engine or None,
            version=base.version,
            artifact=name,
        )
        for launch in found.launches:
            settings = tuple(
                replace(one, span=fact.span, origin="observed", start=-1, end=-1) for one in launch.settings
            )
            gathering.mentioned.append(replace(launch, settings=settings, complete=False, text="", rank=fact.rank))


def _said_build(text: str, gathering: Gathering) -> None:
    said, components, notes = builds.find_build(text, engine=gathering.build.engine or None, known=with_images())
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


def image(reference: str, gathering: Gathering) -> None:
    """Take the build that a container image names."""
    build = gathering.build
    named, components, notes = builds.read_build(reference, engine=build.engine or None, known=with_images())
    gathering.build = named.but(engine=build.engine or named.engine, components=build.components + components)
    gathering.notes += notes
    _architecture(named.image, reference, gathering)


def banner_version(banner: Fact, gathering: Gathering) -> None:
    """Take the version a log's banner shows, or say that it is not the one the user gave."""
    build = gathering.build
    seen, _, _ = builds.read_build(str(banner.value), engine=build.engine or None, origin="observed")
    if not build.known():
        engine = build.engine or seen.engine
        gathering.build = seen.but(engine=engine, components=build.components, origin="observed")
    elif build.version and seen.version and build.version.removeprefix("v") != seen.version.removeprefix("v"):
        text = f"you say {build.engine} {build.version}, the log says {seen.version}; judged as {build.version}"
        gathering.notes.append(Note("conflict", text, banner.span))
