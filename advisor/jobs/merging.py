"""What is said of a build and what was found at a path -> one build, with every version said or seen kept as a fact.

What is installed is judged by its own metadata, whatever `--version`, an image's tag or a banner says. What a clone's
files or git history show of a change outweighs every version all the same (see `match.builds`). Where they do not go
together, `match.contradictions` says so.
"""

from __future__ import annotations

from advisor.jobs.gathering import Gathering
from advisor.jobs.request import Located, Request
from advisor.match.holdings import since_release
from advisor.model.build import Build, public, same_commit
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
    gathering.notes += _conflict(found, stated)
    if not stated.known():
        gathering.build = found.build.but(components=components)
    elif found.option == "--installed":
        gathering.build = _as_installed(found.build, stated).but(components=components)
        if stated.engine and stated.engine != found.build.engine:  # a number of another engine compares with nothing
            gathering.facts = [
                one for one in gathering.facts if one.name != "build.version" or str(one.span) != "--version"
            ]
    elif _agree(stated.version, found.build.version):
        counted = since_release(found.build.version or "")  # a commit after the release, not the release
        version = found.build.version if counted else stated.version
        gathering.build = found.build.but(version=version, components=components, image=stated.image)
    else:
        fork = stated.fork or found.build.fork
        kept = {"engine": stated.engine or found.build.engine, "components": components, "fork": fork}
        gathering.build = stated.but(holdings=found.build.holdings, **kept)


def _as_installed(seen: Build, stated: Build) -> Build:
    """What is installed, whatever the tag or the user says; image, digest and fork are kept of what was said."""
    return seen.but(image=stated.image, digest=stated.digest, fork=seen.fork or stated.fork)


def _agree(stated: str | None, seen: str | None) -> bool:
    return stated is not None and seen is not None and public(stated) == public(seen)


def _conflict(found: Located, stated: Build) -> list[Note]:
    """A note where what is said of a build is not what was found."""
    seen, installed = found.build, found.option == "--installed"
    if stated.engine and seen.engine and stated.engine != seen.engine:
        judged = seen.engine if installed else stated.engine
        text = f"you say {stated.engine}, {found.option} is {seen.engine}; judged as {judged}"
        return [Note("conflict", text, Span(found.option))]
    if stated.version and seen.version and not _agree(stated.version, seen.version):
        judged = (
            f"{seen.version}, which is installed"
            if installed
            else f"{stated.version}, except for what its content shows"
        )
        text = f"you say {stated.label()}, {found.option} is {seen.version}; judged as {judged}"
        return [Note("conflict", text, Span(found.option))]
    if installed and stated.commit and not stated.version and not same_commit(stated.commit, seen.commit or ""):
        at = (
            f"{seen.version} of commit {seen.commit[:12]}"
            if seen.commit
            else f"{seen.version}, its commit is not recorded"
        )
        text = f"you say commit {stated.commit[:12]}, {found.option} is {at}; judged as {seen.version}"
        return [Note("conflict", text, Span(found.option))]
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
