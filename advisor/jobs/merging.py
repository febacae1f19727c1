"""What is said of a build and what was found at a path -> one build, with every version said or seen kept as a fact.

What the user says with `--version` is judged; what the build's files or git history show of a change outweighs it all
the same (see `match.builds`), and `match.contradictions` says where the two do not go together.
"""

from __future__ import annotations

from advisor.jobs.gathering import Gathering
from advisor.jobs.request import Located, Request
from advisor.model.build import public
from advisor.model.fact import Fact, Note, Span


def say_version(request: Request, gathering: Gathering) -> None:
    """Keep the version of `--version`, so that it can be compared with what is seen."""
    version = gathering.build.version
    if version:
        gathering.facts.append(Fact("build.version", version, "stated", Span("--version"), request.version))


def take_located(request: Request, gathering: Gathering) -> None:
    """Take the build that was found at a path, its libraries and what is known of its content."""
    found = request.located
    if found is None:
        return
    gathering.facts += found.facts
    gathering.notes += found.notes
    stated = gathering.build
    names = {one.name for one in stated.components}
    components = stated.components + tuple(one for one in found.build.components if one.name not in names)
    if not stated.known():
        gathering.build = found.build.but(components=components)
        return
    if _agree(stated.version, found.build.version):
        gathering.build = found.build.but(version=stated.version, components=components, image=stated.image)
    else:
        kept = {"engine": stated.engine or found.build.engine, "components": components}
        gathering.build = stated.but(holdings=found.build.holdings, **kept)
    gathering.notes += _conflict(found, gathering)


def _agree(stated: str | None, seen: str | None) -> bool:
    return stated is not None and seen is not None and public(stated) == public(seen)


def _conflict(found: Located, gathering: Gathering) -> list[Note]:
    stated, seen = gathering.build, found.build
    if stated.engine and seen.engine and stated.engine != seen.engine:
        text = f"you say {stated.engine}, {found.option} is {seen.engine}; judged as {stated.engine}"
        return [Note("conflict", text, Span(found.option))]
    if stated.version and seen.version and not _agree(stated.version, seen.version):
        text = f"you say {stated.label()}, {found.option} is {seen.version}; judged as {stated.version}"
        return [Note("conflict", f"{text}, except for what its content shows", Span(found.option))]
    return []


def compare_images(gathering: Gathering) -> None:
    """Keep the version that each launch's image names, where the build is known otherwise."""
    build = gathering.build
    images = {one.image: one for one in gathering.launches + gathering.mentioned if one.image}
    images.pop(build.image or "", None)
    if not images or not build.version:
        return
    from advisor.evidence import builds
    from advisor.jobs.taking import with_images

    for image, launch in images.items():
        named, _, _ = builds.read_build(image, engine=build.engine or None, known=with_images())
        if named.version and named.engine in ("", build.engine):
            gathering.facts.append(Fact("build.version", named.version, "stated", Span(launch.artifact), image))
